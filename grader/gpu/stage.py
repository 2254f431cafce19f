"""Grades Part 6-gpu of one submission: first right, then fast."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from batching_lab.errors import DeviceError, RuleViolation
from batching_lab.harness import DOOR, Mismatch, Workload
from batching_lab.model.devices import told
from batching_lab.model.judging.judge import BLOCK_RULES, serve_and_judge
from batching_lab.model.judging.shadow import find_kv_faults
from batching_lab.trace import Trace
from grader.gpu.cases import StageCase
from grader.gpu.clocks import ClockedRun
from grader.gpu.contestant import Contestant, new_contestant, reference
from grader.gpu.engine import Engine, describe, gpu_state
from grader.gpu.flags import Flag
from grader.gpu.stage_report import StageReport, WorkloadReport, first_report, num_computed_tokens
from grader.gpu.statistics import FULL_RATIO, NUM_PAIRS, NUM_QUICK_PAIRS, Measured, Round, measure
from grader.grading.feedback import is_submissions_fault, message_for, status_of
from grader.grading.grade import begun_result
from grader.grading.key import grading_key
from grader.grading.options import DEFAULT_OPTIONS, GradingOptions
from grader.grading.plugin import GraderError
from grader.grading.result import PartResult, Result, TestResult
from grader.grading.rubric import RubricTest, load_rubric
from grader.worker.faults import OutOfTime
from grader.worker.isolation import IsolationError
from grader.worker.sandbox import sandbox_for

PART = "6-gpu"
RIGHT = "gpu_right"
NO_SPEED_POINTS = "Not measured: no speed counts before gpu_right is passed."


@dataclass(frozen=True)
class StageOptions:
    """is_quick: two pairs instead of five, to try. say: is told what begins, for whoever waits."""

    is_quick: bool = False
    grading: GradingOptions = DEFAULT_OPTIONS
    say: Callable[[str], object] = lambda text: None


class SpeedFault(Exception):
    """A submission that was right did something wrong while it was timed."""


def grade_on_gpu(folder: Path, engine: Engine, options: StageOptions) -> tuple[Result, StageReport]:
    """The stage for one submission: its result, and what was found out beside the points.

    On a processor nobody gets points for it: a rehearsal. Whatever keeps the submission from being graded, a broken GPU
    say, is a `grader_error` in the result; nothing is raised.
    """
    rubric = load_rubric()
    part = rubric[PART]
    report = StageReport(
        about=describe(engine),
        is_rehearsal=engine.is_rehearsal,
        is_quick=options.is_quick,
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        state_before=gpu_state(),
        flags=[Flag.QUICK.word] if options.is_quick else [],
    )
    not_run = [other.id for other in rubric.values() if other.id != PART or report.is_rehearsal]
    result = begun_result(folder, 0.0 if report.is_rehearsal else part.points, not_run)
    start = time.monotonic()
    try:
        with sandbox_for(folder, options.grading.isolation) as (sandbox, notes), reference(options.grading) as baseline:
            result.isolation, result.notes = sandbox.isolation, list(notes)
            if grading_key(sandbox.submission) != result.key:
                raise GraderError("the submission changed while it was graded")
            limits = options.grading.limits
            student = new_contestant(sandbox, limits, limits.part_seconds or part.seconds)
            tests = Stage(engine, student, baseline, options, report).run()
    except (GraderError, IsolationError, DeviceError) as error:
        result.status, result.error = "grader_error", str(error)
        return result, report
    except Exception as error:  # the GPU's, say: nothing that a submission did
        result.status, result.error = "grader_error", f"{type(error).__name__}: {told(error)}"
        return result, report
    report.seconds = time.monotonic() - start
    report.state_after = gpu_state()
    if report.is_rehearsal:
        tests = [without_points(test) for test in tests]
        result.notes.append("A rehearsal on the CPU: everything but the points. No time of a processor is graded.")
    score = sum(test.score for test in tests)
    result.parts = [PartResult(PART, part.title, score, result.max_score, tests)]
    result.score = score
    return result, report


def solution_rounds(engine: Engine, case: StageCase, number: int) -> list[Round]:
    """Rounds in which the solution is the student, too: what differs is this machine's noise."""
    options = StageOptions(grading=GradingOptions(isolation="best"))
    with reference(options.grading) as student, reference(options.grading) as baseline:
        report = StageReport({}, engine.is_rehearsal, False, "")
        stage = Stage(engine, student, baseline, options, report)
        first = first_report(case)
        return [stage.run_round(case, first, count) for count in range(number)]


def without_points(test: TestResult) -> TestResult:
    """The same result in a rehearsal: for 0 of 0 points."""
    return TestResult(test.id, 0.0, 0.0, test.status, test.message, test.duration_s)


class Stage:
    """One submission's way through the stage."""

    def __init__(
        self, engine: Engine, student: Contestant, baseline: Contestant, options: StageOptions, report: StageReport
    ) -> None:
        self.engine = engine
        self.student = student
        self.baseline = baseline
        self.options = options
        self.report = report
        self.tests = {test.id: test for test in load_rubric()[PART].tests}

    def run(self) -> list[TestResult]:
        """A result for each test of the rubric."""
        results = {RIGHT: self.check_right()}
        self.student = self.student.with_new_budget()  # what was right is not lost by being slow
        for case, report in zip(self.engine.cases, self.report.workloads, strict=True):
            if results[RIGHT].status == "passed":
                try:
                    results[case.test_id] = self.check_speed(case, report)
                except SpeedFault as fault:
                    results[RIGHT] = self.failed(RIGHT, fault.__cause__ or fault, case, 0.0)
        if results[RIGHT].status != "passed":
            for case in self.engine.cases:
                test = self.tests[case.test_id]
                results[test.id] = TestResult(test.id, 0.0, test.points, "not_run", NO_SPEED_POINTS, 0.0)
        return [results[test_id] for test_id in self.tests]

    def check_right(self) -> TestResult:
        """Every workload: the loop's checks, the number of ticks, the shadow KV, the logits."""
        start = time.monotonic()
        test = self.tests[RIGHT]
        self.report.workloads = [first_report(case) for case in self.engine.cases]
        for case, report in zip(self.engine.cases, self.report.workloads, strict=True):
            self.options.say(f"{case.name}: is it right?")
            try:
                self.check_case(case, report)
            except Exception as error:
                return self.failed(RIGHT, error, case, time.monotonic() - start)
        return TestResult(RIGHT, test.points, test.points, "passed", "", round(time.monotonic() - start, 3))

    def check_case(self, case: StageCase, report: WorkloadReport) -> None:
        """Raises what a submission's fault raises."""
        broken: RuleViolation | None = None
        with self.student.harness() as lab:
            try:
                trace = lab.serve(case.workload)  # without a model: many ticks cost no GPU time
            except RuleViolation as violation:
                if violation.rule not in BLOCK_RULES:
                    raise
                broken = violation  # the run with the model tells what was read in the wrong place
            else:
                report.ticks = trace.num_ticks
                require_same_work(trace, report, "")
        with self.student.harness() as lab:
            judged = serve_and_judge(
                lab, case.workload, self.engine.llama, reference=self.engine.reference, graphs=self.engine.graphs
            )
        report.largest_logit_gap = judged.largest_gap
        require_same_work(judged.trace, report, "With the model the ")
        if broken is not None:
            raise broken

    def check_speed(self, case: StageCase, report: WorkloadReport) -> TestResult:
        """Measure one case and give its points. Raises `SpeedFault` if it was not right in a timed run."""
        start = time.monotonic()
        test = self.tests[case.test_id]
        num_pairs = NUM_QUICK_PAIRS if self.options.is_quick else NUM_PAIRS
        try:
            measured = measure(
                lambda number: self.run_round(case, report, number),
                num_pairs,
                most_series=1 if self.engine.is_rehearsal else 2,
                out_of_time=OutOfTime,
            )
        except OutOfTime as error:
            return self.failed(test.id, error, case, time.monotonic() - start)
        report.measured = measured
        if case is self.engine.cases[0]:
            self.time_own_static(case)
        self.note_flags(report)
        seconds, share, told = round(time.monotonic() - start, 3), measured.series.share, speed_text(measured)
        if self.engine.is_rehearsal:
            return TestResult(test.id, 0.0, test.points, "not_run", told, seconds)
        if share == 1.0:
            return TestResult(test.id, test.points, test.points, "passed", "", seconds)
        message = "" if self.options.grading.feedback == "none" else f"{told} Rule: {test.rule} Hint: {test.hint}"
        return TestResult(test.id, round(test.points * share, 2), test.points, "failed", message, seconds)

    def run_round(self, case: StageCase, report: WorkloadReport, number: int) -> Round:
        """Student, reference and static baseline, one right after the other; in odd rounds the other way round."""
        self.options.say(f"{case.name}: round {number + 1}")
        systems = {
            "student": lambda: self.time_student(case, report),
            "reference": lambda: self.time_baseline(case.workload),
            "static": lambda: self.time_baseline(case.static),
        }
        seconds = {}
        for name in systems if number % 2 == 0 else reversed(systems):
            run = systems[name]()
            run.log.ticks.clear()  # judged, where need be
            report.runs.setdefault(name, []).append(run)
            seconds[name] = run.seconds
        return Round(**seconds)

    def time_student(self, case: StageCase, report: WorkloadReport) -> ClockedRun:
        """A timed run, judged afterwards from its log. Raises `SpeedFault` if it was not right."""
        try:
            run = self.student.timed(self.engine, case.workload)
            require_same_work(run.trace, report, "With the model the ")
            for fault in find_kv_faults(run.log, case.workload.jobs):
                raise fault.violation()
        except OutOfTime:
            raise
        except Exception as error:
            if not is_submissions_fault(error):
                raise
            raise SpeedFault from error
        return run

    def time_baseline(self, workload: Workload) -> ClockedRun:
        """A run of the solution. What goes wrong there is no submission's fault."""
        try:
            return self.baseline.timed(self.engine, workload)
        except Exception as error:
            raise GraderError(f"the reference failed: {type(error).__name__}: {error}") from error

    def time_own_static(self, case: StageCase) -> None:
        """The student's own gain, continuous over static: of interest, and worth no points."""
        self.options.say(f"{case.name}: the student's own static batching")
        try:
            own = self.student.with_new_budget()  # nothing that is worth no points may cost any
            self.report.own_static = own.timed(self.engine, case.static)
            self.report.own_static.log.ticks.clear()
        except Exception as error:
            if not is_submissions_fault(error):
                raise
            message = message_for(error, self.tests[RIGHT], case.static, self.options.grading.feedback)
            self.report.own_static_fault = message or "It failed."

    def note_flags(self, report: WorkloadReport) -> None:
        """Note what speaks against the times that were measured."""
        assert report.measured is not None
        if report.measured.is_noisy and not self.engine.is_rehearsal:
            self.report.flags.append(Flag.NOISY.on(report.name))
        if not report.measured.series.has_room:
            self.report.flags.append(Flag.NO_ROOM.on(report.name))
        if any(run.is_impossible for runs in report.runs.values() for run in runs):
            self.report.flags.append(Flag.IMPOSSIBLE_TIME.on(report.name))

    def failed(self, test_id: str, error: BaseException, case: StageCase, seconds: float) -> TestResult:
        """The result for a submission's fault; any other error is the grader's own, and goes on."""
        if not is_submissions_fault(error):
            raise error
        test = self.tests[test_id]
        hinted = self.tests[case.test_id] if isinstance(error, OutOfTime) else test
        message = message_for(error, about(hinted, case), case.workload, self.options.grading.feedback)
        return TestResult(test.id, 0.0, test.points, status_of(error), message, round(seconds, 3))


def about(test: RubricTest, case: StageCase) -> RubricTest:
    """The test, with a hint that names the workload."""
    return RubricTest(test.id, test.part, test.points, test.rule, f"{test.hint} (Workload {case.name}.)")


def require_same_work(trace: Trace, report: WorkloadReport, when: str) -> None:
    """Raise `Mismatch` unless as many ticks computed as many tokens as by the rules, for all requests."""
    if trace.refused:
        raise Mismatch(f"{when or 'The '}workload {report.name}: {trace.refused[0]} was refused.", DOOR)
    for what, got, wanted in (
        ("takes {} ticks", trace.num_ticks, report.reference_ticks),
        ("computes {} tokens", num_computed_tokens(trace), report.reference_tokens),
    ):
        if got != wanted:  # no numbers: a submission could choose them, to tell what it has seen
            told = what.format("more" if got > wanted else "fewer")
            raise Mismatch(f"{when or 'The '}workload {report.name} {told} than by the rules.")


def speed_text(measured: Measured) -> str:
    """The sentence that tells the student how fast it was."""
    series = measured.series
    return (
        f"{series.ratio:.2f} of the reference's speed (full points take {FULL_RATIO:g}; static batching has "
        f"{series.static_ratio:.2f})."
    )
