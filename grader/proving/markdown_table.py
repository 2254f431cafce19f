"""Tables in Markdown, for what the proofs and figures write."""

from collections.abc import Iterable


def markdown_table(heading: Iterable[object], rows: Iterable[Iterable[object]]) -> list[str]:
    """Its lines."""
    heading = list(heading)
    return [markdown_row(heading), markdown_row("---" for _ in heading), *map(markdown_row, rows)]


def markdown_row(cells: Iterable[object]) -> str:
    """One line, whatever the cells hold."""
    return f"| {' | '.join(str(cell).replace('|', chr(92) + '|').replace(chr(10), ' ') for cell in cells)} |"
