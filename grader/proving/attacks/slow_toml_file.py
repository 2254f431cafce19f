"""An answers.toml that takes the parser a quadratic time."""

MECHANISM = "hostile source"
WHERE = "files"
PART = "0"
DESERVED: tuple[str, ...] = ()
CONTROL = "hung"
TABLE = ".".join(["a"] * 990)  # newer versions of tomllib refuse a name of more parts
KEYS = [f"b{number} = 1\n" for number in range(30_000)]
FILES = {"answers.toml": f"[{TABLE}]\n{''.join(KEYS)}"}
