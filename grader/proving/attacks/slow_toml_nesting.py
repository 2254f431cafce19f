"""An answers.toml with a nesting beyond Python's recursion, and numbers of thousands of digits."""

MECHANISM = "hostile source"
WHERE = "files"
PART = "0"
DESERVED: tuple[str, ...] = ()
NOT_SHOWN = "a failed test there, too"
FILES = {"answers.toml": "static_d_finish = 7\nx = " + "[" * 100_000 + "\n"}
