"""Reads result files: `batching-lab/result/v1`, written by `grade --json` and by class runs."""

import json
import math
from pathlib import Path
from typing import Any, get_args

from grader.result import SCHEMA, Isolation, PartResult, Result, Status, TestResult, TestStatus
from grader.usage import UsageError


def load_results(place: Path) -> dict[str, Result]:
    """Student -> result. A file is one; of a folder, every *.json in it that is a result, in subfolders too.

    The student's name is the file's, or the folder's that it lies in when the file is called result.json.
    """
    if place.is_file():
        return {student_name(place, place.parent): load_result(place)}
    if not place.is_dir():
        raise UsageError(f"there is no file or folder {place}")
    results: dict[str, Result] = {}
    for path in sorted(place.rglob("*.json")):
        if is_result(path):
            name = student_name(path, place)
            if name in results:
                raise UsageError(f"{place} holds two results of {name}")
            results[name] = load_result(path)
    if not results:
        raise UsageError(f"{place} holds no result of the grader (a *.json file with the schema {SCHEMA})")
    return results


NO_POINTS_WITH = ("quick", "no room", "impossible time")  # flags of the GPU stage under which a time is no grade


def no_points_because(of_gpu: Result) -> list[str]:
    """Why a result of the GPU stage is no grade: it must be run again. Empty: it is one."""
    assert of_gpu.gpu is not None
    if of_gpu.status != "graded":
        return ["it failed"]
    if of_gpu.gpu["rehearsal"]:
        return ["a rehearsal on the CPU"]
    return [flag for flag in of_gpu.gpu["flags"] if flag.partition(":")[0] in NO_POINTS_WITH]


def merge_gpu(results: dict[str, Result], of_gpu: dict[str, Result]) -> list[str]:
    """Add the GPU stage's points to the results with the same key; returns sentences about what was not added.

    The key is the submission's and the lab's. Who handed in the same files has the same key, but a time of their own.
    """
    for name, result in of_gpu.items():
        if result.gpu is None:
            raise UsageError(f"--gpu: the result of {name} is not one of the GPU stage")
        if result.gpu["rehearsal"]:
            raise UsageError(f"--gpu: the result of {name} is a rehearsal on the CPU, which gives no points")
    used: set[str] = set()
    without = []
    for student, result in results.items():
        same = [name for name, other in of_gpu.items() if other.key == result.key]
        if not same:
            result.notes.append("The GPU stage has no result of this submission.")
        else:
            used |= {*same}
            add_gpu_part(result, of_gpu[student if student in same else same[0]])
        if result.gpu is None:
            without.append(student)
    sentences = []
    if without:
        sentences.append(f"{len(without)} of {len(results)} get no points of the GPU stage: {', '.join(without)}")
    if len({machine_of(result) for result in of_gpu.values()}) > 1:
        sentences.append("the GPU stage's results come from different GPUs, models or versions")
    return sentences + [
        f"the GPU stage's result of {name} was not used: no result has its key (another submission, or another version "
        "of the lab)"
        for name in of_gpu
        if name not in used
    ]


def add_gpu_part(result: Result, of_gpu: Result) -> None:
    assert of_gpu.gpu is not None
    if reasons := no_points_because(of_gpu):
        result.notes.append(f"The GPU stage must be run again on this submission: {', '.join(reasons)}.")
        return
    for part in of_gpu.parts:
        if part.part in {other.part for other in result.parts}:
            raise UsageError(f"--gpu: the result of {result.submission} has Part {part.part} already")
        result.add_part(part)
        result.not_run = [name for name in result.not_run if name != part.part]
    result.gpu = of_gpu.gpu
    result.notes += [f"GPU stage, flagged: {flag}." for flag in of_gpu.gpu["flags"]]
    if of_gpu.isolation.level != result.isolation.level:
        result.notes.append(f"GPU stage, isolation: {of_gpu.isolation.level}.")


def machine_of(result: Result) -> tuple[str | None, ...]:
    about = (result.gpu or {}).get("about", {})
    return tuple(about.get(name) for name in ("GPU", "model", "dtype", "PyTorch"))


def student_name(path: Path, root: Path) -> str:
    if path.stem == "result" and path.parent != root:
        return path.parent.relative_to(root).as_posix()
    return path.stem


def is_result(path: Path) -> bool:
    """Other JSON may lie beside the results: indexes, what students were told."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        raise UsageError(f"{path} can't be read as JSON") from None
    return isinstance(data, dict) and data.get("schema") == SCHEMA


def load_result(path: Path) -> Result:
    """Raises `UsageError` with a sentence if the file is not what the grader writes."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        raise UsageError(f"{path} can't be read as JSON") from None
    try:
        return result_from(data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"{path} is no result of the grader: {type(error).__name__} {error}") from None


def result_from(data: dict[str, Any]) -> Result:
    if data["schema"] != SCHEMA or data["status"] not in get_args(Status):
        raise ValueError("another schema or status")
    is_graded = data["status"] == "graded"
    return Result(
        status=data["status"],
        submission=str(data["submission"]),
        key=str(data["key"]),
        isolation=Isolation(data["isolation"]["level"], [str(name) for name in data["isolation"]["missing"]]),
        score=number(data["score"]) if is_graded else None,
        max_score=number(data["max_score"]),
        not_run=[str(part) for part in data["not_run"]],
        parts=[part_from(part) for part in data["parts"]],
        notes=[str(note) for note in data.get("notes", [])],
        error=str(data.get("error", "")),
        gpu=data.get("gpu"),
    )


def part_from(data: dict[str, Any]) -> PartResult:
    tests = [one_test_from(test) for test in data["tests"]]
    return PartResult(str(data["part"]), str(data["title"]), number(data["score"]), number(data["max_score"]), tests)


def one_test_from(data: dict[str, Any]) -> TestResult:
    if data["status"] not in get_args(TestStatus):
        raise ValueError(f"the status {data['status']!r}")
    scores = number(data["score"]), number(data["max_score"])
    return TestResult(str(data["id"]), *scores, data["status"], str(data["message"]), number(data["duration_s"]))


def number(value: object) -> float:
    if type(value) not in (int, float) or not math.isfinite(value):  # type: ignore[arg-type]
        raise ValueError(f"{value!r} where a number should be")
    return float(value)  # type: ignore[arg-type]
