"""The nightly report is about the grader as it is."""

from grader.nightly import REPORT, inputs_digest


def test_the_report_is_not_older_than_what_it_is_about() -> None:
    text = REPORT.read_text(encoding="utf-8")
    assert f"\nInputs: {inputs_digest()}\n" in text, "run `make nightly` and commit grader/REPORT.md"
    assert "## Failures" not in text
