"""Jobs written by hand, as a short text.

A job in text is `ID=[PROMPT+]OUTPUT[/MAX][@ARRIVAL][~ABORT]`:

    A=4          one prompt token, 4 output tokens (the seed's notation: A needs four decode steps)
    A=6+4        6 prompt tokens, 4 output tokens
    A=6+4/9      the same, but max_tokens is 9: its 4th token is the end-of-sequence token
    A=6+4@2      arrives at tick 2
    A=6+4@2~5    and its client hangs up after tick 5
"""

import functools
import re
from collections.abc import Iterable

from batching_lab.request import Job, Request

EOS_TOKEN_ID = 2
MAX_PROMPT_LEN = 10_000_000

JOB_PATTERN = re.compile(
    r"(?P<id>[^\s,=]+)=(?:(?P<prompt_len>\d+)\+)?(?P<output_len>\d+)(?:/(?P<max_tokens>\d+))?"
    r"(?:@(?P<arrival>\d+))?(?:~(?P<abort_at>\d+))?"
)


def make_job(
    request_id: str,
    prompt_len: int,
    output_len: int,
    max_tokens: int | None = None,
    arrival: int = 0,
    abort_at: int | None = None,
) -> Job:
    """A job with a made-up prompt. Raises `ValueError` as `Request` and `Job` do, and for too long a prompt."""
    if prompt_len > MAX_PROMPT_LEN:
        raise ValueError(f"job {request_id}: a prompt of {prompt_len} tokens is longer than {MAX_PROMPT_LEN}")
    request = Request(
        request_id,
        made_up_prompt(prompt_len),
        output_len if max_tokens is None else max_tokens,
        eos_token_id=None if max_tokens is None else EOS_TOKEN_ID,
    )
    return Job(request, arrival, output_len, abort_at)


@functools.lru_cache(maxsize=4096)
def made_up_prompt(prompt_len: int) -> tuple[int, ...]:
    """One tuple for all prompts of one length: a trace of 20,000 requests holds tens of millions of tokens."""
    return (1,) * prompt_len


def decode_only(lengths: Iterable[tuple[str, int]]) -> list[Job]:
    """The seed's jobs: (id, number of decode steps), all there from the start, prefill ignored (P = 1)."""
    return [make_job(request_id, 1, output_len) for request_id, output_len in lengths]


def parse_jobs(text: str) -> list[Job]:
    """Jobs from a text like `A=4,B=1,C=1`; commas or spaces between them.

    >>> [(job.request.request_id, job.num_output_tokens, job.arrival) for job in parse_jobs("A=4, B=6+1@2")]
    [('A', 4, 0), ('B', 1, 2)]

    Raises `ValueError` that names the job that can't be read.
    """
    jobs = []
    for word in re.split(r"[,\s]+", text.strip(", \t\n")):
        match = JOB_PATTERN.fullmatch(word)
        if match is None:
            raise ValueError(f"can't read the job {word!r}: it must look like A=4, A=6+4 or A=6+4/9@2~5")
        numbers = {name: int(text) for name, text in match.groupdict().items() if name != "id" and text is not None}
        jobs.append(make_job(match["id"], **{"prompt_len": 1, **numbers}))
    return jobs
