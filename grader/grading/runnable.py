"""Which parts this machine can run: Part 6 needs PyTorch."""

import importlib.util

from grader.grading.rubric import Part, load_rubric

MODEL_PART = "6-cpu"
MODEL_PACKAGES = ("torch", "numpy", "safetensors")


def not_runnable(part_id: str) -> str:
    """Why this machine can't run a part, one sentence; "" if it can. Imports nothing."""
    missing = [name for name in MODEL_PACKAGES if importlib.util.find_spec(name) is None]
    if part_id != MODEL_PART or not missing:
        return ""
    return f"Part {part_id} can't be run here: it needs {', '.join(missing)} (pip install -e '.[model]')."


def runnable_parts() -> list[Part]:
    """Those with hidden tests that can be run here, in the rubric's order."""
    return [part for part in load_rubric().values() if part.has_hidden_tests and not not_runnable(part.id)]
