"""`python -m grader gpu`: grade Part 6-gpu of one submission."""

import argparse
import sys
from pathlib import Path

from batching_lab.errors import DeviceError, ModelError
from grader.gpu.merge import no_points_because
from grader.grading.key import grading_key
from grader.grading.options import grading_options
from grader.grading.result import load_result, write_atomically
from grader.options import UsageError, add_grading_options

DEFAULT_MODELS = {"cuda": "smollm2", "cpu": "micro"}
GRADED, GRADER_ERROR = 0, 3


def main(arguments: list[str]) -> int:
    """Carry out `python -m grader gpu`; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m grader gpu")
    parser.description = (
        "Part 6-gpu: the submission's scheduler drives a real model on CUDA, is checked, and is timed beside the "
        "solution and static batching."
    )
    parser.epilog = (
        "With --device cpu: a rehearsal with everything but the points. grader/README.md says what the hardware must "
        "be, how long it takes and what the flags mean. Exit status: 0 when the submission was graded, whatever its "
        "score; 2 for wrong usage and for a machine without CUDA; 3 when the grader itself failed. "
        "Example: python -m grader gpu solution --device cpu"
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="the submission")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda", help="default: cuda")
    parser.add_argument(
        "--model", metavar="NAME|DIR", help="default: smollm2 on cuda, micro on cpu; smollm2-random needs no weights"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the result there")
    parser.add_argument(
        "--resume", action="store_true", help="do nothing if FILE holds a score of this submission already"
    )
    parser.add_argument("--quick", action="store_true", help="two pairs instead of five: to try, not to grade")
    add_grading_options(parser)
    return run_gpu(parser.parse_args(arguments))


def run_gpu(options: argparse.Namespace) -> int:
    """Load, grade, write, print; returns the exit status. Raises `UsageError`."""
    if not options.folder.is_dir():
        raise UsageError(f"there is no submission folder {options.folder}")
    require_submission(options.folder)
    if options.json is not None:
        require_writable(options.json)
        if options.resume and is_graded(options.json, options.folder):
            print(f"{options.json} holds a score of this submission already.")
            return GRADED
    elif options.resume:
        raise UsageError("--resume needs --json FILE")
    try:
        from grader.gpu.engine import load_engine  # imports PyTorch, which only this command needs

        engine = load_engine(options.device, options.model or DEFAULT_MODELS[options.device])
    except DeviceError as error:
        return cannot_load(options.device, error)
    except ModelError as error:
        raise UsageError(str(error)) from None
    except RuntimeError as error:  # out of memory, say
        return cannot_load(options.device, error)
    from grader.gpu.stage import StageOptions, grade_on_gpu
    from grader.gpu.summary import details, stage_text

    stage_options = StageOptions(
        is_quick=options.quick,
        grading=grading_options(options),
        say=show_progress if sys.stderr.isatty() else lambda text: None,
    )
    result, report = grade_on_gpu(options.folder, engine, stage_options)
    result.gpu = details(report)
    if sys.stderr.isatty():
        show_progress("")
    try:
        if result.status == "grader_error" and options.json is not None and is_graded(options.json, options.folder):
            print(f"grader: {options.json} keeps the score that it holds", file=sys.stderr)
        elif options.json is not None:
            write_atomically(options.json, result.to_json() + "\n")
    except OSError as error:
        raise UsageError(f"can't write the result: {error}") from None
    print(stage_text(result, report))
    return GRADED if result.status == "graded" else GRADER_ERROR


def cannot_load(device: str, error: Exception) -> int:
    """Say so; returns the exit status of a grader's own fault."""
    from batching_lab.model.devices import told

    print(f"grader: the model can't be loaded on {device}: {told(error)}", file=sys.stderr)
    return GRADER_ERROR


def require_submission(folder: Path) -> None:
    """Raise `UsageError` if this is another folder than the submission's, a repository's root say."""
    names = ("scheduler.py", "kv_allocator.py")
    if not any((folder / name).is_file() for name in names):
        where = next((f"; did you mean {path.parent}?" for path in sorted(folder.glob(f"*/{names[0]}"))), "")
        raise UsageError(f"{folder} holds neither {names[0]} nor {names[1]}{where}")


def require_writable(path: Path) -> None:
    """Before anything takes time. Raises `UsageError`."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder; wanted is the name of a file")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"can't write {path}: {error.strerror}") from None


def is_graded(path: Path, folder: Path) -> bool:
    """Does a file hold a grade of the same submission, by the same version of the lab?"""
    if not path.exists():
        return False
    result = load_result(path)
    return result.gpu is not None and not no_points_because(result) and result.key == grading_key(folder)


def show_progress(text: str) -> None:
    """Write over the line of the terminal that told of progress before."""
    print(f"\r{text:<60}\r", end="", file=sys.stderr, flush=True)
