"""The scheduler of a checkout of nano-vllm, to be timed beside ours: `python -m grader bench --nano-vllm DIR`.

Its engine's scheduler, block manager and sequence are imported as they are. The package around them is left out: it
imports what only a GPU has.
"""

import importlib
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

SCHEDULER = "nanovllm/engine/scheduler.py"


def decoding(checkout: Path, num_running: int, num_ticks: int, block_size: int) -> Callable[[], float]:
    """Its scheduler with `num_running` decodes; each call makes a tick and returns its seconds of processor time.

    Requests and pool are those that `bench` gives the solution. The first tick is the prefill.
    """
    engine = import_engine(checkout)
    engine.Sequence.block_size = block_size
    scheduler = engine.Scheduler(
        SimpleNamespace(
            max_num_seqs=num_running,
            max_num_batched_tokens=num_running * block_size,
            eos=-1,
            kvcache_block_size=block_size,
            num_kvcache_blocks=num_running * (16 + num_ticks) // block_size + num_running,
        )
    )
    sampling = SimpleNamespace(temperature=1.0, max_tokens=num_ticks + 10, ignore_eos=False)
    for number in range(num_running):
        scheduler.add(engine.Sequence([1] * (1 + number % block_size), sampling))

    def tick() -> float:
        start = time.process_time()
        scheduled, is_prefill = scheduler.schedule()
        between = time.process_time()
        sampled = [5] * len(scheduled)
        again = time.process_time()
        scheduler.postprocess(scheduled, sampled, is_prefill)
        return between - start + time.process_time() - again

    return tick


def import_engine(checkout: Path) -> Any:
    """Its module `nanovllm.engine.scheduler`, with stand-ins for the package and for the configuration."""
    package, config = ModuleType("nanovllm"), ModuleType("nanovllm.config")
    package.__path__ = [str(checkout / "nanovllm")]
    vars(config)["Config"] = SimpleNamespace
    sys.modules |= {"nanovllm": package, "nanovllm.config": config}
    return importlib.import_module("nanovllm.engine.scheduler")
