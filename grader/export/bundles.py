"""What is uploaded to a platform so that it grades by itself."""

from pathlib import Path

from grader.grading.origin import LAB_VERSION, lab_version
from grader.paths import ROOT, Use, use_of
from grader.release.build import deterministic_zip, release_files, requirements
from grader.sources import lab_files

FILES = Path(__file__).with_name("files")
GRADING = ("grader", "starter/batching_lab")  # the folders, of which it takes what `grader.paths` says


def classroom50_bundle() -> dict[str, bytes]:
    """The files of CLASSROOM/autograders/ASSIGNMENT/. They can be read by everybody: public tests only."""
    files = release_files()
    names = ("autograde.py", "lab.zip", "requirements.txt")
    bundle = {name: files[f".github/{name}"] for name in names}
    bundle["autograder.py"] = (FILES / "classroom50_autograder.py").read_bytes()
    return bundle


def gradescope_bundle(allow_weak_isolation: bool) -> bytes:
    """The zip with setup.sh and run_autograder. It holds the hidden tests; students can't read it on Gradescope."""
    options = b"--allow-weak-isolation" if allow_weak_isolation else b""
    content = {
        "setup.sh": (FILES / "setup.sh").read_bytes(),
        "run_autograder": (FILES / "run_autograder").read_bytes().replace(b"{options}", options),
        "requirements.txt": grading_requirements().encode(),
        LAB_VERSION.relative_to(ROOT).as_posix(): (lab_version() or "").encode(),
    }
    content.update((name, (ROOT / name).read_bytes()) for name in grading_files())
    return deterministic_zip(content, executable=("setup.sh", "run_autograder"))


def grading_requirements() -> str:
    """With what isolates the worker: without it nobody gets a score."""
    pyproject, pins = ((ROOT / name).read_text(encoding="utf-8") for name in ("pyproject.toml", "constraints.txt"))
    return requirements(pyproject, pins, extra="grader")


def grading_files() -> list[str]:
    """Names of the files that a grader on another machine needs."""
    return [name for name in lab_files(ROOT, GRADING) if Use.BUNDLE in use_of(name)]
