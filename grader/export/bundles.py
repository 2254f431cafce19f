"""What is uploaded to a platform so that it grades by itself."""

from collections.abc import Iterator
from pathlib import Path

from grader.origin import LAB_VERSION, lab_version
from grader.release.build import ROOT, deterministic_zip, is_left_out, release_files, requirements

FILES = Path(__file__).with_name("files")
NOT_FOR_GRADING = {"selftest", "right", "wrong", "attacks", "examples", "bench.py"}


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
    content.update((path.relative_to(ROOT).as_posix(), path.read_bytes()) for path in grading_files())
    return deterministic_zip(content, executable=("setup.sh", "run_autograder"))


def grading_requirements() -> str:
    """With what isolates the worker: without it nobody gets a score."""
    pyproject, pins = ((ROOT / name).read_text(encoding="utf-8") for name in ("pyproject.toml", "constraints.txt"))
    return requirements(pyproject, pins, extra="grader")


def grading_files() -> Iterator[Path]:
    for folder in ("grader", "starter/batching_lab"):
        for path in sorted((ROOT / folder).rglob("*")):
            below = path.relative_to(ROOT)
            if path.is_file() and not is_left_out(below) and not NOT_FOR_GRADING & set(below.parts):
                yield path
