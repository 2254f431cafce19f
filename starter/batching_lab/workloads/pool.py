"""How many tokens and KV blocks jobs may need."""

from collections.abc import Iterable

from batching_lab.request import Job


def most_tokens(job: Job) -> int:
    """The tokens that a job may come to compute: P + max_tokens - 1."""
    return len(job.request.prompt_token_ids) + job.request.max_tokens - 1


def longest_sequence(jobs: Iterable[Job]) -> int:
    """The most tokens that one of the jobs may come to compute. Raises `ValueError` if there is none."""
    return max(map(most_tokens, jobs))


def most_blocks(job: Job, block_size: int) -> int:
    """The blocks of a job's worst case: blocks(P + max_tokens - 1), of `block_size` tokens each.

    >>> from batching_lab.workloads.jobs import make_job
    >>> most_blocks(make_job("A", prompt_len=6, output_len=4), block_size=4)
    3
    """
    return -(-most_tokens(job) // block_size)


def blocks_for_all_slots(jobs: Iterable[Job], num_slots: int, block_size: int) -> int:
    """Enough for the worst cases of the longest jobs that can run at once."""
    return sum(sorted(most_blocks(job, block_size) for job in jobs)[-num_slots:])
