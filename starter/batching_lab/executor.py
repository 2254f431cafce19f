"""An executor without a model: it makes up tokens."""

from collections.abc import Iterable, Mapping

from batching_lab.request import Job, Sequence
from batching_lab.schedule import Schedule


class SimulatedExecutor:
    """Samples made-up tokens, and the end-of-sequence token where an output ends before max_tokens."""

    def __init__(self, jobs: Iterable[Job]) -> None:
        self.with_end = {job.request.request_id: job for job in jobs if job.request.eos_token_id is not None}

    def execute(
        self, schedule: Schedule, sequences: Mapping[str, Sequence], block_tables: Mapping[str, list[int]]
    ) -> dict[str, int]:
        """One token for each scheduled sequence whose known tokens are all computed in this tick."""
        sampled = {}
        for request_id, num_tokens in schedule.num_scheduled_tokens.items():
            sequence = sequences[request_id]
            if num_tokens == sequence.num_uncomputed_tokens:
                token = len(sequence.output_token_ids)  # any token will do
                if request_id in self.with_end:
                    token = next_token(self.with_end[request_id], token)
                sampled[request_id] = token
        return sampled


def next_token(job: Job, num_output_tokens: int) -> int:
    """The end-of-sequence token where the output is to end early, and any other token elsewhere."""
    eos_token_id = job.request.eos_token_id
    is_end = num_output_tokens + 1 == job.num_output_tokens < job.request.max_tokens
    if is_end and eos_token_id is not None:
        return eos_token_id
    return num_output_tokens if num_output_tokens != eos_token_id else num_output_tokens + 1
