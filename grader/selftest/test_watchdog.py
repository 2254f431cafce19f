"""The watchdog that ends what doesn't end by itself."""

import subprocess
import sys

import pytest

from batching_lab.testing.watchdog import EndlessLoop, Watchdog
from grader.paths import ROOT


def never() -> None:
    raise AssertionError("gave up")


def test_an_endless_loop_is_ended_and_nothing_is_left_behind() -> None:
    for _ in range(5):
        watchdog = Watchdog(0.01, never)
        with pytest.raises(EndlessLoop):
            while True:
                pass
        watchdog.disarm()
    assert sum(range(100_000)) == 4_999_950_000  # an exception on its way would come here


def test_it_works_under_a_profiler() -> None:
    """A debugger, a profiler and coverage all trace, and Python 3.11 hung here."""
    code = (
        "import cProfile\n"
        "from batching_lab.testing.watchdog import EndlessLoop, Watchdog\n"
        "def wait(seconds):\n"  # not in the `try`: Python 3.13 leaves a loop's jump back out of it
        "    while seconds < 1: pass\n"
        "def run():\n"
        "    for seconds in (60, 0.01, 60):\n"
        "        watchdog = Watchdog(seconds, lambda: None)\n"
        "        try:\n"
        "            wait(seconds)\n"
        "        except EndlessLoop: print('ended')\n"
        "        finally: watchdog.disarm()\n"
        "cProfile.Profile().runcall(run)\n"
        "print('over')\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, env={"PYTHONPATH": str(ROOT / "starter")}, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.split() == ["ended", "over"], done.stderr
