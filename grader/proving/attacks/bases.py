"""What the attacks are built on: a submission that does nothing right or the solution, with a place for hostile code.

@CANARY@, @PORT@, @SOCKET@, @SCRATCH@ and @MARK@ in a text stand for what `grader.proving.hostile` sets up.
"""

import textwrap

from batching_lab.config import SCHEDULER_CLASSES
from grader.paths import SOLUTION

PARAMETERS = {
    "add_request": "request",
    "abort": "request_id",
    "schedule": "",
    "update": "sampled",
    "has_unfinished": "",
    "blocks_needed": "request_id, num_tokens",
    "can_allocate": "request_id, num_tokens",
    "allocate": "request_id, num_tokens",
    "block_table": "request_id",
    "free": "request_id",
}
SCHEDULER_STUB = """
from batching_lab import Schedule
class Stub:
    def __init__(self, config, allocator=None):
        self.config, self.allocator, self.num_requests, self.num_updates = config, allocator, 0, 0
    def add_request(self, request): self.num_requests += 1
    def abort(self, request_id): pass
    def schedule(self): return Schedule({})
    def update(self, sampled):
        self.num_updates += 1
        return []
    def has_unfinished(self): return self.num_requests > 0 and self.num_updates < 2
class StaticScheduler(Stub): pass
class ContinuousScheduler(Stub): pass
"""
ALLOCATOR_STUB = """
class BlockAllocator:
    num_free_blocks = 0
    def __init__(self, num_blocks, block_size):
        self.num_blocks, self.block_size = num_blocks, block_size
    def blocks_needed(self, request_id, num_tokens): return 0
    def can_allocate(self, request_id, num_tokens): return False
    def allocate(self, request_id, num_tokens): return []
    def block_table(self, request_id): return []
    def free(self, request_id): pass
"""


def attacked(
    text: str, classes: tuple[str, ...], constructor_parameters: str, top: str, bottom: str, bodies: dict[str, str]
) -> str:
    """`top`, the text, its classes again with some methods that do something first, `bottom`; a body may return at once."""
    parts = [textwrap.dedent(top), text, "class Attack:\n    pass"]
    for name, body in bodies.items():
        name, parameters = (
            ("__init__", constructor_parameters) if name == "constructor" else (name, PARAMETERS.get(name, ""))
        )
        names = parameters.replace("=None", "")
        parts.append(f"    def {name}(self{', ' * bool(parameters)}{parameters}):")
        parts.append(textwrap.indent(textwrap.dedent(body).strip("\n"), " " * 8))
        if name == "__init__" or not name.startswith("__"):
            parts.append(f"        return super().{name}({names})")
    parts += [f"class {name}(Attack, {name}):\n    pass" for name in classes]
    return "\n".join(parts) + "\n" + textwrap.dedent(bottom)


def scheduler(text: str, top: str, bottom: str, bodies: dict[str, str]) -> dict[str, str]:
    """The hostile files over a text with both schedulers."""
    classes = tuple(SCHEDULER_CLASSES.values())
    top = f"from batching_lab import Schedule\n{textwrap.dedent(top)}"
    return {"scheduler.py": attacked(text, classes, "config, allocator=None", top, bottom, bodies)}


def allocator(text: str, top: str, bottom: str, bodies: dict[str, str]) -> dict[str, str]:
    """The hostile files over a text with an allocator."""
    return {"kv_allocator.py": attacked(text, ("BlockAllocator",), "num_blocks, block_size", top, bottom, bodies)}


def wrong_scheduler(top: str = "", bottom: str = "", **bodies: str) -> dict[str, str]:
    """It deserves nothing."""
    return scheduler(SCHEDULER_STUB, top, bottom, bodies)


def right_scheduler(top: str = "", bottom: str = "", **bodies: str) -> dict[str, str]:
    """It deserves everything, as far as the attack leaves it alone."""
    return scheduler((SOLUTION / "scheduler.py").read_text(encoding="utf-8"), top, bottom, bodies)


def wrong_allocator(top: str = "", bottom: str = "", **bodies: str) -> dict[str, str]:
    """It deserves nothing."""
    return allocator(ALLOCATOR_STUB, top, bottom, bodies)


def right_allocator(top: str = "", bottom: str = "", **bodies: str) -> dict[str, str]:
    """It deserves everything, as far as the attack leaves it alone."""
    return allocator((SOLUTION / "kv_allocator.py").read_text(encoding="utf-8"), top, bottom, bodies)
