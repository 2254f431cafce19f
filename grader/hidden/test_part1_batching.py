"""Part 1: static and continuous batching with slots only, and abort.

Each call of `lab.expect` says what is given (policy, jobs, limits), then the ticks that follow. A job `A=6+4/9@2~5`: a
prompt of 6, output 4 of at most 9, arrival after tick 2, abort after tick 5 (only `A=4`: a prompt of 1). A tick
`3  A B:6`: A computes one token, then B six; `idle`: nobody anything.
"""

from batching_lab import Job, Request, SchedulerConfig
from batching_lab.difference import parse_ticks
from batching_lab.harness import Harness, Policy, require, require_raises
from batching_lab.schedule import Schedule
from grader.hidden.direct import decide, name_of, what_differs
from grader.hidden.random_runs import check_random_runs
from grader.hidden.workloads import SLOTS_ONLY

BOTH: tuple[Policy, ...] = ("static", "continuous")
TOKEN = 7  # ends nobody's output


def request(request_id: str, prompt_len: int, max_tokens: int) -> Request:
    return Request(request_id, (1,) * prompt_len, max_tokens)


class Direct:
    """A scheduler that a test calls directly, tick by tick."""

    def __init__(self, lab: Harness, policy: Policy, max_num_seqs: int) -> None:
        self.policy = policy
        self.scheduler = lab.scheduler(policy, SchedulerConfig(max_num_seqs=max_num_seqs))

    def add(self, request_id: str, prompt_len: int, max_tokens: int, what: str = "of a new id") -> None:
        try:
            self.scheduler.add_request(request(request_id, prompt_len, max_tokens))
        except ValueError as error:
            require(False, f"{self.policy} batching: add_request {what} raised {name_of(error)}")

    def add_refused(self, request_id: str, what: str) -> None:
        again = request(request_id, 3, 3)
        require_raises(
            ValueError, lambda: self.scheduler.add_request(again), f"{self.policy} batching: add_request {what}"
        )

    def abort(self, request_id: str, what: str) -> None:
        try:
            self.scheduler.abort(request_id)
        except (KeyError, ValueError) as error:
            require(False, f"{self.policy} batching: abort {what} raised {name_of(error)}")

    def tick(self, ran: str, finished: str, when: str, sampled: str | None = None) -> None:
        """`ran` as in a table of ticks, `finished` the ids that it ends, `sampled` the ids in another order."""
        schedule = self.scheduler.schedule()
        difference = what_differs(parse_ticks(f"1 {ran}")[0], schedule)
        require(not difference, f"{self.policy} batching, {when}: {difference}")
        names = sampled.split() if sampled else schedule.num_scheduled_tokens
        require(
            self.scheduler.update(dict.fromkeys(names, TOKEN)) == finished.split(),
            f"{self.policy} batching, {when}: update() did not return exactly the sequences that finished, "
            "in schedule order",
        )

    def end(self) -> None:
        require(
            not self.scheduler.has_unfinished(),
            f"{self.policy} batching: has_unfinished() is true, but nothing is waiting or running",
        )


def test_static_slot_stays_empty(lab: Harness) -> None:
    """Static batching leaves the slot of a finished sequence empty until the whole batch is done."""
    lab.expect(
        "static",
        "A=2,B=4,C=1,D=2",
        max_num_seqs=2,
        ticks="""
        1  A B
        2  A B
        3  B
        4  B
        5  C D
        6  D
        """,
    )


def test_static_partial_batch(lab: Harness) -> None:
    """Static batching starts with those who are there, also when they fill only some of the slots."""
    lab.expect(
        "static",
        "A=2,B=1,C=1@2",
        max_num_seqs=4,
        ticks="""
        1  A B
        2  A
        3  C
        """,
    )


def test_static_arrivals_wait(lab: Harness) -> None:
    """Who arrives during a static batch waits for its end, even beside an empty slot, and is then taken in order."""
    lab.expect(
        "static",
        "A=4,D=2@1,B=1@1,C=1@2",
        max_num_seqs=2,
        ticks="""
        1  A
        2  A
        3  A
        4  A
        5  D B
        6  D
        7  C
        """,
    )


def test_static_prompts(lab: Harness) -> None:
    """A static batch computes whole prompts in its first tick, which yields the first tokens too."""
    lab.expect(
        "static",
        "A=1+3,B=5+2,C=3+1",
        max_num_seqs=2,
        ticks="""
        1  A B:5
        2  A B
        3  A
        4  C:3
        """,
    )


def test_static_abort_slot_stays_empty(lab: Harness) -> None:
    """Static batching leaves the slot of an aborted sequence empty until the whole batch is done."""
    lab.expect(
        "static",
        "A=4,B=4~1,C=1",
        max_num_seqs=2,
        ticks="""
        1  A B
        2  A
        3  A
        4  A
        5  C
        """,
    )


def test_static_abort_of_whole_batch(lab: Harness) -> None:
    """When the last sequences of a static batch are aborted, the next batch starts at that same boundary."""
    lab.expect(
        "static",
        "A=3~1,B=3~1,C=2,D=1@1",
        max_num_seqs=2,
        ticks="""
        1  A B
        2  C D
        3  C
        """,
    )


def test_continuous_slot_is_refilled(lab: Harness) -> None:
    """Continuous batching gives the slot of a finished sequence away at the very next boundary."""
    lab.expect(
        "continuous",
        "A=5,B=2,C=1,D=2",
        max_num_seqs=2,
        ticks="""
        1  A B
        2  A B
        3  A C
        4  A D
        5  A D
        """,
    )


def test_continuous_fills_all_free_slots(lab: Harness) -> None:
    """Continuous batching fills all free slots at one boundary, however many there are."""
    lab.expect(
        "continuous",
        "A=1,B=4,C=1,D=2,E=2,F=1",
        max_num_seqs=3,
        ticks="""
        1  A B C
        2  B D E
        3  B D E
        4  B F
        """,
    )


def test_continuous_order_of_admission(lab: Harness) -> None:
    """Running sequences are scheduled in the order of their admission, before those who are just admitted."""
    lab.expect(
        "continuous",
        "A=1,B=3,C=3,D=1",
        max_num_seqs=2,
        ticks="""
        1  A B
        2  B C
        3  B C
        4  C D
        """,
    )


def test_continuous_first_come_first_served(lab: Harness) -> None:
    """A free slot goes to the first of the queue: not to a shorter one, nor to one who arrives at that boundary."""
    lab.expect(
        "continuous",
        "Z=2,M=3,K=2@1,A=1@2,B=1@2",
        max_num_seqs=2,
        ticks="""
        1  Z M
        2  Z M
        3  M K
        4  K A
        5  B
        """,
    )


def test_continuous_prompts_join_decodes(lab: Harness) -> None:
    """Whole prompts are computed in the same tick as the running sequences' next tokens, at the first boundary."""
    lab.expect(
        "continuous",
        "A=2+4,B=4+2@1,C=3+1@2",
        max_num_seqs=3,
        ticks="""
        1  A:2
        2  A B:4
        3  A B C:3
        4  A
        """,
    )


def test_idle_ticks(lab: Harness) -> None:
    """Ticks without work count, at the start and in the middle of a run, under both schedulers."""
    for policy in BOTH:
        lab.expect(
            policy,
            "A=1@2,B=2@4",
            max_num_seqs=2,
            rule=f"Under {policy} batching, a tick in which nothing has arrived yet is idle, and it counts.",
            ticks="""
            1  idle
            2  idle
            3  A
            4  idle
            5  B
            6  B
            """,
        )


def test_early_eos(lab: Harness) -> None:
    """A sequence ends with its end-of-sequence token or with token number max_tokens, whichever comes first."""
    for policy in BOTH:
        lab.expect(
            policy,
            "A=2/6,B=3+1/4,C=3/3,D=1/1",
            max_num_seqs=1,
            rule=f"Under {policy} batching, a sequence ends with its EOS token or with token number max_tokens.",
            ticks="""
            1  A
            2  A
            3  B:3
            4  C
            5  C
            6  C
            7  D
            """,
        )


def test_eos_token_ids(lab: Harness) -> None:
    """Only a request's own end-of-sequence token ends its output, and only among the generated tokens."""
    jobs = [
        Job(Request("A", (0, 5, 0), 5, eos_token_id=0), output_len=3),
        Job(Request("B", (3,), 4)),
        Job(Request("C", (5,), 4, eos_token_id=50_256), output_len=2),
    ]
    for policy in BOTH:
        lab.expect(
            policy,
            jobs,
            max_num_seqs=3,
            rule=f"Under {policy} batching, only a generated EOS token, the request's own, ends the output.",
            ticks="""
            1  A:3 B C
            2  A B C
            3  A B
            4  B
            """,
        )


def test_abort_running(lab: Harness) -> None:
    """The slot of an aborted running sequence is free at the boundary of the abort; the last abort ends the run."""
    lab.expect(
        "continuous",
        "A1=5~2,B=3,C=2,D1=9~4",
        max_num_seqs=2,
        ticks="""
        1  A1 B
        2  A1 B
        3  B C
        4  C D1
        """,
    )


def test_abort_waiting(lab: Harness) -> None:
    """An aborted waiting request leaves the queue, wherever it stands there, and the others keep their order."""
    for policy in BOTH:
        lab.expect(
            policy,
            "A=2,B=2~1,C=1,D=1~1,E=1,F=3@3~3",
            max_num_seqs=1,
            rule=f"Under {policy} batching, an aborted request leaves the queue, and the others keep their order.",
            ticks="""
            1  A
            2  A
            3  C
            4  E
            """,
        )


def test_abort_of_nobody(lab: Harness) -> None:
    """To abort an id that is unknown, finished or aborted already is no error and changes nothing."""
    for policy in BOTH:
        direct = Direct(lab, policy, max_num_seqs=2)
        direct.abort("X", "of an unknown id")
        direct.tick("idle", "", "with nothing to do")
        direct.add("A", 1, 1)
        direct.add("B", 2, 2)
        direct.add("C", 1, 1)
        direct.abort("C", "of a waiting id")
        direct.abort("C", "of an id that was aborted already")
        direct.abort("X", "of an unknown id")
        direct.tick("A B:2", "A", "after aborts of ids that are not there")
        direct.abort("A", "of an id that has finished")
        direct.tick("B", "B", "after the abort of an id that has finished")
        direct.abort("B", "of an id that has finished")
        direct.end()


def test_duplicate_id(lab: Harness) -> None:
    """An id that is waiting or running is refused with ValueError, and the refusal changes nothing."""
    for policy in BOTH:
        direct = Direct(lab, policy, max_num_seqs=1)
        direct.add("A", 1, 2)
        direct.add("B", 2, 1)
        direct.add_refused("A", "of an id that is first in the queue")
        direct.add_refused("B", "of an id that is in the queue")
        direct.tick("A", "", "after a refused id")
        direct.add_refused("A", "of an id that is running")
        direct.tick("A", "A", "after a refused id")
        direct.tick("B:2", "B", "after a refused id")
        direct.end()


def test_id_comes_again(lab: Harness) -> None:
    """An id that has finished or was aborted may come again: as a new request, at the end of the queue."""
    for policy in BOTH:
        direct = Direct(lab, policy, max_num_seqs=1)
        direct.add("A", 1, 2)
        direct.add("B", 1, 1)
        direct.add("C", 1, 1)
        direct.tick("A", "", "in the first tick")
        direct.abort("B", "of a waiting id")
        direct.tick("A", "A", "after the abort of a waiting id")
        direct.add("B", 2, 1, "of an id that was aborted while waiting")
        direct.add("A", 3, 2, "of an id that has finished")
        direct.tick("C", "C", "after ids that had left came again")
        direct.tick("B:2", "B", "when an id that was aborted while waiting runs again")
        direct.tick("A:3", "", "when an id that had finished runs again")
        direct.abort("A", "of a running id")
        direct.tick("idle", "", "after the abort of the only sequence")
        direct.add("A", 2, 1, "of an id that was aborted while running")
        direct.tick("A:2", "A", "when an id that was aborted while running runs again")
        direct.end()
        direct.add("A", 1, 1)
        direct.add("B", 1, 1)
        direct.abort("A", "of a waiting id")
        direct.add("A", 2, 1, "of an id that was aborted at the same boundary")
        direct.tick("B", "B", "when an id that was aborted came again at the same boundary, behind another")
        direct.tick("A:2", "A", "when an id that was aborted came again at the same boundary, behind another")
        direct.end()


def test_many_requests(lab: Harness) -> None:
    """Eleven hundred requests and a thousand and fifty slots, all used, under both schedulers."""
    ids = [f"r{number}" for number in range(1100)]
    for policy in BOTH:
        lab.expect(
            policy,
            ",".join(f"{request_id}=1" for request_id in ids),
            max_num_seqs=1050,
            rule=f"Under {policy} batching max_num_seqs is the only limit of slots, and the queue has no limit.",
            ticks=f"1 {' '.join(ids[:1050])}\n2 {' '.join(ids[1050:])}",
        )


def test_update_order(lab: Harness) -> None:
    """update() names the finished sequences in schedule order, whatever the order of the sampled tokens."""
    for policy in BOTH:
        direct = Direct(lab, policy, max_num_seqs=3)
        direct.add("C", 1, 1)
        direct.add("A", 1, 2)
        direct.add("B", 1, 1)
        direct.tick("C A B", "C B", "with the sampled tokens in another order", sampled="B A C")
        direct.tick("A", "A", "when two of three have finished")
        direct.end()


def test_schedulers_are_independent(lab: Harness) -> None:
    """Two schedulers of one submission know nothing of each other."""
    policies: tuple[Policy, Policy] = ("static", "continuous")
    for policy in policies:
        first, second = lab.scheduler(policy, SchedulerConfig(1)), lab.scheduler(policy, SchedulerConfig(1))
        first.add_request(request("A", 1, 2))
        require(not second.has_unfinished(), f"{policy}: a request shows in another scheduler")
        second.add_request(request("A", 3, 1))
        decide(second, Schedule({"A": 3}), "a scheduler beside which there is another")
        decide(first, Schedule({"A": 1}), "a scheduler beside which there is another")


def test_random_static_slots(lab: Harness) -> None:
    """Random workloads under static batching with slots only, at every tick."""
    check_random_runs(lab, (w for w in SLOTS_ONLY if w.policy == "static"))


def test_random_continuous_slots(lab: Harness) -> None:
    """Random workloads under continuous batching with slots only, at every tick."""
    check_random_runs(lab, (w for w in SLOTS_ONLY if w.policy == "continuous"))
