"""How jobs and limits are written on a command line, so that a run can be repeated."""

from dataclasses import fields

from batching_lab.config import SchedulerConfig
from batching_lab.request import Job

OPTIONS = {  # option -> field of a `SchedulerConfig`
    "slots": "max_num_seqs",
    "token-budget": "max_num_batched_tokens",
    "chunked-prefill": "enable_chunked_prefill",
    "chunk-size": "prefill_chunk_size",
    "kv-policy": "kv_policy",
}


def config_words(config: SchedulerConfig) -> list[str]:
    """An option for each limit that is not what it is by default.

    >>> config_words(SchedulerConfig(2, enable_chunked_prefill=True, prefill_chunk_size=4))
    ['--slots 2', '--chunked-prefill', '--chunk-size 4']
    """
    defaults = {field.name: field.default for field in fields(SchedulerConfig)}
    values = {option: getattr(config, name) for option, name in OPTIONS.items()}
    given = {option: value for option, value in values.items() if value != defaults[OPTIONS[option]]}
    return [f"--{option}" if value is True else f"--{option} {value}" for option, value in given.items()]


def job_text(job: Job) -> str:
    """The text that `parse_jobs` reads back as this job (its prompt's tokens apart).

    >>> from batching_lab.workloads.jobs import make_job
    >>> job_text(make_job("A", prompt_len=6, output_len=4, arrival=2))
    'A=6+4@2'
    """
    prompt_len = len(job.request.prompt_token_ids)
    text = f"{job.request.request_id}=" + (f"{prompt_len}+" if prompt_len > 1 else "") + str(job.num_output_tokens)
    if job.request.eos_token_id is not None:
        text += f"/{job.request.max_tokens}"
    if job.arrival:
        text += f"@{job.arrival}"
    return text if job.abort_at is None else f"{text}~{job.abort_at}"
