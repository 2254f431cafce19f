"""Jobs written by hand in a JSON file."""

import json
from pathlib import Path

from batching_lab.request import Job
from batching_lab.workloads.jobs import make_job


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
