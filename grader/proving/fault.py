"""What a planted fault is: a belief about the rules that is wrong, as a few changes to the solution."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class Fault:
    """The `FAULT` of a file of grader/proving/wrong.

    part           whose hidden tests must catch it
    caught_by      ids of those tests; loaded: in the rubric's order
    file           of the solution
    changes        pairs: a text that the file holds once, and what replaces it
    name, thought  its file's name and docstring, which says what the student believed: `load_fault` fills them in
    """

    part: str
    caught_by: tuple[str, ...]
    file: Literal["scheduler.py", "kv_allocator.py"]
    changes: tuple[tuple[str, str], ...]
    name: str = ""
    thought: str = ""
