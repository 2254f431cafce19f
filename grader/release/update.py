"""Renews a former release in place: the lab's files become the new ones, those that are there to be edited stay."""

import json
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from grader.release.build import EDITABLE, MANIFEST, MAY_BE_DELETED, SCHEMA, file_hash
from grader.usage import UsageError


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
    kept: list[str] = field(default_factory=list)  # to be edited, and the lab's own version is another one now

    def lines(self) -> list[str]:
        sentences = (
            ("added", self.added, ""),
            ("renewed", self.renewed, ""),
            ("overwritten", self.overwritten, ": it was not as it had been released"),
            ("removed", self.removed, ""),
            ("kept", self.kept, ": the release's own version has changed, the one here stays"),
        )
        done = [f"{what} {name}{why}" for what, names, why in sentences for name in names]
        if not self.has_changes:
            return [*done, f"nothing has changed: release {self.version}"]
        return [f"release {self.former} -> {self.version}", *done]

    @property
    def changed_files(self) -> list[str]:
        return [*self.added, *self.renewed, *self.overwritten, *self.removed]

    @property
    def has_changes(self) -> bool:
        return bool(self.changed_files)


def load_former(folder: Path) -> Former:
    """Raises `UsageError` for a folder that is no release, and for a manifest that names what is not a release's."""
    path = folder / MANIFEST
    if path.is_symlink() or not path.is_file():
        raise UsageError(f"--update: {folder} is no former release: it has no {MANIFEST}")
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        former = Former(data["version"], dict(data["lab_files"]), dict(data["editable_files"]))
        is_ours = data["schema"] == SCHEMA
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        is_ours = False
    if not is_ours:
        raise UsageError(f"--update: {path} can't be read as the manifest of a release")
    for name in [*former.lab_files, *former.editable_files]:
        parts = PurePosixPath(name).parts
        if not parts or name.startswith("/") or {"..", ".git"} & set(parts) or set(name) & set('\\:*?"<>|\0'):
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
        if name not in files and name not in EDITABLE and (folder / name).is_file():
            (folder / name).unlink()
            done.removed.append(name)
            remove_empty(folder, (folder / name).parent)
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
            if place.exists() and place.is_dir() == (place == path):
                raise UsageError(f"--update: {place} is in the way of the release's {name}")


def remove_empty(folder: Path, place: Path) -> None:
    while place != folder and not any(place.iterdir()):
        place.rmdir()
        place = place.parent
