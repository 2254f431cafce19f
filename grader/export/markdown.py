"""A result as Markdown: the feedback in a pull request's comment."""

import html
import re

from grader.export.numbers import plain
from grader.grading.report import STATUS_WORDS, closing_sentences, origin_sentences, why_no_score
from grader.grading.result import Result

MAX_BYTES = 60_000  # GitHub takes 65,536 characters


def markdown(result: Result) -> str:
    """A page for a student: points, part by part, and what each failed test says."""
    if result.status == "grader_error":
        return "**No score yet.** The grader failed on this submission. That is not your fault; staff have been told.\n"
    if sentence := why_no_score(result):
        return "\n\n".join([f"**No score.** {escape(sentence)}", *map(escape, origin_sentences(result))]) + "\n"
    lines = [f"**{plain(result.score or 0)} of {plain(result.max_score)} points**", ""]
    lines += ["| Part | | Points |", "|---|---|---|"]
    for part in result.parts:
        lines.append(f"| {escape(part.part)} | {escape(part.title)} | {plain(part.score)} of {plain(part.max_score)} |")
    lost = [(part, test) for part in result.parts for test in part.tests if test.status != "passed"]
    lines += ["", *(f"- Part {p.part}, {escape(t.id)}: {STATUS_WORDS[t.status]}. {escape(t.message)}" for p, t in lost)]
    notes = [f"Not run: {', '.join(result.not_run)}."] if result.not_run else []
    lines += ["", *(escape(note) for note in [*notes, *closing_sentences(result)])]
    text = "\n".join(lines) + "\n"
    if len(text) > MAX_BYTES:
        text = text[:MAX_BYTES].rpartition("\n")[0] + "\n\nThe rest is too long for a comment.\n"
    return text


def escape(text: str) -> str:
    """Text that stays text, on one line: it mentions nobody and links to nothing."""
    text = html.escape(" ".join(text.split()), quote=False)
    text = re.sub(r"([\\`*_\[\]|~#])", r"\\\1", text)
    return text.replace("@", "@\u200b").replace("://", ":\u200b//")
