"""The GPU stage's points, added to the results of the hidden tests: both have the same key."""

from grader.gpu.flags import gives_points, stage_code
from grader.grading.result import Result
from grader.options import UsageError


def no_points_because(of_gpu: Result) -> list[str]:
    """Why a result of the GPU stage is no grade: it must be run again. Empty: it is one."""
    assert of_gpu.gpu is not None
    if of_gpu.status != "graded":
        return ["it failed"]
    if of_gpu.gpu["rehearsal"]:
        return ["a rehearsal on the CPU"]
    if of_gpu.gpu["code"] != stage_code():
        return ["timed by another version of the stage"]
    return [flag for flag in of_gpu.gpu["flags"] if not gives_points(flag)]


def merge_gpu(results: dict[str, Result], of_gpu: dict[str, Result]) -> list[str]:
    """Add the GPU stage's points to the results with the same key; returns sentences about what was not added.

    The key is the submission's and the lab's. Who handed in the same files has the same key, but a time of their own.
    """
    for name, result in of_gpu.items():
        if result.gpu is None:
            raise UsageError(f"--gpu: the result of {name} is not one of the GPU stage")
        if result.gpu["rehearsal"]:
            raise UsageError(f"--gpu: the result of {name} is a rehearsal on the CPU, which gives no points")
    used: set[str] = set()
    without = []
    for student, result in results.items():
        if result.status == "not_submitted":
            continue  # nothing that could be timed
        same = [name for name, other in of_gpu.items() if other.key == result.key]
        if not same:
            result.notes.append("The GPU stage has no result of this submission.")
        else:
            used |= {*same}
            add_gpu_part(result, of_gpu[student if student in same else same[0]])
        if result.gpu is None:
            without.append(student)
    sentences = []
    if without:
        sentences.append(f"{len(without)} of {len(results)} get no points of the GPU stage: {', '.join(without)}")
    if len({machine_of(result) for result in of_gpu.values()}) > 1:
        sentences.append("the GPU stage's results come from different GPUs, models or versions")
    return sentences + [
        f"the GPU stage's result of {name} was not used: no result has its key (another submission, or another version "
        "of the lab)"
        for name in of_gpu
        if name not in used
    ]


def add_gpu_part(result: Result, of_gpu: Result) -> None:
    """Add it, or a note about why it is no grade. Raises `UsageError` if the part is there already."""
    assert of_gpu.gpu is not None
    if reasons := no_points_because(of_gpu):
        result.notes.append(f"The GPU stage must be run again on this submission: {', '.join(reasons)}.")
        return
    for part in of_gpu.parts:
        if part.part in {other.part for other in result.parts}:
            raise UsageError(f"--gpu: the result of {result.submission} has Part {part.part} already")
        result.add_part(part)
        result.not_run = [name for name in result.not_run if name != part.part]
    result.gpu = of_gpu.gpu
    result.notes += [f"GPU stage, flagged: {flag}." for flag in of_gpu.gpu["flags"]]
    if of_gpu.isolation.level != result.isolation.level:
        result.notes.append(f"GPU stage, isolation: {of_gpu.isolation.level}.")


def machine_of(result: Result) -> tuple[str, ...]:
    """GPU, model, dtype and PyTorch of a result: where these differ, times can't be compared."""
    about = (result.gpu or {}).get("about", {})
    return tuple(str(about.get(name)) for name in ("GPU", "model", "dtype", "PyTorch"))
