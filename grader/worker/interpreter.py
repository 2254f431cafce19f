"""The interpreter that runs the workers: what they must reach of it, and a copy where their user can't."""

import atexit
import contextlib
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from grader.worker import reach
from grader.worker.isolation import IsolationError
from grader.worker.temporary import temporary_folder

INVENTORY_SECONDS = 60
SYSTEM_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache")
UNTIL_EXIT = contextlib.ExitStack()
atexit.register(UNTIL_EXIT.close)
OTHER_PLACES = ("/tmp", "/var/tmp", "/dev/shm")
NOT_COPIED = (*reach.NOT_NEEDED, "config-*", "*.opt-?.pyc")


@dataclass(frozen=True)
class Interpreter:
    """What a worker must be able to read, and where.

    folders         the standard library
    shared_objects  what its modules load from elsewhere than the system's libraries, under each of its names
    faults          files of it that can't be loaded on this machine at all: a system without some library
    home            of a copy of it; None: the interpreter as it was installed
    """

    prefixes: tuple[Path, ...]
    folders: tuple[Path, ...]
    shared_objects: tuple[Path, ...]
    faults: frozenset[str]
    home: Path | None = None

    def readable(self) -> list[Path]:
        """The library's entries, without what is installed beside it, and the shared objects."""
        entries = [path for folder in self.folders for path in folder.iterdir()]
        return [*(path for path in entries if path.name not in reach.PACKAGES), *self.shared_objects]

    def environment(self) -> dict[str, str]:
        """By which it finds a copy of its library."""
        return {} if self.home is None else {"PYTHONHOME": str(self.home), "LD_LIBRARY_PATH": str(self.home / "lib")}


def executable() -> Path:
    """The interpreter itself, behind all links."""
    return Path(sys.executable).resolve()


@functools.cache
def installed() -> Interpreter:
    """As the interpreter itself tells: its path may lead through links, its libraries may lie anywhere."""
    command = [str(executable()), "-I", "-S", "-B", "-X", "utf8", "-W", "ignore", reach.__file__]
    try:
        done = subprocess.run(
            command, env={}, stdin=subprocess.DEVNULL, capture_output=True, timeout=INVENTORY_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise IsolationError(f"The interpreter {executable()} can't list its own library: {error}.") from None
    said = json.loads(done.stdout.rpartition(b"\n")[2])
    prefixes, folders, needs = (tuple(map(Path, said[name])) for name in ("prefixes", "folders", "needs"))
    elsewhere = [path for path in needs if not any(map(path.is_relative_to, SYSTEM_LIBRARIES))]
    shared_objects = [name for path in elsewhere for name in names_of(path)]
    return Interpreter(prefixes, folders, tuple(shared_objects), frozenset(said["faults"]))


def names_of(path: Path) -> list[Path]:
    """With the links beside it: a shared object is asked for by one of them."""
    return [path, *(other for other in path.parent.iterdir() if other.is_symlink() and other.resolve() == path)]


def open_to_others() -> Interpreter:
    """The interpreter, or a copy of its library, that every user can read: it may lie in a closed home."""
    interpreter = installed()
    is_open = all(is_open_tree(folder) for folder in interpreter.folders)
    return interpreter if is_open and all(map(is_open_file, interpreter.shared_objects)) else copied()


def is_open_to_others(path: Path) -> bool:
    """Can every user get there? A link leads through the folders of what it names, too."""
    for step in [path, *path.parents]:
        if not step.stat().st_mode & 0o001:
            return False
        if step.is_symlink() and not is_open_to_others(step.parent / step.readlink()):
            return False
    return True


def is_open_file(path: Path) -> bool:
    """Can every user read a file, and get to it?"""
    return bool(path.stat().st_mode & 0o004) and is_open_to_others(path.resolve().parent)


def is_open_tree(folder: Path) -> bool:
    """May every user read all of a library?"""
    if not is_open_to_others(folder):
        return False
    for where, names, files in os.walk(folder):
        names[:] = [name for name in names if name not in reach.NOT_NEEDED]
        paths = [path for name in files if name.endswith((".py", ".so")) and (path := Path(where, name)).exists()]
        if not all(Path(where, name).stat().st_mode & 0o005 == 0o005 for name in names):
            return False
        if not all(is_open_file(path) if path.is_symlink() else path.stat().st_mode & 0o004 for path in paths):
            return False
    return True


@functools.cache
def copied() -> Interpreter:
    """A copy of the library that lives as long as this process, for it and for those that it forks."""
    interpreter = installed()
    home = UNTIL_EXIT.enter_context(temporary_folder(place_for_a_copy()))
    folders = []
    for folder in interpreter.folders:
        prefix = next(prefix for prefix in interpreter.prefixes if prefix in folder.parents)
        to = home / folder.relative_to(prefix)
        ignored = shutil.ignore_patterns(*NOT_COPIED)
        shutil.copytree(folder, to, ignore=ignored, copy_function=link_or_copy, ignore_dangling_symlinks=True)
        folders.append(to)
    shared_objects = [
        path if is_open_file(path) else copy_shared_object(path, home / "lib") for path in interpreter.shared_objects
    ]
    for where, _, _ in os.walk(home):
        Path(where).chmod(0o755)
    return Interpreter((home,), tuple(folders), tuple(shared_objects), interpreter.faults, home)


def copy_shared_object(path: Path, folder: Path) -> Path:
    """Copy it into the folder; returns where it lies then."""
    folder.mkdir(exist_ok=True)
    link_or_copy(str(path), str(folder / path.name))
    return folder / path.name


def place_for_a_copy() -> Path:
    """Shared objects are run from there, and a colon would part its name in the worker's environment."""
    reasons = []
    for place in dict.fromkeys([Path(tempfile.gettempdir()).resolve(), *map(Path, OTHER_PLACES)]):
        if not (place.is_dir() and os.access(place, os.W_OK)):
            continue
        if os.statvfs(place).f_flag & os.ST_NOEXEC:
            reasons.append(f"{place} is mounted noexec")
        elif not is_open_to_others(place):
            reasons.append(f"not every user can enter {place}")
        elif os.pathsep in str(place):
            reasons.append(f"{place} has a colon in its name")
        else:
            return place
    raise IsolationError(
        f"The worker's user can't read the interpreter in {installed().prefixes[0]}, and there is no place for a copy: "
        f"{'; '.join(reasons)}. Set TMPDIR to a folder that every user may enter and that programs may be run from."
    )


def link_or_copy(file: str, to: str) -> None:
    """A hundred times as fast as copying, where both lie on one disk."""
    if Path(file).stat().st_mode & 0o004 and not Path(file).is_symlink():
        with contextlib.suppress(OSError):
            os.link(file, to)
            return
    shutil.copy2(file, to)  # with its time: by that its bytecode is known
    Path(to).chmod(0o644)
