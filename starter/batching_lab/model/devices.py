"""Where a model computes: asks whether CUDA works, and says in one sentence why it doesn't."""

import contextlib
import os
import re
import subprocess
import warnings
from collections.abc import Generator

import torch

from batching_lab.errors import DeviceError, ModelError

SMI_SECONDS = 10.0
TOO_OLD = re.compile(r"driver on your system is too old \(found version (\d+)\)")
SAYS_NOTHING = ("No CUDA GPUs are available", "Torch not compiled with CUDA", "no CUDA-capable device is detected")
OTHER_PROCESS = re.compile(r"Process (\d+) has ([\d.]+ \w+) memory in use")
MACHINES_FAULT = re.compile(r"CUDA|cuda|cuBLAS|CUBLAS|cuDNN|CUDNN|out of memory|can't allocate memory")


def usable_device(device: str) -> torch.device:
    """Raises `ModelError` for a device that can't be used, `DeviceError` for one that is taken."""
    if device not in ("cpu", "cuda"):
        raise ModelError(f"the device must be cpu or cuda, not {device!r}")
    if device == "cuda":
        require_cuda()
    return torch.device(device)


def require_cuda() -> None:
    """Let the GPU compute 0 + 1. Where none is available, PyTorch says the cause in a warning, or when it is used."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        is_available = torch.cuda.is_available()
        try:
            (torch.zeros(1, device="cuda") + 1).item()
            failure = ""
        except Exception as error:  # PyTorch raises many kinds, its libraries' loader another
            failure = str(error) or type(error).__name__
    if failure and is_taken(failure):
        raise DeviceError(f"the device cuda can't be used: {why_taken(failure)}")
    if failure or not is_available:
        told_first = [str(warning.message) for warning in warned] if not is_available else []
        raise ModelError(f"the device cuda can't be used: {why_unusable([*told_first, failure], is_available)}")
    for warning in warned:
        warnings.warn(warning.message, stacklevel=2)


def is_taken(failure: str) -> bool:
    """Does this failure say that somebody else has the GPU?"""
    return "out of memory" in failure or "busy or unavailable" in failure


def why_taken(failure: str) -> str:
    """A sentence about a GPU that is taken."""
    if "out of memory" in failure:
        return f"other processes hold its memory, nvidia-smi lists them ({told(failure)})"
    return f"another process has the GPU for itself, nvidia-smi lists it ({told(failure)})"


def why_unusable(said: list[str], is_available: bool) -> str:
    """The cause, from what PyTorch said: its warnings, and what it raised."""
    text = "\n".join(said)
    if cause := known_cause(text):
        return cause
    if torch.version.cuda is None:
        return f"this PyTorch ({torch.__version__}) has no CUDA; install one that has"
    if "Found no NVIDIA driver" in text:
        return "no NVIDIA driver was found: this machine has no GPU, or a container or job was given none"
    if not is_available or "driver version is insufficient" in text:
        supported = driver_supports()
        if supported and supported[0] < int(torch.version.cuda.partition(".")[0]):
            return too_old(*supported)
    causes = [words for words in said if words.strip() and not any(empty in words for empty in SAYS_NOTHING)]
    if causes:
        return told(causes[0])
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is not None:
        what = "hides every GPU" if visible.strip() in ("", "-1", "NoDevFiles") else "names no GPU of this machine"
        return f"CUDA_VISIBLE_DEVICES is {visible!r}, which {what}; unset it, or see nvidia-smi -L"
    return "this machine has no GPU that PyTorch can see; see whether nvidia-smi lists one"


def known_cause(text: str) -> str:
    """What is known to be behind such a text; empty if nothing is."""
    if match := TOO_OLD.search(text):
        return too_old(int(match[1]) // 1000, int(match[1]) % 1000 // 10)
    return no_kernels() if "no kernel image" in text else ""


def too_old(major: int, minor: int) -> str:
    """The driver is: the newest CUDA that it supports is `major`.`minor`."""
    build = f"CUDA {torch.version.cuda}" if torch.version.cuda else "a newer CUDA"
    return (
        f"this PyTorch is for {build}; the driver supports {major}.{minor}: update the driver, or install a PyTorch "
        f"for CUDA {major}"
    )


def no_kernels() -> str:
    """PyTorch was built for other GPUs."""
    gpu, kernels = "this GPU", ""
    with contextlib.suppress(RuntimeError, AssertionError):
        major, minor = torch.cuda.get_device_capability(0)
        gpu = f"the {torch.cuda.get_device_name(0)} (sm_{major}{minor})"
    with contextlib.suppress(RuntimeError, AssertionError):
        kernels = " ".join(torch.cuda.get_arch_list())
    only = f", only for {kernels}" if kernels else ""
    return f"this PyTorch ({torch.__version__}) has no kernels for {gpu}{only}: install one that has"


def driver_supports() -> tuple[int, int] | None:
    """The CUDA version in nvidia-smi's heading."""
    match = re.search(r"CUDA Version:\s*(\d+)\.(\d+)", ask_nvidia_smi() or "")
    return (int(match[1]), int(match[2])) if match else None


def ask_nvidia_smi(*arguments: str) -> str | None:
    """What the program prints: nothing if it fails; None if there is none, or if it hangs."""
    try:
        done = subprocess.run(
            ["nvidia-smi", *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=SMI_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else ""


def told(error: BaseException | str) -> str:
    """One line of what PyTorch says in many: the cause, without advice how to debug a kernel."""
    text = str(error)
    lines = [line.strip() for line in text.splitlines() if line.strip()] or [type(error).__name__]
    first = lines[0].partition(" Of the allocated memory")[0]
    first = re.sub(r" \(Triggered internally at .*", "", first)
    others = OTHER_PROCESS.findall(" ".join(lines))
    if "out of memory" in first and others and not OTHER_PROCESS.search(first):
        first += " " + " ".join(f"Process {number} has {memory} memory in use." for number, memory in others)
    cause = known_cause(text)
    return f"{first}: {cause}" if cause else first


@contextlib.contextmanager
def machine_faults() -> Generator[None]:
    """Raise `DeviceError` with one sentence for what CUDA raises: no memory, say. It is nobody's code that failed."""
    try:
        yield
    except Exception as error:
        if not MACHINES_FAULT.search(str(error)):
            raise
        raise DeviceError(told(error)) from error
