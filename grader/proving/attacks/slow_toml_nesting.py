"""An answers.toml with a nesting beyond Python's recursion, and numbers of thousands of digits."""

from grader.proving.attack import Attack

ATTACK = Attack(
    mechanism="hostile source",
    where="files",
    part="0",
    deserved=(),
    not_shown="a failed test there, too",
    files={"answers.toml": "static_d_finish = 7\nx = " + "[" * 100_000 + "\n"},
)
