"""Finds the one folder that holds a submission's files: what was handed in may have folders around it.

It sees names only, of a folder on the disk or of an archive's members.
"""

import os
import re
from collections import deque
from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path, PurePosixPath

from batching_lab.submission.files import REQUIRED
from grader.worker.text import clean_text

TOP = PurePosixPath()
HOME = "starter"  # where the lab itself keeps a submission
PASSED_OVER = {"__MACOSX", "__pycache__", "node_modules", "site-packages"}
OF_THE_LAB = {"batching_lab", "tests"}  # passed over, too, unless nothing else is found: a repository may be called so
PACKED = (".zip", ".gz", ".tgz", ".tar", ".7z", ".rar", ".xz", ".bz2")
MAX_DEPTH = 8
MAX_ENTRIES = 20_000
MAX_NAMES = 8  # in a sentence
MAX_CHARACTERS = 1000
CODE = {name for name in REQUIRED if name.endswith(".py")}
NO_FILES = "There are no files."


@dataclass(frozen=True)
class Entry:
    """Something that was handed in, by its path below the top; a link is none of the folders."""

    path: PurePosixPath
    is_folder: bool = False


@dataclass
class Found:
    """folder    the submission's, below the top; None: none holds it, or more than one does
    places    all folders that hold files of a submission, and which
    sentence  without a folder: what was found where
    notes     with one: what is to be said of it
    """

    folder: PurePosixPath | None
    places: dict[PurePosixPath, set[str]]
    sentence: str = ""
    notes: list[str] = field(default_factory=list)


def find_below(folder: Path, usual: Container[PurePosixPath] = (TOP,)) -> Found:
    """The submission's folder in a folder on the disk; no link is followed."""
    entries = entries_below(folder)
    found = find_submission(entries, usual)
    if len(entries) == MAX_ENTRIES:
        sentence = f"Only the first {MAX_ENTRIES} files and folders were looked at."
        found.sentence = f"{found.sentence} {sentence}".lstrip()
        found.notes.append(sentence)
    return found


def entries_below(folder: Path) -> list[Entry]:
    """The nearest first, in the order of their names; what can't be read is left out."""
    entries: list[Entry] = []
    todo = deque([TOP])
    while todo and len(entries) < MAX_ENTRIES:
        above = todo.popleft()
        try:
            with os.scandir(folder / above) as scan:
                children = sorted(islice(scan, MAX_ENTRIES - len(entries)), key=lambda child: child.name)
            new = [Entry(above / child.name, child.is_dir(follow_symlinks=False)) for child in children]
        except OSError:
            continue
        entries += new
        for entry in new:
            if entry.is_folder and not is_passed_over(entry.path):  # a crowd elsewhere does not keep us from `starter`
                todo.appendleft(entry.path) if entry.path.name == HOME else todo.append(entry.path)
    return entries


def find_submission(entries: Iterable[Entry], usual: Container[PurePosixPath] = (TOP,)) -> Found:
    """Choose among the folders that hold any of the three files; see `chosen`.

    usual  where a submission lies: nothing need be said of it, and what is there is graded whatever lies elsewhere
    """
    entries = [entry for entry in entries if entry.path != TOP and not is_passed_over(entry.path.parent)]
    places = places_of(entry for entry in entries if not OF_THE_LAB & {*entry.path.parent.parts}) or places_of(entries)
    folder = chosen(places) or only([place for place in places if place in usual and places[place] & CODE])
    if folder is None:
        return Found(None, places, clean_text(none_found(entries) if not places else too_many(places), MAX_CHARACTERS))
    others = {place: names for place, names in places.items() if place != folder}
    notes = [f"Graded: {shown(folder)}."] if folder not in usual or others else []
    if others:
        notes.append(f"Not graded: {listed([place_text(*other) for other in sorted(others.items())])}.")
    for name in REQUIRED:
        if name not in places[folder] and (
            near := [path.name for path in similar(entries, name) if path.parent == folder]
        ):
            notes.append(f"There is no {name}: {listed(near)} has another name.")
    return Found(folder, places, notes=[clean_text(note, MAX_CHARACTERS) for note in notes])


def places_of(entries: Iterable[Entry]) -> dict[PurePosixPath, set[str]]:
    """Each folder that holds files of a submission, and which."""
    places: dict[PurePosixPath, set[str]] = {}
    for entry in entries:
        if entry.path.name in REQUIRED and not entry.is_folder:
            places.setdefault(entry.path.parent, set()).add(entry.path.name)
    return places


def chosen(places: dict[PurePosixPath, set[str]]) -> PurePosixPath | None:
    """The folder in whose lab all others lie, with no file that it lacks: they are copies.

    The lab is what `starter` lies in, or else the folder itself. The lab's own `starter` comes before its top.
    """
    if not places:
        return None
    around_all = next(iter(places))
    for place in places:
        while not place.is_relative_to(around_all):
            around_all = around_all.parent
    names = set().union(*places.values())
    complete = [
        place
        for place in places
        if places[place] == names and around_all.is_relative_to(place.parent if place.name == HOME else place)
    ]
    return min(complete, key=lambda place: (place.name != HOME, len(place.parts)), default=None)


def only(places: list[PurePosixPath]) -> PurePosixPath | None:
    """The one place; None where there are several, or none."""
    return places[0] if len(places) == 1 else None


def is_passed_over(folder: PurePosixPath) -> bool:
    """What tools leave behind, and what lies too deep."""
    passed_over = [part for part in folder.parts if part in PASSED_OVER or part[0] == "."]
    return len(folder.parts) > MAX_DEPTH or bool(passed_over)


def none_found(entries: list[Entry]) -> str:
    """What was found instead, when nothing that could be graded was handed in."""
    if not entries:
        return NO_FILES
    if all(entry.is_folder for entry in entries):
        return f"No files were found, only folders: {listed(sorted(str(entry.path) for entry in entries))}."
    above, names = first_names(entries)
    where = "The top folder" if above == TOP else str(above)
    sentences = [f"No folder holds {', '.join(REQUIRED[:-1])} or {REQUIRED[-1]}.", f"{where} holds {listed(names)}."]
    if misnamed := [str(path) for name in REQUIRED for path in similar(entries, name)]:
        sentences.append(f"Not the right name: {listed(misnamed)}.")
    if any("\\" in str(entry.path) for entry in entries):
        sentences.append("Names hold backslashes: unpack the zip anew, with another program.")
    if packed := [str(entry.path) for entry in entries if entry.path.suffix.lower() in PACKED]:
        sentences.append(f"Not looked into: {listed(packed)}.")
    return " ".join(sentences)


def first_names(entries: list[Entry]) -> tuple[PurePosixPath, list[str]]:
    """The first folder that holds more than one other folder, and the names in it."""
    above = TOP
    while True:
        names: dict[str, bool] = {}
        for entry in entries:
            if entry.path != above and entry.path.is_relative_to(above):
                name, *more = entry.path.parts[len(above.parts) :]
                names[name] = names.get(name, False) or bool(more) or entry.is_folder
        if len(names) != 1 or not all(names.values()):
            return above, [f"{name}/" if is_folder else name for name, is_folder in sorted(names.items())]
        above /= next(iter(names))


def too_many(places: dict[PurePosixPath, set[str]]) -> str:
    """A sentence that names the folders."""
    return (
        f"{len(places)} folders hold files of a submission, and none was chosen: "
        f"{listed([place_text(*place) for place in sorted(places.items())])}. The three files must lie in one folder."
    )


def similar(entries: list[Entry], name: str) -> list[PurePosixPath]:
    """Files that are nearly named so: `Scheduler.py`, `scheduler (1).py`, `answers.toml.txt`."""
    files = [entry.path for entry in entries if not entry.is_folder and entry.path.name != name]
    return [path for path in files if path.name[0] != "." and letters(path.name) == letters(name)]


def letters(name: str) -> str:
    """A file's name as it is compared: its letters, without its ending."""
    return re.sub("[^a-z]", "", name.casefold().partition(".")[0])


def place_text(folder: PurePosixPath, names: set[str]) -> str:
    """A folder, and which of the required files it holds."""
    return f"{shown(folder)} ({', '.join(name for name in REQUIRED if name in names)})"


def shown(folder: PurePosixPath) -> str:
    """A folder's name, for a sentence."""
    return "the top folder" if folder == TOP else str(folder)


def listed(names: list[str]) -> str:
    """The first `MAX_NAMES` names, and how many more there are."""
    more = [f"and {len(names) - MAX_NAMES} more"] if len(names) > MAX_NAMES else []
    return ", ".join([*names[:MAX_NAMES], *more])
