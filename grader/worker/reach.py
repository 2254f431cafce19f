"""What the standard library consists of, and what of it can't be loaded: run by itself, and in a worker.

It is copied beside child.py. Run by itself it says, as JSON, what the interpreter reaches that no lockdown holds back.
"""

import importlib.machinery
import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any

PACKAGES = ("site-packages", "dist-packages")  # what is installed beside the standard library
NOT_NEEDED = (*PACKAGES, "test", "idlelib", "tkinter", "turtledemo", "ensurepip")
SKIPPED_EXTENSIONS = ("_test", "_tkinter", "_ctypes_test", "xx")
MAPS = Path("/proc/self/maps")


def out_of_reach(folders: list[str]) -> dict[str, str]:
    """File of the standard library that can't be read or, if it is a shared object, not loaded -> why not."""
    faults: dict[str, str] = {}

    def note(path: str, error: BaseException) -> None:
        faults[os.path.relpath(path, folder)] = f"{type(error).__name__}: {error}"

    for folder in folders:
        for where, names, files in os.walk(folder, onerror=lambda error: note(error.filename, error)):
            names[:] = [name for name in names if name not in (*NOT_NEEDED, "__pycache__")]
            for name in files:
                path = os.path.join(where, name)  # noqa: PTH118 - a thousand times
                try:
                    if name.endswith(".so") and not name.startswith(SKIPPED_EXTENSIONS):
                        load(name.partition(".")[0], where)
                    elif name.endswith((".py", ".pyc")):
                        os.close(os.open(path, os.O_RDONLY))
                except (OSError, ImportError) as error:
                    note(path, error)
    return faults


def load(name: str, folder: str) -> None:
    """Load an extension module, and the shared objects that it needs, without making it importable."""
    spec = importlib.machinery.PathFinder.find_spec(name, [folder])
    if spec is not None:
        importlib.util.module_from_spec(spec)


def library_folders(path: list[str]) -> list[str]:
    """Those of these folders that are there and lie in no other of them."""
    folders = [Path(folder) for folder in path if Path(folder).is_dir()]
    return [str(folder) for folder in folders if not set(folder.parents) & {*folders}]


def inventory() -> dict[str, Any]:
    """Of an interpreter that was started with -I and -S: its folders, what they load from elsewhere, what fails."""
    folders = library_folders(sys.path)
    faults = out_of_reach(folders)
    with MAPS.open(encoding="utf-8", errors="surrogateescape") as maps:
        mapped = {line.rstrip("\n").split(None, 5)[5] for line in maps if "/" in line}
    needs = [name for name in sorted(mapped) if ".so" in Path(name).name and not name.startswith(tuple(folders))]
    prefixes = [sys.base_prefix, sys.base_exec_prefix]
    return {"prefixes": prefixes, "folders": folders, "needs": needs, "faults": faults}


if __name__ == "__main__":
    sys.stdout.write("\n" + json.dumps(inventory()))
