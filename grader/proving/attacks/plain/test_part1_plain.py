"""Tests as many a lab has them: the submission is imported, and what it returns compared with ==."""

from batching_lab import Request, Schedule, SchedulerConfig

TICKS = [Schedule({"A": 1}), Schedule({"A": 1})]


def test_plain_ticks() -> None:
    from scheduler import ContinuousScheduler  # type: ignore[import-not-found, unused-ignore]

    scheduler = ContinuousScheduler(SchedulerConfig(2))
    scheduler.add_request(Request("A", (1,), 2))
    assert scheduler.schedule() == TICKS[0]
    assert scheduler.update({"A": 7}) == []
    assert scheduler.schedule() == TICKS[1]
    assert scheduler.update({"A": 7}) == ["A"]
    scheduler.abort("A")


def test_plain_limits() -> None:
    from scheduler import ContinuousScheduler

    config = SchedulerConfig(1)
    scheduler = ContinuousScheduler(config)
    for request_id in "ABC":
        scheduler.add_request(Request(request_id, (1,), 2))
    assert 1 <= len(scheduler.schedule().num_scheduled_tokens) <= config.max_num_seqs
