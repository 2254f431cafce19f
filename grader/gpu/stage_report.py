"""What the GPU stage found out beside giving points; summary.py makes text and JSON of it."""

from dataclasses import dataclass, field

from batching_lab.harness import Harness
from batching_lab.submission.loading import Submission
from batching_lab.trace import Trace
from grader.gpu.cases import StageCase
from grader.gpu.clocks import ClockedRun
from grader.gpu.engine import not_told
from grader.gpu.flags import stage_code
from grader.gpu.statistics import Measured
from grader.paths import SOLUTION


@dataclass
class WorkloadReport:
    """What was found out about one workload; None or empty where the stage did not get so far."""

    name: str
    num_requests: int
    num_slots: int
    reference_ticks: int
    reference_tokens: int
    static_ticks: int
    ticks: int | None = None
    largest_logit_gap: float | None = None
    measured: Measured | None = None
    runs: dict[str, list[ClockedRun]] = field(default_factory=dict)


@dataclass
class StageReport:
    """What the stage did beside giving points.

    own_static  the student's own static scheduler on the first workload
    code        the digest of the stage's own code
    """

    about: dict[str, str]
    is_rehearsal: bool
    is_quick: bool
    started: str
    workloads: list[WorkloadReport] = field(default_factory=list)
    own_static: ClockedRun | None = None
    own_static_fault: str = ""
    flags: list[str] = field(default_factory=list)
    state_before: dict[str, str] = field(default_factory=dict)
    state_after: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    code: str = field(default_factory=stage_code)

    @property
    def state_not_told(self) -> list[str]:
        """What the GPU's state lacks; a processor has none."""
        return [] if self.is_rehearsal else not_told(self.state_before)


def num_computed_tokens(trace: Trace) -> int:
    """Recomputed ones included."""
    return sum(sum(tick.num_scheduled_tokens.values()) for tick in trace.ticks)


def first_report(case: StageCase) -> WorkloadReport:
    """With what needs no submission: the ticks by the rules, and those of static batching."""
    lab = Harness(Submission(SOLUTION))
    trace = lab.serve(case.workload)
    return WorkloadReport(
        name=case.name,
        num_requests=len(case.workload.jobs),
        num_slots=case.workload.config.max_num_seqs,
        reference_ticks=trace.num_ticks,
        reference_tokens=num_computed_tokens(trace),
        static_ticks=lab.serve(case.static).num_ticks,
    )
