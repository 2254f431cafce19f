"""The trusted side's model, ready to serve: weights, one KV pool, graphs, and the float32 model that judges."""

import contextlib
import functools
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from batching_lab.model.batch import make_batch
from batching_lab.model.devices import ask_nvidia_smi
from batching_lab.model.graphs import Capture, StepGraphs
from batching_lab.model.kv_cache import KVCache
from batching_lab.model.llama import Llama
from batching_lab.model.loading.load import load_model, use_threads
from batching_lab.model.run_log import Step
from batching_lab.workloads.pool import longest_sequence
from grader.gpu.cases import BLOCK_SIZE, ON_CUDA, REHEARSAL, Size, StageCase, stage_cases

MAX_ROWS = 64
COPY_BYTES = 1 << 29
FASTER_THAN_A_COPY = 1.25  # memory may be read faster than a copy reads and writes it
NOT_TOLD = ("n/a", "not supported", "unknown error", "insufficient permissions", "err!", "no data")
SMI_FIELDS = ("driver_version", "clocks.sm", "clocks.mem", "temperature.gpu", "power.draw", "utilization.gpu")


@dataclass(frozen=True)
class Engine:
    """A loaded model with everything that its runs need. Made once, used for all submissions.

    reference     the same weights in float32, for the logit check
    graphs        for ticks of few tokens, over the one KV pool that all runs use
    cases         what is served
    bandwidth     bytes a second that the GPU's memory moves in a copy; None on a processor
    is_rehearsal  on a processor: for no points
    notes         what the model's folder leaves open
    """

    model_name: str
    llama: Llama
    reference: Llama
    graphs: StepGraphs
    cases: list[StageCase]
    bandwidth: float | None
    is_rehearsal: bool
    notes: tuple[str, ...] = ()

    @functools.cached_property
    def weight_bytes(self) -> int:
        """Bytes of weights that a step reads: each once, but next to none of an embedding that is no head."""
        weights = dict(self.llama.named_parameters())
        if not self.llama.config.tie_word_embeddings:
            del weights["embed_tokens.weight"]
        return sum(weight.numel() * weight.element_size() for weight in weights.values())

    @property
    def kv_bytes_per_token(self) -> int:
        """Of the keys and values of one token, in all layers."""
        config = self.llama.config
        return 2 * config.num_layers * config.num_kv_heads * config.head_dim * self.llama.dtype.itemsize

    def floor_seconds(self, context_tokens: list[int]) -> float | None:
        """The least time that the memory allows ticks that read so many tokens' keys and values. None: not known."""
        if self.bandwidth is None:
            return None
        num_bytes = len(context_tokens) * self.weight_bytes + sum(context_tokens) * self.kv_bytes_per_token
        return num_bytes / (self.bandwidth * FASTER_THAN_A_COPY)

    def synchronize(self) -> None:
        """Wait until the GPU has done what it was given."""
        if self.llama.device.type == "cuda":
            torch.cuda.synchronize()


def load_engine(device: str, model_name: str, size: Size | None = None, capture: Capture | None = None) -> Engine:
    """Load a model and warm every bucket. Raises `ModelError` with one sentence for whatever stands in the way.

    size     None: that of the stage on this device
    capture  see `StepGraphs`
    """
    on_cuda = device == "cuda"
    if on_cuda:
        torch.backends.cuda.enable_cudnn_sdp(False)  # it makes a plan for every new shape, in the middle of a timed run
        torch.backends.cuda.matmul.allow_tf32 = False  # the judge computes in real float32
        torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    else:
        use_threads(None, model_name)
    size = size or (ON_CUDA if on_cuda else REHEARSAL)
    loaded = load_model(model_name, device)
    reference = loaded.llama
    llama = load_model(model_name, device, torch.float16).llama if on_cuda else reference
    cases = stage_cases(size, llama.config.vocab_size)
    num_blocks = max(case.workload.num_blocks or 0 for case in cases)
    cache = KVCache(llama.config, num_blocks, BLOCK_SIZE, llama.device, llama.dtype)
    longest = longest_sequence(job for case in cases for job in case.workload.jobs)
    graphs = StepGraphs(llama, cache, MAX_ROWS, longest, capture)
    for case in cases:
        warm_large_tick(graphs, case)
    bandwidth = copy_bandwidth() if on_cuda else None
    return Engine(model_name, llama, reference, graphs, cases, bandwidth, not on_cuda, loaded.notes)


@torch.inference_mode()
def ragged_logits(graphs: StepGraphs, steps: list[Step]) -> Tensor:
    """The logits [R, vocabulary] of a tick the eager way, as one ragged batch over the same cache."""
    batch = make_batch(steps, graphs.cache)
    hidden = graphs.llama(batch.token_ids, batch.positions, batch.attention)
    return graphs.llama.logits(hidden[batch.last_tokens])


def warm_large_tick(graphs: StepGraphs, case: StageCase) -> None:
    """The first tick of static batching, the largest that there is: later ones find their memory allocated."""
    steps, block = [], 0
    for job in case.workload.jobs[: case.workload.config.max_num_seqs]:
        prompt = job.request.prompt_token_ids
        num_blocks = -(-len(prompt) // BLOCK_SIZE)
        steps.append(Step(job.request.request_id, 0, prompt, tuple(range(block, block + num_blocks)), samples=True))
        block += num_blocks
    ragged_logits(graphs, steps)


def copy_bandwidth() -> float:
    """Bytes a second, read and written, in a copy within the GPU's memory: the best of several."""
    source = torch.empty(COPY_BYTES, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    best = float("inf")
    for _ in range(10):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        target.copy_(source)
        end.record()
        end.synchronize()
        best = min(best, start.elapsed_time(end) / 1000)
    return 2 * COPY_BYTES / best


def describe(engine: Engine) -> dict[str, str]:
    """The hardware and the software, for whoever compares results."""
    about = {"model": Path(engine.model_name).name, "dtype": str(engine.llama.dtype).removeprefix("torch.")}
    about["PyTorch"] = torch.__version__
    if engine.notes:
        about["note"] = "; ".join(engine.notes)
    if engine.llama.device.type == "cpu":
        return {"device": "cpu"} | about
    gpu = torch.cuda.get_device_properties(engine.llama.device)
    about |= {
        "GPU": gpu.name,
        "memory": f"{gpu.total_memory / 2**30:.0f} GiB",
        "compute capability": f"{gpu.major}.{gpu.minor}",
        "CUDA": str(torch.version.cuda),
        "copy bandwidth": f"{(engine.bandwidth or 0) / 1e9:.0f} GB/s",
    }
    return {"device": "cuda"} | about


def gpu_state() -> dict[str, str]:
    """Driver, clocks, temperature and load of the GPU in use, as far as nvidia-smi tells them; empty without either."""
    if not torch.cuda.is_available():
        return {}
    uuid = None
    with contextlib.suppress(RuntimeError, AssertionError):  # CUDA may have broken while it was measured
        uuid = getattr(torch.cuda.get_device_properties(0), "uuid", None)
    query = (f"--query-gpu={','.join(SMI_FIELDS)}", "--format=csv,noheader")
    said = ask_nvidia_smi(*query, f"--id={'0' if uuid is None else f'GPU-{uuid}'}")
    if said == "":  # a MIG slice is no GPU to it; and where only one GPU is to be seen, it is that one
        said = ask_nvidia_smi(*query)
    rows = [[value.strip() for value in line.split(",")] for line in (said or "").splitlines() if line.strip()]
    if len(rows) != 1 or len(rows[0]) != len(SMI_FIELDS):
        return {}
    return {name: value for name, value in zip(SMI_FIELDS, rows[0], strict=True) if is_told(value)}


def is_told(value: str) -> bool:
    """Is it more than nvidia-smi's word for what it can't or mustn't tell, [N/A] say?"""
    return bool(value) and not value.startswith("[") and value.lower() not in NOT_TOLD


def not_told(state: dict[str, str]) -> list[str]:
    """What is missing in a `gpu_state`."""
    return [name for name in SMI_FIELDS if name not in state]
