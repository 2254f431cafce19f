"""An answers.toml that takes the parser a quadratic time."""

from grader.proving.attack import Attack

TABLE = ".".join(["a"] * 990)  # newer versions of tomllib refuse a name of more parts
KEYS = [f"b{number} = 1\n" for number in range(30_000)]
ATTACK = Attack(
    mechanism="hostile source",
    where="files",
    part="0",
    deserved=(),
    control="hung",
    files={"answers.toml": f"[{TABLE}]\n{''.join(KEYS)}"},
)
