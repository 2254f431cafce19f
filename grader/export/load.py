"""Reads result files: `batching-lab/result/v1`, written by `grade --json` and by class runs."""

import json
import math
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from grader.result import SCHEMA, Isolation, Level, PartResult, Result, Status, TestResult, TestStatus
from grader.text import clean_text, without_paths
from grader.usage import UsageError

ANY_SCHEMA = SCHEMA.rpartition("/")[0] + "/"
MAX_BYTES = 64 << 20
ABOUT_MACHINE = re.compile(r"Part \S+ can't be run here: ")  # stood among the notes of older results
# As `write_atomically` names a file until it is whole; of a long name it takes the start.
HALF_WRITTEN = re.compile(r"\.(?:(?P<name>.+\.json)|(?P<start>.{50,100}))\.[a-z0-9_]{8}")


@dataclass
class Loaded:
    """What a folder holds: student -> result, and sentences about the files that were left out."""

    results: dict[str, Result] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)  # should have been results
    skipped: list[str] = field(default_factory=list)  # something else
    files: list[Path] = field(default_factory=list)  # which are results, or should have been


def load_results(place: Path) -> Loaded:
    """A file is one result; of a folder, every *.json in it that is a result, in subfolders too.

    The student's name is the file's, or the folder's that it lies in when the file is called result.json. One file that
    can't be read costs nobody else's result.
    """
    if place.is_file():
        return Loaded({student_name(place, place.parent): load_result(place)}, files=[place])
    if not place.is_dir():
        raise UsageError(f"there is no file or folder {place}")
    loaded = Loaded()
    found: dict[str, list[tuple[Path, Result]]] = {}
    lost: dict[str, list[str]] = {}  # student -> why a file of that name was left out
    for path in json_files(place, loaded):
        name = student_name(path, place)
        try:
            result = load_result(path)
            found.setdefault(name, []).append((path, result))
            loaded.files.append(path)
        except UsageError as error:
            if isinstance(error, Foreign) or path.name.startswith("._"):  # a Mac's notes on a file
                loaded.skipped.append(str(error))
            else:
                lost.setdefault(name, []).append(str(error))
                loaded.files.append(path)
    for name, files in found.items():
        if any(result != files[0][1] for _, result in files):
            several = " and ".join(str(path) for path, _ in files)
            lost.setdefault(name, []).append(f"{several} are results of the same student that differ")
        else:
            loaded.results[name] = files[0][1]
    for name, sentences in lost.items():
        missing = "" if name in loaded.results else f"; no result of {clean_text(name, 200)} was read"
        loaded.left_out += [f"{sentence}{missing}" for sentence in sentences]
    return loaded


def json_files(place: Path, loaded: Loaded) -> Iterator[Path]:
    """In order, empty folders of such a name among them. Sentences about what can't be looked into go to `loaded`."""

    def cannot_list(error: OSError) -> None:
        loaded.left_out.append(f"{error.filename} can't be looked into: {error.strerror}")

    paths = []
    for folder, folders, files in os.walk(place, onerror=cannot_list):
        paths += [Path(folder, name) for name in files] if files or folders else [Path(folder)]
        links = [path for name in folders if (path := Path(folder, name)).is_symlink()]
        loaded.skipped += [f"{link} is a link to a folder" for link in links]
    for path in sorted(paths):
        if (half := HALF_WRITTEN.fullmatch(path.name)) and not whole_exists(path, half):
            name = student_name(path.with_name(half["name"] or f"{half['start']}...json"), place)
            loaded.left_out.append(f"{path} was not written to its end; no result of {clean_text(name, 200)} was read")
        elif path.name.lower().endswith(".json") and path != place:
            yield path


def whole_exists(path: Path, half: re.Match[str]) -> bool:
    if half["name"]:
        return path.with_name(half["name"]).exists()
    return any(
        other.name.startswith(half["start"]) and other.name.lower().endswith(".json") for other in path.parent.iterdir()
    )


def alike(results: dict[str, Result]) -> list[str]:
    """Sentences about students whose names are the same login, since logins ignore case."""
    by_login: dict[str, list[str]] = {}
    for student in results:
        by_login.setdefault(student.lower(), []).append(student)
    return [
        f"{' and '.join(names)} differ in capital letters only, which a login ignores: are they one student?"
        for names in by_login.values()
        if len(names) > 1
    ]


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
        if result.status == "not_submitted":
            continue  # nothing that could be timed
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


def machine_of(result: Result) -> tuple[str, ...]:
    about = (result.gpu or {}).get("about", {})
    return tuple(str(about.get(name)) for name in ("GPU", "model", "dtype", "PyTorch"))


def student_name(path: Path, root: Path) -> str:
    name = path.parent.relative_to(root).as_posix() if path.stem == "result" and path.parent != root else path.stem
    return name.encode("utf-8", "replace").decode()  # a name that is no UTF-8 could not be written


class Foreign(UsageError):
    """A readable file that is no result and does not look like one: an index, what students were told."""


def load_result(path: Path) -> Result:
    """Raises `UsageError` with a sentence if the file is not what the grader writes."""
    data = read_json(path)
    if not isinstance(data, dict) or not looks_like_a_result(data):
        raise Foreign(f"{path} is no result of the grader")
    if data.get("schema") not in (None, SCHEMA):
        raise UsageError(f"{path} is a result of another version of the grader: {data['schema']}, not {SCHEMA}")
    try:
        return result_from(data)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise UsageError(f"{path} is no result of the grader: {type(error).__name__} {error}") from None


def looks_like_a_result(data: dict[str, Any]) -> bool:
    """Also one of another version, or without one."""
    schema = data.get("schema")
    return data.keys() >= {"status", "parts"} if schema is None else str(schema).startswith(ANY_SCHEMA)


def read_json(path: Path) -> Any:
    """Raises `UsageError`. Nothing is waited for; what can't be written as UTF-8 becomes a question mark."""
    try:
        kind = path.stat().st_mode
        if stat.S_ISDIR(kind) or not stat.S_ISREG(kind):
            raise UsageError(f"{path} can't be read: it is {'a folder' if stat.S_ISDIR(kind) else 'no plain file'}")
        if path.stat().st_size > MAX_BYTES:
            raise UsageError(f"{path} can't be read: it is larger than {MAX_BYTES >> 20} MiB")
        raw = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}") from None
    if not raw.strip():
        raise UsageError(f"{path} is empty")
    try:
        data = json.loads(raw, object_pairs_hook=each_key_once)
        return json.loads(json.dumps(data, ensure_ascii=False).encode("utf-8", "replace"))
    except KeyTwice as error:
        raise UsageError(f"{path} can't be read as JSON: {error}") from None
    except (ValueError, RecursionError):
        raise UsageError(f"{path} can't be read as JSON") from None


class KeyTwice(ValueError):
    pass


def each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """For `json.loads`, which would take the last of two scores. Raises `KeyTwice`."""
    data: dict[str, Any] = {}
    for key, value in pairs:
        if key in data:
            raise KeyTwice(f"the key {clean_text(key, 100)!r} stands twice in one place")
        data[key] = value
    return data


def result_from(data: dict[str, Any]) -> Result:
    if data["schema"] != SCHEMA or data["status"] not in get_args(Status):
        raise ValueError("another schema or status")
    is_graded = data["status"] == "graded"
    notes = [str(note) for note in data.get("notes", [])]
    return Result(
        status=data["status"],
        submission=str(data["submission"]),
        key=str(data["key"]),
        isolation=isolation_from(data["isolation"]),
        score=number(data["score"]) if is_graded else None,
        max_score=number(data["max_score"]),
        not_run=[str(part) for part in data["not_run"]],
        parts=[part_from(part) for part in data["parts"]],
        notes=[note for note in notes if not ABOUT_MACHINE.match(note)],
        about_machine=[note for note in notes if ABOUT_MACHINE.match(note)],
        error=without_paths(str(data.get("error", ""))),
        gpu=gpu_from(data.get("gpu")),
        commit=text_or_none(data.get("commit")),
        commit_time=text_or_none(data.get("commit_time")),
        graded_at=text_or_none(data.get("graded_at")),
        lab=text_or_none(data.get("lab")),
        python=text_or_none(data.get("python")),
    )


def isolation_from(data: dict[str, Any]) -> Isolation:
    if data["level"] not in get_args(Level):
        raise ValueError(f"the isolation {data['level']!r}")
    return Isolation(data["level"], [str(name) for name in data["missing"]])


def gpu_from(data: dict[str, Any] | None) -> dict[str, Any] | None:
    """Its keys that are read here."""
    if data is None:
        return None
    read = {"rehearsal": bool(data["rehearsal"]), "flags": [str(flag) for flag in data["flags"]]}
    return {**data, **read, "about": dict(data.get("about", {}))}


def text_or_none(value: object) -> str | None:
    """Older results lack what came later."""
    return clean_text(value, 100) if isinstance(value, str) and value else None


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
