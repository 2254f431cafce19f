"""An executor without a model: it makes up tokens."""

from collections.abc import Iterable, Mapping

from batching_lab.request import Job, Sequence
from batching_lab.schedule import Schedule


class SimulatedExecutor:
    """Samples made-up tokens, and each job's end-of-sequence token when its true length is reached."""

    def __init__(self, jobs: Iterable[Job]) -> None:
        self.eos: dict[str, tuple[int, int]] = {}  # request id -> (output length, EOS token) of those that end early
        self.never: dict[str, int] = {}  # request id -> EOS token, which must not come by chance
        for job in jobs:
            request = job.request
            if request.eos_token_id is not None:
                self.never[request.request_id] = request.eos_token_id
                if job.num_output_tokens < request.max_tokens:
                    self.eos[request.request_id] = (job.num_output_tokens, request.eos_token_id)

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
                token = len(sequence.output_token_ids)  # any token will do
                if request_id in self.never:
                    token = self.next_token(request_id, token)
                sampled[request_id] = token
        return sampled

    def next_token(self, request_id: str, num_output_tokens: int) -> int:
        """The end-of-sequence token where the output is to end, and any other token before."""
        output_len, eos_token_id = self.eos.get(request_id, (None, None))
        if output_len == num_output_tokens + 1 and eos_token_id is not None:
            return eos_token_id
        return num_output_tokens if num_output_tokens != self.never[request_id] else num_output_tokens + 1
