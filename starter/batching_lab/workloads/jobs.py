"""Jobs written by hand: as a short text, or as a JSON file.

A job in text is `ID=[PROMPT+]OUTPUT[/MAX][@ARRIVAL][~ABORT]`:

    A=4          one prompt token, 4 output tokens (the seed's notation: A needs four decode steps)
    A=6+4        6 prompt tokens, 4 output tokens
    A=6+4/9      the same, but max_tokens is 9: its 4th token is the end-of-sequence token
    A=6+4@2      arrives at tick 2
    A=6+4@2~5    and its client hangs up after tick 5
"""

import functools
import json
import re
from collections.abc import Iterable
from pathlib import Path

from batching_lab.request import Job, Request

EOS_TOKEN_ID = 2
MAX_PROMPT_LEN = 10_000_000

JOB_PATTERN = re.compile(
    r"(?P<id>[^\s,=]+)=(?:(?P<prompt>\d+)\+)?(?P<output>\d+)(?:/(?P<max>\d+))?(?:@(?P<arrival>\d+))?(?:~(?P<abort>\d+))?"
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

    Raises `ValueError` that names the job that can't be read.
    """
    jobs = []
    for word in re.split(r"[,\s]+", text.strip(", \t\n")):
        match = JOB_PATTERN.fullmatch(word)
        if match is None:
            raise ValueError(f"can't read the job {word!r}: it must look like A=4, A=6+4 or A=6+4/9@2~5")
        number = {name: int(value) for name, value in match.groupdict().items() if name != "id" and value is not None}
        jobs.append(
            make_job(
                match["id"],
                number.get("prompt", 1),
                number["output"],
                number.get("max"),
                number.get("arrival", 0),
                number.get("abort"),
            )
        )
    return jobs


def job_text(job: Job) -> str:
    """The text that `parse_jobs` reads back as this job (its prompt's tokens apart)."""
    prompt_len = len(job.request.prompt_token_ids)
    text = f"{job.request.request_id}=" + (f"{prompt_len}+" if prompt_len > 1 else "") + str(job.num_output_tokens)
    if job.request.eos_token_id is not None:
        text += f"/{job.request.max_tokens}"
    if job.arrival:
        text += f"@{job.arrival}"
    return text if job.abort_at is None else f"{text}~{job.abort_at}"


def load_jobs(path: Path) -> list[Job]:
    """Jobs from a JSON file: {"jobs": [{"id": "A", "prompt_len": 6, "output_len": 4}, ...]}.

    A job may also have "max_tokens", "arrival" and "abort_at". Raises `ValueError` that names the file,
    the job and what is wrong.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"can't read the jobs file {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}, line {error.lineno} column {error.colno}: not JSON: {error.msg}") from None
    entries = data.get("jobs") if isinstance(data, dict) else None
    if not isinstance(entries, list) or not entries:
        raise ValueError(f'{path}: wanted an object with a list "jobs" that is not empty')
    return [_job_from_json(f"{path}, job {number}", entry) for number, entry in enumerate(entries, start=1)]


def _job_from_json(where: str, entry: object) -> Job:
    required, optional = {"id", "prompt_len", "output_len"}, {"max_tokens", "arrival", "abort_at"}
    if not isinstance(entry, dict):
        raise ValueError(f"{where}: wanted an object, not {entry!r}")
    for name in sorted(required - entry.keys()):
        raise ValueError(f'{where}: "{name}" is missing')
    for name in sorted(entry.keys() - required - optional):
        raise ValueError(f'{where}: "{name}" is not one of {", ".join(sorted(required | optional))}')
    for name in sorted(entry.keys() - {"id"}):
        if type(entry[name]) is not int:
            raise ValueError(f'{where}: "{name}" must be an integer, not {entry[name]!r}')
    try:
        return make_job(
            entry["id"],
            entry["prompt_len"],
            entry["output_len"],
            entry.get("max_tokens"),
            entry.get("arrival", 0),
            entry.get("abort_at"),
        )
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
