"""The results of a class: a folder of result files, as `grade --json` and class runs write them."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from grader.grading.result import Foreign, Result, load_result
from grader.options import UsageError
from grader.worker.text import clean_text

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
    """Is there the file of which this one is a half-written part?"""
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


def student_name(path: Path, root: Path) -> str:
    """The file's path below the folder, without its ending."""
    name = path.parent.relative_to(root).as_posix() if path.stem == "result" and path.parent != root else path.stem
    return name.encode("utf-8", "replace").decode()  # a name that is no UTF-8 could not be written
