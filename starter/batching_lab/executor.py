"""An executor without a model: it makes up tokens."""

from collections.abc import Iterable, Mapping

from batching_lab.request import Job, Sequence
from batching_lab.schedule import Schedule


class SimulatedExecutor:
    """Samples made-up tokens, and each job's end-of-sequence token when its true length is reached."""

    def __init__(self, jobs: Iterable[Job]) -> None:
        self.jobs = {job.request.request_id: job for job in jobs}

    def execute(
        self,
        schedule: Schedule,
        sequences: Mapping[str, Sequence],
        block_tables: Mapping[str, list[int]],
    ) -> dict[str, int]:
        """One token for each scheduled sequence whose known tokens are all computed in this tick."""
        sampled = {}
        for request_id, num_tokens in schedule.num_scheduled_tokens.items():
            sequence = sequences[request_id]
            if num_tokens == sequence.num_uncomputed_tokens:
                sampled[request_id] = self.next_token(request_id, len(sequence.output_token_ids))
        return sampled

    def next_token(self, request_id: str, num_output_tokens: int) -> int:
        job = self.jobs[request_id]
        eos_token_id = job.request.eos_token_id
        if num_output_tokens + 1 == job.num_output_tokens < job.request.max_tokens:
            assert eos_token_id is not None  # Job sees to that
            return eos_token_id
        return num_output_tokens if num_output_tokens != eos_token_id else num_output_tokens + 1
