"""The nightly report is about the grader as it is."""

from grader.paths import Use, digest_for
from grader.proving.nightly import REPORT


def test_the_report_is_not_older_than_what_it_is_about() -> None:
    text = REPORT.read_text(encoding="utf-8")
    assert f"\nInputs: {digest_for(Use.REPORT)}\n" in text, "run `make nightly` and commit grader/proving/REPORT.md"
    assert "## Failures" not in text
