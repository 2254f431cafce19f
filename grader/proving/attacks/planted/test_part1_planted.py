"""Hidden tests of Part 1 for the attacks, with numbers that no output may show: 918273 and 70001."""

from batching_lab import Job, Request, SchedulerConfig
from batching_lab.harness import Harness, require

SECRET = Request("A", (918273, 5), 70001, eos_token_id=918273)


def test_planted_run(lab: Harness) -> None:
    """A run with arrivals, an abort and an early end."""
    jobs = [
        Job(SECRET, output_len=3),
        Job(Request("B", (7,), 2)),
        Job(Request("C", (7, 8, 9), 1)),
        Job(Request("D", (7,), 5), arrival=1, abort_at=2),
    ]
    lab.expect(
        "continuous",
        jobs,
        max_num_seqs=2,
        ticks="""
        1  A:2 B
        2  A B
        3  A C:3
        """,
    )


def test_planted_calls(lab: Harness) -> None:
    """Single calls, without an abort."""
    scheduler = lab.scheduler("continuous", SchedulerConfig(max_num_seqs=1))
    scheduler.add_request(SECRET)
    require(scheduler.has_unfinished(), "has_unfinished() is false, but A is waiting")
    require(scheduler.schedule().num_scheduled_tokens == {"A": 2}, "schedule() does not run A")
    require(scheduler.update({"A": 5}) == [], "update() names somebody")
    require(scheduler.schedule().num_scheduled_tokens == {"A": 1}, "schedule() does not run A again")
    require(scheduler.update({"A": 918273}) == ["A"], "update() does not name A")
    require(not scheduler.has_unfinished(), "has_unfinished() is true, but nobody is left")
