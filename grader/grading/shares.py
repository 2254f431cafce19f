"""Shares the parts of one grading out among processes, and ends those with the one that grades."""

import multiprocessing
import os
import signal
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from grader.grading.options import GradingOptions
from grader.grading.plugin import GraderError
from grader.grading.rubric import Part
from grader.grading.run_tests import SandboxRun, run_in_sandbox
from grader.worker.sandbox import check_own_limits, prepare_sandboxes
from grader.worker.temporary import remove_leftovers


def run_parts(folder: Path, parts: list[Part], options: GradingOptions, processes: int) -> list[SandboxRun]:
    """All tests of the parts, shared out among so many processes; each has its own sandbox."""
    check_own_limits()
    shares = share_out(parts, processes)
    if len(shares) < 2:
        return [run_in_sandbox(folder, share, options) for share in shares]
    prepare_sandboxes(options.isolation)
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(len(shares), context, initializer=be_a_share, initargs=(os.getpid(),)) as pool:
        try:
            futures = [pool.submit(run_in_sandbox, folder, share, options) for share in shares]
            return [future.result() for future in futures]
        except BaseException as error:  # interrupted, or one share has failed: nobody waits for the others
            end_shares()
            if isinstance(error, BrokenProcessPool):
                raise GraderError("a process of the grader's own was killed") from None
            raise


def be_a_share(parent: int) -> None:
    """A process of the pool: it ends with the one that grades, which alone hears Ctrl-C."""
    from grader.worker.lockdown import die_with_parent

    die_with_parent(parent)
    signal.signal(signal.SIGINT, lambda number, frame: None)  # the workers would inherit that it is ignored
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def end_shares() -> None:
    """Their workers end with them; their folders are removed here, where no signal comes in between."""
    shares = multiprocessing.active_children()
    for share in shares:
        share.kill()
    for share in shares:
        share.join()
    remove_leftovers()


def share_out(parts: list[Part], num_shares: int) -> list[list[Part]]:
    """The parts in shares that take about as long, by the time that the rubric gives them."""
    shares: list[list[Part]] = [[] for _ in range(num_shares)]
    for part in sorted(parts, key=lambda part: -part.seconds):
        min(shares, key=lambda share: sum(part.seconds for part in share)).append(part)
    return [share for share in shares if share]
