"""For models that end their texts in several ways."""

from collections.abc import Iterable, Mapping

from batching_lab.interfaces import Executor
from batching_lab.request import Sequence
from batching_lab.schedule import Schedule


class OneEndToken:
    """Does what another executor does, but tells of each of several end tokens as of the request's own.

    A request has one, and a scheduler knows no other. No harm is done: what ends a sequence is never computed.
    """

    def __init__(self, executor: Executor, end_token_ids: Iterable[int]) -> None:
        self.executor = executor
        self.end_token_ids = frozenset(end_token_ids)

    def execute(
        self,
        schedule: Schedule,
        sequences: Mapping[str, Sequence],
        block_tables: Mapping[str, list[int]],
    ) -> dict[str, int]:
        """Run one tick; see `batching_lab.interfaces.Executor`."""
        sampled = self.executor.execute(schedule, sequences, block_tables)
        return {request_id: self.told(sequences[request_id], token) for request_id, token in sampled.items()}

    def told(self, sequence: Sequence, token: int) -> int:
        """The request's own end-of-sequence token in the place of any other that ends a text."""
        eos_token_id = sequence.request.eos_token_id
        return eos_token_id if token in self.end_token_ids and eos_token_id is not None else token
