"""A GPU that can't be used: the sentence names the cause. With fakes that say what PyTorch and nvidia-smi say."""

import json
import os
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("torch", reason="the model needs PyTorch")

import torch

from batching_lab.commands.cli import main as lab_main
from batching_lab.errors import DeviceError, ModelError
from batching_lab.model import devices
from batching_lab.model.devices import machine_faults, told, usable_device
from batching_lab.model.kv_cache import KVCache
from grader.cli import main
from grader.gpu import contestant, stage
from grader.gpu import engine as engine_module
from grader.gpu.cases import Size
from grader.gpu.engine import Engine, gpu_state, load_engine, not_told
from grader.gpu.stage import StageOptions, grade_on_gpu
from grader.gpu.stage_report import StageReport
from grader.gpu.summary import details, stage_text
from grader.paths import SOLUTION
from grader.proving.benchmarks import gpu_check

SMALL = Size(
    num_slots=4, num_jobs=24, short=(1, 2), long=(12, 16), prompt=(2, 5), long_prompt=(8, 14), chunk=16, num_blocks=4096
)
ADVICE = """
Search for `cudaErrorNoKernelImageForDevice' in the CUDA documentation for more information.
CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.
For debugging consider passing CUDA_LAUNCH_BLOCKING=1
Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.
"""
NO_KERNEL = "CUDA error: no kernel image is available for execution on the device" + ADVICE
OLD_DRIVER = (
    "The NVIDIA driver on your system is too old (found version 12020). Please update your GPU driver by downloading "
    "and installing a new version from the URL: http://www.nvidia.com/Download/index.aspx Alternatively, go to: "
    "https://pytorch.org to install a PyTorch version that has been compiled with your version of the CUDA driver."
)
NO_DRIVER = "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver"
NO_GPU = "No CUDA GPUs are available"
UNKNOWN = (
    "CUDA unknown error - this may be due to an incorrectly set up environment, e.g. changing env variable "
    "CUDA_VISIBLE_DEVICES after program start. Setting the available devices to be zero."
)
FULL = (
    "CUDA out of memory. Tried to allocate 2.00 MiB. GPU 0 has a total capacity of 15.56 GiB of which 1.37 MiB is "
    "free. Process 6680 has 14.26 GiB memory in use. Including non-PyTorch memory, this process has 1.21 GiB memory "
    "in use. Of the allocated memory 9.46 MiB is allocated by PyTorch, and 1.51 MiB is reserved but unallocated."
)
BUSY = "CUDA error: CUDA-capable device(s) is/are busy or unavailable" + ADVICE
SMI_HEADING = "| NVIDIA-SMI 535.104.05   Driver Version: 535.104.05   CUDA Version: 12.2     |"


@pytest.fixture
def pretend(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., None]:
    """As if PyTorch were for CUDA 13.0, and the machine's GPU did this."""

    def set_up(
        raised: str = "",
        warned: str = "",
        available: bool = False,
        version: str | None = "13.0",
        visible: str | None = None,
        smi: str | None = None,
    ) -> None:
        def is_available() -> bool:
            if warned:
                warnings.warn(
                    f"CUDA initialization: {warned} (Triggered internally at /pytorch/x.cpp:1.)", stacklevel=2
                )
            return available

        def zeros(*size: int, device: str = "cpu") -> torch.Tensor:
            if raised and device == "cuda":
                raise AssertionError(raised) if "not compiled" in raised else RuntimeError(raised)
            return real(*size)

        real = torch.zeros
        monkeypatch.setattr(torch.cuda, "is_available", is_available)
        monkeypatch.setattr(torch, "zeros", zeros)
        monkeypatch.setattr(torch.version, "cuda", version)
        monkeypatch.setenv("PATH", str(tmp_path))
        if visible is None:
            monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
        else:
            monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
        if smi is not None:
            write_nvidia_smi(tmp_path, f"echo '{smi}'")

    return set_up


def write_nvidia_smi(folder: Path, commands: str) -> None:
    program = folder / "nvidia-smi"
    program.write_text(f"#!/bin/sh\n{commands}\n", encoding="utf-8")
    program.chmod(0o755)


TOO_OLD = "this PyTorch is for CUDA 13.0; the driver supports 12.2: update the driver, or install a PyTorch for CUDA 12"
UNUSABLE: list[tuple[dict[str, Any], str]] = [
    ({"warned": OLD_DRIVER, "raised": OLD_DRIVER}, TOO_OLD),
    ({"warned": OLD_DRIVER, "raised": "Torch not compiled with CUDA enabled"}, TOO_OLD),
    ({"raised": OLD_DRIVER}, TOO_OLD),
    ({"raised": NO_GPU, "smi": SMI_HEADING}, TOO_OLD),
    (
        {
            "raised": "CUDA driver version is insufficient for CUDA runtime version",
            "available": True,
            "smi": SMI_HEADING,
        },
        TOO_OLD,
    ),
    ({"raised": NO_KERNEL, "available": True}, f"this PyTorch ({torch.__version__}) has no kernels for this GPU"),
    (
        {"raised": "Torch not compiled with CUDA enabled", "version": None},
        f"this PyTorch ({torch.__version__}) has no CUDA",
    ),
    ({"raised": NO_DRIVER, "warned": NO_DRIVER}, "no NVIDIA driver was found: this machine has no GPU, or a container"),
    ({"raised": NO_GPU, "visible": ""}, "CUDA_VISIBLE_DEVICES is '', which hides every GPU; unset it"),
    ({"raised": NO_GPU, "visible": "-1"}, "CUDA_VISIBLE_DEVICES is '-1', which hides every GPU; unset it"),
    ({"raised": NO_GPU, "visible": "7"}, "CUDA_VISIBLE_DEVICES is '7', which names no GPU of this machine; unset it"),
    ({"raised": NO_GPU, "visible": "MIG-1-2"}, "CUDA_VISIBLE_DEVICES is 'MIG-1-2', which names no GPU of this machine"),
    (
        {"visible": "3"},
        "CUDA_VISIBLE_DEVICES is '3', which names no GPU of this machine; unset it, or see nvidia-smi -L",
    ),
    ({"raised": NO_GPU}, "this machine has no GPU that PyTorch can see; see whether nvidia-smi lists one"),
    ({}, "this machine has no GPU that PyTorch can see; see whether nvidia-smi lists one"),
    ({"raised": UNKNOWN, "warned": UNKNOWN, "visible": "0"}, f"CUDA initialization: {UNKNOWN}"),
    (
        {"raised": "CUDA error: system not yet initialized" + ADVICE, "available": True},
        "CUDA error: system not yet init",
    ),
]
TAKEN = [
    (FULL, "other processes hold its memory, nvidia-smi lists them (CUDA out of memory. Tried to allocate 2.00 MiB. "),
    (
        "CUDA error: out of memory" + ADVICE,
        "other processes hold its memory, nvidia-smi lists them (CUDA error: out of",
    ),
    (
        BUSY,
        "another process has the GPU for itself, nvidia-smi lists it (CUDA error: CUDA-capable device(s) is/are busy",
    ),
]


@pytest.mark.skipif(os.name == "nt", reason="nvidia-smi is a script here")
@pytest.mark.parametrize(("machine", "cause"), UNUSABLE, ids=lambda value: value if isinstance(value, str) else "")
def test_the_cause_is_named(
    machine: dict[str, Any], cause: str, pretend: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    """By the library, the student's command and the grader's, which is a usage error there: no result, no zero."""
    pretend(**machine)
    with pytest.raises(ModelError) as raised:
        usable_device("cuda")
    assert str(raised.value).startswith(f"the device cuda can't be used: {cause}") and "\n" not in str(raised.value)
    assert not isinstance(raised.value, DeviceError)
    assert lab_main(["generate", "--device", "cuda", "--submission", str(SOLUTION)]) == 2
    assert capsys.readouterr().err == f"batching_lab: {raised.value}\n"
    assert main(["gpu", str(SOLUTION)]) == 2
    assert capsys.readouterr().err == f"grader: {raised.value}\n"


@pytest.mark.parametrize(("raised", "cause"), TAKEN, ids=["full", "full before it began", "exclusive"])
def test_a_gpu_that_is_taken_is_a_grader_error(
    raised: str, cause: str, pretend: Callable[..., None], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The same line may work in a minute; a result that is there stays."""
    pretend(raised=raised, available=True)
    out = tmp_path / "ann.json"
    out.write_text("{}", encoding="utf-8")
    assert main(["gpu", str(SOLUTION), "--json", str(out)]) == 3
    error = capsys.readouterr().err
    assert error.startswith(f"grader: the model can't be loaded on cuda: the device cuda can't be used: {cause}")
    assert error.count("\n") == 1 and "Of the allocated" not in error
    assert out.read_text(encoding="utf-8") == "{}"


def test_the_gpu_and_the_kernels_that_there_are_are_named(
    pretend: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(raised=NO_KERNEL, available=True)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda *_: (12, 1))
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda *_: "NVIDIA GB10")
    monkeypatch.setattr(torch.cuda, "get_arch_list", lambda: ["sm_80", "sm_90"])
    with pytest.raises(
        ModelError, match=r"no kernels for the NVIDIA GB10 \(sm_121\), only for sm_80 sm_90: install one"
    ):
        usable_device("cuda")


def test_a_gpu_that_computes_is_used_and_its_warnings_are_kept(pretend: Callable[..., None]) -> None:
    pretend(available=True, warned="this GPU is old")
    with pytest.warns(UserWarning, match="this GPU is old"):
        assert usable_device("cuda") == torch.device("cuda")


def test_a_gpu_that_fills_up_is_not_the_students_fault(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """While the model is loaded, while the pool is made, and in the middle of a run."""
    from batching_lab.model.executor import ModelExecutor
    from batching_lab.model.loading import load as loading

    def full(*_: Any, **__: Any) -> Any:
        raise RuntimeError(FULL)

    for owner, name in ((loading, "load_folder"), (KVCache, "__init__"), (ModelExecutor, "forward")):
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, full)
            assert lab_main(["generate", "In May", "--submission", str(SOLUTION)]) == 2
        error = capsys.readouterr().err
        assert error.startswith("batching_lab: CUDA out of memory. ") and error.count("\n") == 1
        assert "Process 6680 has 14.26 GiB memory in use." in error


def test_a_full_memory_of_the_processors_is_the_machines_fault_too() -> None:
    said = "DefaultCPUAllocator: can't allocate memory: you tried to allocate 40000000000 bytes."
    with pytest.raises(DeviceError, match="can't allocate memory"), machine_faults():
        raise RuntimeError(said)


def test_other_faults_are_not_taken_for_the_machines() -> None:
    with pytest.raises(RuntimeError, match="shapes"), machine_faults():
        raise RuntimeError("shapes do not match")
    assert told(RuntimeError("")) == "RuntimeError"
    assert told(NO_KERNEL).startswith(
        "CUDA error: no kernel image is available for execution on the device: this PyTorch"
    )


@pytest.fixture(scope="module")
def engine() -> Engine:
    return load_engine("cpu", "micro", SMALL)


def test_a_cuda_error_in_the_stage_is_one_sentence(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("CUDA error: an illegal memory access was encountered" + ADVICE)

    monkeypatch.setattr(contestant, "clocked_run", broken)
    result, _ = grade_on_gpu(SOLUTION, replace(engine, is_rehearsal=False), StageOptions(is_quick=True))
    assert (result.status, result.score) == ("grader_error", None)
    assert result.error.endswith("CUDA error: an illegal memory access was encountered")


def test_gpu_check_says_it_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def full(*_: Any, **__: Any) -> Engine:
        raise RuntimeError(FULL)

    monkeypatch.setattr(gpu_check, "load_engine", full)
    monkeypatch.setattr("sys.argv", ["check", "--out", str(tmp_path)])
    assert gpu_check.main([]) == 2
    assert capsys.readouterr().err.startswith("gpu-check: CUDA out of memory. ")


# -- nvidia-smi

QUERY_OF_ALL = 'case "$*" in *--id=*) exit 6;; esac\n'
MIG = "echo '535.1, [N/A], [N/A], 41, [N/A], [N/A]'"
ALL = {"driver_version", "clocks.sm", "clocks.mem", "temperature.gpu", "power.draw", "utilization.gpu"}


@pytest.mark.skipif(os.name == "nt", reason="nvidia-smi is a script here")
@pytest.mark.parametrize(
    ("commands", "state"),
    [
        (MIG, {"driver_version": "535.1", "temperature.gpu": "41"}),
        (QUERY_OF_ALL + MIG, {"driver_version": "535.1", "temperature.gpu": "41"}),  # a MIG slice is no GPU to it
        (
            "echo '535.1, [Not Supported], [Unknown Error], N/A, [Insufficient Permissions], 3 %'",
            {"driver_version": "535.1", "utilization.gpu": "3 %"},
        ),
        ("echo '535.1, 1 MHz, 2 MHz, ERR!, Insufficient Permissions, [GPU requires reset]'", {
            "driver_version": "535.1", "clocks.sm": "1 MHz", "clocks.mem": "2 MHz",
        }),
        (f"{MIG}\n{MIG}", {}),  # which of them?
        ("echo 'No devices were found'", {}),
        ("echo 'NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver.'; exit 9", {}),
        ("echo 'Failed to initialize NVML: Driver/library version mismatch'; exit 18", {}),
        ("printf '\\377\\376'", {}),
        ("exit 0", {}),
        ("exec sleep 60", {}),
        (None, {}),
    ],
)  # fmt: skip
def test_what_nvidia_smi_does_not_tell_is_left_out_and_listed(
    commands: str | None, state: dict[str, str], engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if commands is not None:
        write_nvidia_smi(tmp_path, commands)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(devices, "SMI_SECONDS", 1.0)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _: SimpleNamespace(uuid="1-2-3"))
    assert gpu_state() == state
    assert set(not_told(state)) == ALL - set(state)


@pytest.mark.skipif(os.name == "nt", reason="nvidia-smi is a script here")
def test_an_nvidia_smi_that_hangs_is_asked_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One that fails is asked again, for all GPUs."""
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(devices, "SMI_SECONDS", 1.0)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    asked = tmp_path / "asked"
    for commands, times in (("exec sleep 60", 1), ("exit 6", 2)):
        write_nvidia_smi(tmp_path, f"echo asked >> {asked}\n{commands}")
        assert gpu_state() == {}
        assert asked.read_text(encoding="utf-8").split() == ["asked"] * times
        asked.unlink()


@pytest.mark.skipif(os.name == "nt", reason="nvidia-smi is a script here")
def test_the_report_lists_what_could_not_be_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Also where CUDA itself can't be asked any more: a result that was measured is not lost."""

    def broken(_: int) -> None:
        raise RuntimeError("CUDA error: unspecified launch failure")

    write_nvidia_smi(tmp_path, MIG)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_properties", broken)
    monkeypatch.setattr(stage, "NUM_QUICK_PAIRS", 1)
    engine = load_engine("cpu", "micro", replace(SMALL, num_jobs=6, long=(3, 4)))
    result, report = grade_on_gpu(SOLUTION, replace(engine, is_rehearsal=False), StageOptions(is_quick=True))
    assert result.status == "graded"
    missing = ["clocks.sm", "clocks.mem", "power.draw", "utilization.gpu"]
    assert f"nvidia-smi does not tell: {', '.join(missing)}." in stage_text(result, report)
    data = json.loads(json.dumps(details(report)))
    assert data["state_not_told"] == missing
    assert data["state_before"] == data["state_after"] == {"driver_version": "535.1", "temperature.gpu": "41"}


def test_a_rehearsal_misses_nothing(engine: Engine) -> None:
    assert StageReport({}, True, False, "").state_not_told == []
    assert engine_module.gpu_state() == {} or torch.cuda.is_available()
