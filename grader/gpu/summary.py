"""What the GPU stage measured: as text, and for the result's file."""

from typing import Any

from batching_lab.tables import PERCENTILES, format_table
from grader.gpu.clocks import ClockedRun
from grader.gpu.flags import flag_of
from grader.gpu.stage import NO_SPEED_POINTS
from grader.gpu.stage_report import StageReport, WorkloadReport
from grader.grading.report import STATUS_WORDS, isolation_sentence, score_table
from grader.grading.result import Result


def stage_text(result: Result, report: StageReport) -> str:
    """The whole report: what ran where, speeds, where the time went, flags, points."""
    if result.status == "grader_error":
        return score_table(result)
    lines = [", ".join(f"{name} {value}" for name, value in (report.about | report.state_before).items())]
    if report.state_not_told:
        lines.append(f"nvidia-smi does not tell: {', '.join(report.state_not_told)}.")
    lines.append("")
    measured = [workload for workload in report.workloads if workload.measured is not None]
    lines += [tick_table(report.workloads), ""]
    if measured:
        lines += [speed_table(measured), "", time_table(measured), "", latency_table(measured), ""]
        lines += [own_gain(report, measured[0]), ""]
    lines += [f"Flag {flag}: {flag_of(flag).meaning}." for flag in report.flags]
    lines += [rehearsal_text(result) if report.is_rehearsal else score_table(result)]
    lines.append(f"{report.seconds:.0f} s. Times hold for this machine only.")
    return "\n".join(lines)


def rehearsal_text(result: Result) -> str:
    """Outcomes without points."""
    lines = []
    for test in result.parts[0].tests:
        status = (
            "rehearsed" if test.status == "not_run" and test.message != NO_SPEED_POINTS else STATUS_WORDS[test.status]
        )
        lines.append(f"{test.id}: {status}. {test.message}".rstrip())
    return "\n".join([*lines, "", *result.notes, isolation_sentence(result.isolation)])


def tick_table(workloads: list[WorkloadReport]) -> str:
    """The steps, which no noise touches."""
    rows = [
        (
            workload.name,
            str(workload.num_requests),
            str(workload.num_slots),
            "-" if workload.ticks is None else str(workload.ticks),
            str(workload.reference_ticks),
            str(workload.static_ticks),
            "-" if not workload.ticks else f"{workload.static_ticks / workload.ticks:.2f}",
            "-" if workload.largest_logit_gap is None else f"{workload.largest_logit_gap:.4f}",
        )
        for workload in workloads
    ]
    heading = (
        "workload",
        "requests",
        "slots",
        "ticks",
        "by the rules",
        "static",
        "static / student",
        "largest logit gap",
    )
    return format_table(heading, rows)


def speed_table(workloads: list[WorkloadReport]) -> str:
    """Output tokens a second, and the ratios within the rounds."""
    rows = []
    for workload in workloads:
        assert workload.measured is not None
        series = workload.measured.series
        rows.append(
            (
                workload.name,
                *(f"{median_run(workload, name).tokens_per_second:.0f}" for name in ("student", "reference", "static")),
                f"{series.ratio:.3f}",
                f"{series.static_ratio:.3f}",
                f"{series.spread:.1%}",
                str(len(series.rounds)),
            )
        )
    heading = (
        "output tokens/s",
        "student",
        "reference",
        "static",
        "student / reference",
        "static / reference",
        "spread",
    )
    return format_table((*heading, "pairs"), rows)


def time_table(workloads: list[WorkloadReport]) -> str:
    """Where a tick's time goes, on average, in microseconds."""
    rows = []
    for workload in workloads:
        for name in ("student", "reference", "static"):
            run = median_run(workload, name)
            parts = (
                run.seconds,
                run.gpu_seconds,
                run.executor_seconds,
                run.scheduler_seconds,
                run.hidden_seconds,
                run.channel_seconds,
                run.loop_seconds,
            )
            cells = ["-" if part is None else f"{1e6 * part / run.trace.num_ticks:.0f}" for part in parts]
            floor = "-" if run.floor_seconds is None else f"{1e6 * run.floor_seconds / run.trace.num_ticks:.0f}"
            rows.append(
                (f"{workload.name}, {name}", *cells, f"{run.scheduling_share:.1%}", floor, f"{slots_used(run):.0%}")
            )
    heading = (
        "us a tick",
        "all",
        "GPU",
        "executor",
        "scheduler",
        "hidden",
        "channel",
        "loop",
        "scheduler + channel",
        "bytes' floor",
    )
    return format_table((*heading, "slots used"), rows)


def latency_table(workloads: list[WorkloadReport]) -> str:
    """Milliseconds to the first token, and between tokens."""
    rows = []
    for workload in workloads:
        for name in ("student", "reference", "static"):
            percentiles = median_run(workload, name).percentiles_ms
            cells = [f"{value:.1f}" for what in ("TTFT", "inter-token latency") for value in percentiles.get(what, [])]
            rows.append((f"{workload.name}, {name}", *cells))
    heading = [f"{what} p{percent}" for what in ("TTFT", "between tokens") for percent in PERCENTILES]
    return format_table(("ms", *heading), rows)


def own_gain(report: StageReport, workload: WorkloadReport) -> str:
    """The gain on this hardware beside the gain in ticks."""
    if report.own_static is None:
        return f"The student's own static batching was not timed: {report.own_static_fault}"
    mine = median_run(workload, "student")
    in_time = report.own_static.seconds / mine.seconds
    in_ticks = report.own_static.trace.num_ticks / mine.trace.num_ticks
    return (
        f"The student's own static batching takes {in_time:.2f} times as long as the continuous on {workload.name}, "
        f"and {in_ticks:.2f} times as many ticks."
    )


def median_run(workload: WorkloadReport, name: str) -> ClockedRun:
    """The run of the student, the reference or the static baseline that took the median time."""
    runs = sorted(workload.runs[name], key=lambda run: run.seconds)
    return runs[len(runs) // 2]


def slots_used(run: ClockedRun) -> float:
    """Share of the slots that were in use, 0 to 1."""
    return run.trace.slot_utilization or 0.0


def details(report: StageReport) -> dict[str, Any]:
    """Everything measured, for the result's file."""
    return {
        "about": report.about,
        "code": report.code,
        "rehearsal": report.is_rehearsal,
        "quick": report.is_quick,
        "started": report.started,
        "seconds": round(report.seconds, 1),
        "flags": report.flags,
        "state_before": report.state_before,
        "state_after": report.state_after,
        "state_not_told": report.state_not_told,
        "workloads": [workload_details(workload) for workload in report.workloads],
        "own_static": None if report.own_static is None else run_details(report.own_static),
    }


def workload_details(report: WorkloadReport) -> dict[str, Any]:
    """One workload's entry in the result's file."""
    data: dict[str, Any] = {
        "name": report.name,
        "requests": report.num_requests,
        "slots": report.num_slots,
        "ticks": {"student": report.ticks, "reference": report.reference_ticks, "static": report.static_ticks},
        "static_ticks_to_student_ticks": None if not report.ticks else report.static_ticks / report.ticks,
        "largest_logit_gap": report.largest_logit_gap,
        "runs": {name: [run_details(run) for run in runs] for name, runs in report.runs.items()},
    }
    if report.measured is not None:
        series = report.measured.series
        data["speed"] = {
            "ratio": series.ratio,
            "static_ratio": series.static_ratio,
            "spread": series.spread,
            "ratios": series.ratios,
            "noisy": report.measured.is_noisy,
            "series": report.measured.num_series,
            "share_of_points": series.share,
        }
    return data


def run_details(run: ClockedRun) -> dict[str, Any]:
    """One run's entry in the result's file; times in seconds, but `percentiles_ms`."""
    return {
        "ticks": run.trace.num_ticks,
        "output_tokens": run.trace.num_output_tokens,
        "preemptions": run.trace.num_preemptions,
        "recomputed_tokens": run.trace.num_recomputed_tokens,
        "slot_utilization": run.trace.slot_utilization,
        "kv_utilization": run.trace.kv_utilization,
        "seconds": run.seconds,
        "gpu_seconds": run.gpu_seconds,
        "executor_seconds": run.executor_seconds,
        "scheduler_seconds": run.scheduler_seconds,
        "hidden_seconds": run.hidden_seconds,
        "channel_seconds": run.channel_seconds,
        "loop_seconds": run.loop_seconds,
        "floor_seconds": run.floor_seconds,
        "tokens_per_second": run.tokens_per_second,
        "percentiles_ms": run.percentiles_ms,
    }
