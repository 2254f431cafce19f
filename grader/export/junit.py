"""JUnit XML: what CI systems show as a list of tests."""

import re
import xml.etree.ElementTree as ET

from grader.export.numbers import plain
from grader.grading.report import why_no_score
from grader.grading.result import Result, TestResult

NOT_IN_XML = re.compile("[^\t\n\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(results: dict[str, Result]) -> str:
    """A suite per student and part. Without a score: an error of the student's suite, which nobody takes for passed."""
    root = ET.Element("testsuites")
    for student, result in results.items():
        if result.status != "graded":
            suite = add_suite(root, f"{student}: grader", 1, 0, 1, 0, 0.0)
            case = ET.SubElement(suite, "testcase", classname=text(student), name="grader", time="0.000")
            add_reason(case, "error", result.error or why_no_score(result), result.status)
            continue
        for part in result.parts:
            counts = [[test.status for test in part.tests].count(status) for status in ("failed", "error", "timeout")]
            skipped = sum(test.status == "not_run" for test in part.tests)
            seconds = sum(test.duration_s for test in part.tests)
            name = f"{student}: part {part.part} ({plain(part.score)} of {plain(part.max_score)} points)"
            suite = add_suite(root, name, len(part.tests), counts[0], counts[1] + counts[2], skipped, seconds)
            for test in part.tests:
                add_case(suite, f"{student}.part{part.part}", test)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def add_suite(
    root: ET.Element, name: str, tests: int, failures: int, errors: int, skipped: int, seconds: float
) -> ET.Element:
    """A suite of the report; the numbers are those of its tests."""
    attributes = {
        "name": text(name),
        "tests": str(tests),
        "failures": str(failures),
        "errors": str(errors),
        "skipped": str(skipped),
        "time": f"{seconds:.3f}",
    }
    return ET.SubElement(root, "testsuite", attributes)


def add_case(suite: ET.Element, classname: str, test: TestResult) -> None:
    """One test of a suite, and why it lost points."""
    case = ET.SubElement(
        suite, "testcase", classname=text(classname), name=text(test.id), time=f"{test.duration_s:.3f}"
    )
    if test.status == "failed":
        add_reason(case, "failure", test.message, "failed")
    elif test.status in ("error", "timeout"):
        add_reason(case, "error", test.message, test.status)
    elif test.status == "not_run":
        ET.SubElement(case, "skipped", message=text(test.message))


def add_reason(case: ET.Element, tag: str, message: str, kind: str) -> None:
    """Why a test lost points; tag: "failure" or "error"."""
    reason = ET.SubElement(case, tag, message=text(message.partition("\n")[0]), type=kind)
    reason.text = text(message)


def text(value: str) -> str:
    """Without what XML can't hold at all."""
    return NOT_IN_XML.sub(" ", value)
