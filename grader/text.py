"""Texts from outside, made fit to print."""


def clean_text(text: object, length: int) -> str:
    """Printable, on one line, not too long."""
    if type(text) is not str:
        return "something unreadable"
    text = "".join(c if c.isprintable() else " " for c in text).encode("utf-8", "replace").decode()
    return text if len(text) <= length else text[: length - 3] + "..."
