"""What `python -m grader gpu-check` writes: results.json and RESULTS.md."""

import datetime
import json
import platform
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grader.gpu.engine import Engine, describe, gpu_state
from grader.grading.result import write_atomically
from grader.paths import Use, digest_for
from grader.proving.markdown_table import markdown_table


class Results:
    """Runs the sections, keeps what they found and said, and writes both files after each: nothing is lost if it stops.

    data      for results.json: title of a section -> what it returned
    lines     of RESULTS.md
    failures  titles of the sections that raised something
    """

    def __init__(self, engine: Engine, out: Path) -> None:
        self.engine = engine
        self.out = out
        self.data: dict[str, Any] = {
            "date": datetime.date.today().isoformat(),
            "code": code_digest(),
            "about": describe(engine) | gpu_state() | {"Python": platform.python_version()},
        }
        self.lines = [
            "# What `make gpu-check` measured",
            "",
            f"{self.data['date']}, code {self.data['code'][:12]}. Made by the script; don't edit.",
            "",
            *(f"- {name}: {value}" for name, value in self.data["about"].items()),
        ]
        self.failures: list[str] = []
        self.is_broken = False  # CUDA remembers an error: nothing works after it

    @property
    def missed(self) -> list[str]:
        """The goals that were not met."""
        return [what for what, goal in self.data.get("goals", {}).items() if goal["verdict"] == "missed"]

    def section(self, title: str, run: Callable[[], Any]) -> None:
        """Keep what `run` returns. A section that breaks is told, and does not keep the others from running."""
        start = time.monotonic()
        self.lines += ["", f"## {title}", ""]
        try:
            require(not self.is_broken, "not run: CUDA broke in a section before this one")
            self.data[title] = run()
            self.engine.synchronize()
        except Exception as error:
            traceback.print_exc()
            self.note_failure(title, error)
        print(f"{title}: {time.monotonic() - start:.1f} s", flush=True)
        self.write()

    def note_failure(self, title: str, error: Exception) -> None:
        """Tell it in both files, and find out whether CUDA still works."""
        self.failures.append(title)
        self.data[title] = {"error": f"{type(error).__name__}: {error}"}
        told = f"Failed: {type(error).__name__}: {' '.join(str(error).split())[:300]}"
        self.lines += [told] if self.lines[-1] == "" else ["", told]
        try:
            self.engine.synchronize()
        except RuntimeError:
            self.is_broken = True

    def table(self, heading: tuple[str, ...], rows: list[tuple[Any, ...]]) -> None:
        """A table in RESULTS.md."""
        self.lines += markdown_table(heading, rows)

    def goal(self, what: str, value: float, is_met: bool) -> None:
        """A goal that is missed fails nothing. On a processor there are none."""
        verdict = "no goal on a processor" if self.engine.is_rehearsal else "met" if is_met else "missed"
        self.lines += ["", f"Goal: {what}: {value:.3g}, {verdict}."]
        self.data.setdefault("goals", {})[what] = {"value": value, "verdict": verdict}

    def write(self) -> None:
        """Both files, each whole or not at all."""
        write_atomically(self.out / "results.json", json.dumps(self.data, indent=1) + "\n")
        write_atomically(self.out / "RESULTS.md", "\n".join(self.lines) + "\n")


def require(condition: bool, what: str) -> None:
    """What must hold. Raises `AssertionError`: the section has failed, and keeps the table that it has made."""
    if not condition:
        raise AssertionError(what)


def code_digest() -> str:
    """Changes when anything does that the results are about."""
    return digest_for(Use.GPU | Use.KEY)
