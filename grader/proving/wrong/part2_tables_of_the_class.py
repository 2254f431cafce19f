"""A dict in the class body is made anew for each object."""

PART = "2"
CAUGHT_BY = ["pools_are_independent"]
FILE = "kv_allocator.py"
CHANGES = [
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
]
