"""An answers.toml that takes the parser a quadratic time."""

MECHANISM = "hostile source"
WHERE = "files"
PART = "0"
DESERVED: tuple[str, ...] = ()
CONTROL = "hung"
FILES = {"answers.toml": ".".join(["a"] * 60_000) + " = 1\n"}
