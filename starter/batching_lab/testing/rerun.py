"""The sentence that says how to run a workload again, for a student to copy."""

from pathlib import Path

from batching_lab.harness import Workload


def run_again(workload: Workload, shown_folder: Path | str) -> str:
    """With the submission's folder unless it is the one that is taken anyway; a blank in it is quoted for any shell."""
    folder = str(shown_folder)
    command = workload.command()
    if folder != "starter":
        command += f' --submission "{folder}"' if " " in folder else f" --submission {folder}"
    return f"Run it again: {command}"
