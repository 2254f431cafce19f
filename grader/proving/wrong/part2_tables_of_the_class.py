"""A dict in the class body is made anew for each object."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("pools_are_independent",),
    file="kv_allocator.py",
    changes=(
        (
            """\
        self.block_tables: dict[str, list[int]] = {}
""",
            "",
        ),
        (
            "    def __init__(self,",
            """\
    block_tables: dict[str, list[int]] = {}

    def __init__(self,""",
        ),
    ),
)
