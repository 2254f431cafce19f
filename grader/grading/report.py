"""A result as text for the terminal and as a page for the student."""

from html import escape

from batching_lab.tables import format_table
from grader.grading.result import PartResult, Result, TestResult
from grader.worker.isolation import Isolation
from grader.worker.text import without_paths

STATUS_WORDS = {"passed": "passed", "failed": "failed", "error": "error", "timeout": "timed out", "not_run": "not run"}
GRADER_FAILED = "The grader failed on this submission. There is no score yet; this is not your fault."
NOTHING_FOUND = "Nothing was handed in that could be graded."


def points(value: float) -> str:
    """As few digits as are needed."""
    return f"{value:g}"


def score_table(result: Result) -> str:
    """Points by part, what failed and why, what was not run and how the submission was isolated."""
    if result.status == "grader_error":
        return f"The grader failed on {result.submission}; there is no score.\n{result.error}"
    if result.status == "not_submitted":
        return f"{result.submission}: there is no score. {why_no_score(result)}"
    rows = [(f"{part.part}", part.title, f"{points(part.score)} / {points(part.max_score)}") for part in result.parts]
    rows.append(("", "Total", f"{points(result.score or 0)} / {points(result.max_score)}"))
    lines = []
    for part in result.parts:
        lines += [f"Part {part.part}, {test.id}: {STATUS_WORDS[test.status]}. {test.message}" for test in lost(part)]
    if lines:
        lines.append("")
    lines += [format_table(("part", "title", "points"), rows), ""]
    if result.not_run:
        lines.append(f"Not run: {', '.join(result.not_run)}.")
    lines += [*result.about_machine, *closing_sentences(result)]
    return "\n".join(lines)


def why_no_score(result: Result) -> str:
    """One sentence for the student; empty if there is a score."""
    if result.status == "graded":
        return ""
    return GRADER_FAILED if result.status == "grader_error" else without_paths(result.error) or NOTHING_FOUND


def closing_sentences(result: Result) -> list[str]:
    """What a student reads below the points."""
    return [*result.notes, isolation_sentence(result.isolation), *origin_sentences(result)]


def origin_sentences(result: Result) -> list[str]:
    """What is known of where the result comes from, in one sentence; none if nothing is."""
    when = f" of {minutes(result.commit_time)}" if result.commit_time else ""
    commit = [f"commit {result.commit[:7]}{when}"] if result.commit else []
    if result.status != "graded":
        return [f"Looked at: {commit[0]}."] if commit else []
    python = [f"Python {result.python}"] if result.python else []
    lab = [f"lab {result.lab}"] if result.lab else []
    known = [*python, *lab, *commit]
    return [f"Graded with {', '.join(known)}."] if known else []


def minutes(time: str) -> str:
    """2026-11-30T14:03:00Z as people write it."""
    return f"{time[:10]} {time[11:16]} UTC"


def lost(part: PartResult) -> list[TestResult]:
    """The tests that did not pass."""
    return [test for test in part.tests if test.status != "passed"]


def isolation_sentence(isolation: Isolation) -> str:
    """A sentence for readers of a result: how well the submission was shut off."""
    if isolation.level == "full":
        return "Isolation: full."
    return (
        f"Isolation: {isolation.level}. The submission ran in a process of its own, but not shut off from: "
        f"{', '.join(isolation.missing)}. Grade only code that you would run yourself."
    )


PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }}
body {{ color: #1a1a1a; background: #fff; }}
table {{ border-collapse: collapse; width: 100%; }}
th, td {{ text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid #ddd; }}
td, pre {{ overflow-wrap: anywhere; }}
td.id, td.status, .points {{ overflow-wrap: normal; white-space: nowrap; }}
.points {{ text-align: right; }}
pre {{ white-space: pre-wrap; font: 13px/1.4 ui-monospace, monospace; margin: .3rem 0; }}
.passed {{ color: #14662b; }} .failed, .error, .timeout {{ color: #a11212; }} .note {{ color: #555; }}
</style>
</head>
<body>
<h1>{title}</h1>
{body}
</body>
</html>
"""


def html_report(result: Result) -> str:
    """One self-contained page; everything that came from outside is escaped."""
    title = f"Batching lab: {result.submission}"
    if sentence := why_no_score(result):
        body = [f"<p><strong>No score.</strong> {escape(sentence)}</p>"]
        body += [f'<p class="note">{escape(note)}</p>' for note in origin_sentences(result)]
        return PAGE.format(title=escape(title), body="\n".join(body))
    body = [f"<p><strong>{points(result.score or 0)} of {points(result.max_score)} points.</strong></p>"]
    body.append('<table><tr><th>Part</th><th></th><th class="points">Points</th></tr>')
    for part in result.parts:
        score = f"{points(part.score)} / {points(part.max_score)}"
        body.append(
            f'<tr><td>{escape(part.part)}</td><td>{escape(part.title)}</td><td class="points">{score}</td></tr>'
        )
    body.append("</table>")
    for part in result.parts:
        body.append(f"<h2>Part {escape(part.part)}: {escape(part.title)}</h2><table>")
        for test in part.tests:
            what, *more = (test.message or "").split("\n")
            details = escape(what) + (f"<pre>{escape(chr(10).join(more))}</pre>" if more else "")
            body.append(
                f'<tr><td class="id">{escape(test.id)}</td>'
                f'<td class="status {test.status}">{STATUS_WORDS[test.status]}</td>'
                f'<td>{details}</td><td class="points">{points(test.score)} / {points(test.max_score)}</td></tr>'
            )
        body.append("</table>")
    if result.not_run:
        body.append(f'<p class="note">Not run: {escape(", ".join(result.not_run))}.</p>')
    for note in closing_sentences(result):
        body.append(f'<p class="note">{escape(note)}</p>')
    return PAGE.format(title=escape(title), body="\n".join(body))
