"""Renews a former release in place: the lab's files become the new ones, those that are there to be edited stay."""

import contextlib
import json
import re
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from grader.options import UsageError
from grader.release.build import EDITABLE, MANIFEST, MAY_BE_DELETED, SCHEMA, file_hash

NO_VERSION = re.compile(r"[^\w.-]+", re.ASCII)
MAX_VERSION = 40


@dataclass
class Former:
    """What the manifest of a former release says: path -> hash."""

    version: str
    lab_files: dict[str, str]
    editable_files: dict[str, str]


@dataclass
class Update:
    """What an update does: from which version to which, and paths, sorted by what becomes of them."""

    former: str
    version: str
    added: list[str] = field(default_factory=list)
    renewed: list[str] = field(default_factory=list)
    overwritten: list[str] = field(default_factory=list)  # the student had changed them
    removed: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)  # to be removed, but the student had changed them
    kept: list[str] = field(default_factory=list)  # to be edited, and the lab's own version is another one now

    def lines(self) -> list[str]:
        """What was done, a line each."""
        sentences = (
            ("added", self.added, ""),
            ("renewed", self.renewed, ""),
            ("overwritten", self.overwritten, ": it was not as it had been released"),
            ("removed", self.removed, ""),
            ("left", self.left, ": the release has it no more, but it was not as it had been released"),
            ("kept", self.kept, ": the release's own version has changed, the one here stays"),
        )
        done = [f"{what} {name}{why}" for what, names, why in sentences for name in names]
        if not self.has_changes:
            return [*done, f"nothing has changed: release {self.version}"]
        return [f"release {self.former} -> {self.version}", *done]

    @property
    def changed_files(self) -> list[str]:
        """What is no longer as it was."""
        return [*self.added, *self.renewed, *self.overwritten, *self.removed]

    @property
    def has_changes(self) -> bool:
        """Is anything no longer as it was?"""
        return bool(self.changed_files)


def load_former(folder: Path) -> Former:
    """Raises `UsageError` for a folder that is no release, and for a manifest that names what is not a release's.

    A student may have written it: what it says goes to the terminal, and into a pull request.
    """
    path = folder / MANIFEST
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        path.lstat()  # what may not be looked at is an error; `is_file` alone says from Python 3.14 on that it is none
    if path.is_symlink() or not path.is_file():
        raise UsageError(f"--update: {folder} is no former release: it has no {MANIFEST}")
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        schema = data["schema"]
        if schema != SCHEMA and schema.startswith(SCHEMA.rpartition("/")[0] + "/"):
            raise UsageError(f"--update: {path} is of another version of the lab's release tool")
        former = Former(NO_VERSION.sub("-", data["version"])[:MAX_VERSION], data["lab_files"], data["editable_files"])
        hashes = [*dict.values(former.lab_files), *dict.values(former.editable_files)]
        is_ours = schema == SCHEMA and all(type(value) is str for value in hashes)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        is_ours = False
    if not is_ours:
        raise UsageError(f"--update: {path} can't be read as the manifest of a release")
    for name in [*former.lab_files, *former.editable_files]:
        parts = PurePosixPath(name).parts
        is_odd = not name.isprintable() or set(name) & set('\\:*?"<>|')
        if not parts or name.startswith("/") or {"..", ".git"} & set(parts) or is_odd:
            raise UsageError(f"--update: {path} names {name!r}, which is no file of a release")
    return former


def update(files: dict[str, bytes], folder: Path) -> Update:
    """Write the new release over the former one. Nothing is touched if that can't be done."""
    former = load_former(folder)
    refuse_links(folder, [*files, *former.lab_files])
    done = Update(former.version, json.loads(files[MANIFEST])["version"])
    for name, content in files.items():
        path = folder / name
        if name in EDITABLE and (name in former.editable_files or path.exists()):
            if former.editable_files.get(name) != file_hash(content):
                done.kept.append(name)
            continue
        if name in MAY_BE_DELETED and name in former.lab_files and not path.exists():
            continue
        if path.exists():
            found = file_hash(path.read_bytes())
            if found == file_hash(content):
                continue
            known = name in former.lab_files and found == former.lab_files[name]
            (done.renewed if known or name == MANIFEST else done.overwritten).append(name)
        else:
            done.added.append(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    for name in former.lab_files:
        path = folder / name
        if name in files or name in EDITABLE or not path.is_file():
            continue
        if file_hash(path.read_bytes()) != former.lab_files[name]:
            done.left.append(name)
            continue
        path.unlink()
        done.removed.append(name)
        remove_empty(folder, path.parent)
    return done


def refuse_links(folder: Path, names: list[str]) -> None:
    """What stands where a file of the release goes must be a file, in folders that are folders."""
    for name in names:
        path = folder / name
        for place in [path, *path.parents]:
            if place == folder:
                break
            if place.is_symlink():
                raise UsageError(f"--update: {place} is a link; put the file or folder of the release there first")
            if place.exists() and not (place.is_file() if place == path else place.is_dir()):
                kind = "plain file" if place == path else "folder"
                raise UsageError(f"--update: {place} is no {kind}, and in the way of the release's {name}")


def remove_empty(folder: Path, place: Path) -> None:
    """Remove `place` and the folders above it, below `folder`, that hold nothing any more."""
    while place != folder and not any(place.iterdir()):
        place.rmdir()
        place = place.parent
