"""A whole class as CSV: one line a student, one column a part."""

import csv
import io

from grader.export.numbers import plain
from grader.grading.result import Result

ORIGIN = ["commit", "commit_time", "graded_at", "lab", "python"]
FIRST = ["student", "status", "score", "max_score"]
LAST = ["isolation", "not_run", "key", "remark", *ORIGIN]
FORMULA_STARTS = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")  # the last four: full-width forms


def csv_table(results: dict[str, Result]) -> str:
    """Without a score the cells stay empty, and the status says why. Starts with a byte order mark, for Excel."""
    part_ids = list(dict.fromkeys(part.part for result in results.values() for part in result.parts))
    file = io.StringIO()
    table = csv.writer(file, lineterminator="\r\n")
    table.writerow([*FIRST, *(f"part {part_id}" for part_id in part_ids), *LAST])
    for student, result in results.items():
        scores = {part.part: part.score for part in result.parts} if result.status == "graded" else {}
        row = [
            student,
            result.status,
            "" if result.score is None else plain(result.score),
            plain(result.max_score),
            *(plain(scores[part_id]) if part_id in scores else "" for part_id in part_ids),
            result.isolation.level,
            " ".join(result.not_run),
            result.key,
            " ".join(result.error.split())[:200] or " ".join(result.notes),
            *(getattr(result, name) or "" for name in ORIGIN),
        ]
        table.writerow([harmless(cell) for cell in row])
    return "\ufeff" + file.getvalue()


def harmless(cell: str) -> str:
    """A cell that a spreadsheet would take for a formula gets an apostrophe in front. No number here is negative."""
    cell = "".join(c if c.isprintable() else " " for c in cell)
    return f"'{cell}" if cell.lstrip().startswith(FORMULA_STARTS) else cell
