"""What an executor did, tick by tick: enough to replay and judge a run after it."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Step:
    """What one sequence computed in one tick.

    start        position of the first token computed
    token_ids    the tokens computed, at positions start, start + 1, ...
    block_table  the blocks through which keys and values were stored and read
    sampled      the token sampled afterwards, None if known tokens are left to compute
    forced       the token was given, not sampled: the end-of-sequence token at the job's true length
    """

    request_id: str
    start: int
    token_ids: tuple[int, ...]
    block_table: tuple[int, ...]
    sampled: int | None = None
    forced: bool = False

    @property
    def end(self) -> int:
        """One past the position of the last token computed."""
        return self.start + len(self.token_ids)


@dataclass
class RunLog:
    """All steps of a run: ticks[0] is tick 1."""

    num_blocks: int
    block_size: int
    ticks: list[list[Step]] = field(default_factory=list)
