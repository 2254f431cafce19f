"""Where everything lies, and what each folder takes part in: the keys, the bundle and the searches follow one table."""

import hashlib
from collections.abc import Iterable
from enum import Flag, auto
from importlib.util import find_spec
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
STARTER = ROOT / "starter"
SOLUTION = ROOT / "solution"
GRADER = ROOT / "grader"
RUBRIC = GRADER / "rubric.toml"
HIDDEN_TESTS = GRADER / "hidden"
RIGHT = GRADER / "proving" / "right"
WRONG = GRADER / "proving" / "wrong"
ATTACKS = GRADER / "proving" / "attacks"


def library() -> Path:
    """Where the library is imported from; nothing is imported here."""
    spec = find_spec("batching_lab")
    return Path(spec.origin).resolve().parent if spec and spec.origin else STARTER / "batching_lab"


LIBRARY = library()


class Use(Flag):
    """What the files of a folder take part in."""

    NOTHING = 0
    KEY = auto()  # they decide about points: every result's key changes with them
    GPU = auto()  # they decide about the GPU stage's points: its own digest changes with them
    REPORT = auto()  # the nightly report is about them, and older than them until it is made again
    BUNDLE = auto()  # a grader on another machine needs them: they are in Gradescope's zip
    SECRET = auto()  # students must not see them: a release is searched for what stands in them


GRADES = Use.KEY | Use.REPORT | Use.BUNDLE
LIBRARY_FOLDER = "starter/batching_lab"
# Folder or file -> its use. What is not named here has the use of the folder that it lies in. In digests and searches a
# folder stands for its code; data is in them only by its name: a folder may hold what somebody left there.
USES = {
    "solution": Use.GPU | Use.REPORT | Use.SECRET,
    "solution/answers.toml": Use.REPORT | Use.SECRET,
    "starter": Use.NOTHING,
    "starter/batching_lab": GRADES,
    "starter/batching_lab/__main__.py": Use.BUNDLE,
    "starter/batching_lab/timing": Use.GPU | Use.BUNDLE,
    "starter/batching_lab/reports": Use.BUNDLE,
    "starter/batching_lab/commands": Use.BUNDLE,
    "starter/batching_lab/testing": Use.BUNDLE,
    "starter/batching_lab/model/micro/config.json": GRADES,
    "starter/batching_lab/model/micro/model.safetensors": GRADES,
    "starter/batching_lab/model/timing": Use.GPU | Use.BUNDLE,
    "grader": Use.BUNDLE | Use.SECRET,
    "grader/rubric.toml": GRADES | Use.SECRET,
    "grader/paths.py": GRADES | Use.SECRET,
    "grader/options.py": GRADES | Use.SECRET,
    "grader/grading": GRADES | Use.SECRET,
    "grader/grading/report_rubric.toml": Use.BUNDLE | Use.SECRET,
    "grader/hidden": GRADES | Use.SECRET,
    "grader/hidden/pytest.ini": GRADES | Use.SECRET,
    "grader/worker": GRADES | Use.SECRET,
    "grader/gpu": Use.GPU | Use.BUNDLE | Use.SECRET,
    "grader/release": Use.SECRET,
    "grader/release/files": Use.NOTHING,
    "grader/export": Use.BUNDLE | Use.SECRET,
    "grader/export/actions.py": Use.SECRET,
    "grader/export/bundles.py": Use.SECRET,
    "grader/export/command.py": Use.SECRET,
    "grader/export/files": Use.BUNDLE,
    "grader/classroom": Use.SECRET,
    "grader/proving": Use.REPORT | Use.SECRET,
    "grader/proving/attacks/planted/pytest.ini": Use.REPORT | Use.SECRET,
    "grader/proving/equivalent_mutants.toml": Use.REPORT | Use.SECRET,
    "grader/proving/wrong/coverage.toml": Use.REPORT | Use.SECRET,
    "grader/proving/benchmarks": Use.SECRET,
    "grader/proving/fakes": Use.NOTHING,
    "grader/tools": Use.SECRET,
    "grader/tools/micro.py": Use.NOTHING,
    "grader/selftest": Use.NOTHING,
}


def use_of(name: str) -> Use:
    """The use of a file, or of a folder, of the lab: `name` is below ROOT, with slashes."""
    path = PurePosixPath(name)
    return next((USES[str(place)] for place in (path, *path.parents) if str(place) in USES), Use.NOTHING)


def files_for(use: Use) -> dict[str, Path]:
    """Name below ROOT -> where the file is, for code and data of this use; the library's is what was imported."""
    files = {}
    for place in USES:
        if use & USES[place]:
            top = where(place)
            for path in [top] if top.is_file() else top.rglob("*.py"):
                files[(PurePosixPath(place) / path.relative_to(top)).as_posix()] = path
    return {name: files[name] for name in sorted(files) if use & use_of(name)}


def where(place: str) -> Path:
    """Where a folder or file of the table lies."""
    if place.startswith(LIBRARY_FOLDER):
        return LIBRARY / PurePosixPath(place).relative_to(LIBRARY_FOLDER)
    return ROOT / place


def digest_for(use: Use) -> str:
    """Changes when any code or data of this use does; the same on every machine."""
    return digest((name, path.read_bytes()) for name, path in files_for(use).items())


def digest(files: Iterable[tuple[str, bytes]]) -> str:
    """One hash over names and contents."""
    total = hashlib.sha256()
    for name, content in files:
        total.update(f"{len(name)} {name} {len(content)}\n".encode())
        total.update(content)
    return total.hexdigest()
