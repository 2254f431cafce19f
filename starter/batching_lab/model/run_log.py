"""What an executor did, tick by tick: enough to replay and judge a run after it."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Step:
    """What one sequence computes in one tick.

    start        position of the first token computed
    token_ids    the tokens computed, at positions start, start + 1, ...
    block_table  the blocks through which keys and values are stored and read
    samples      are all known tokens computed then, so that the model samples one more?
    sampled      that token, once the tick is over
    forced       it was given, not sampled: the end-of-sequence token at the job's true length
    """

    request_id: str
    start: int
    token_ids: tuple[int, ...]
    block_table: tuple[int, ...]
    samples: bool
    sampled: int | None = None
    forced: bool = False

    @property
    def num_tokens(self) -> int:
        """m: how many tokens it computes."""
        return len(self.token_ids)

    @property
    def end(self) -> int:
        """One past the position of the last token computed: the context that it looks at."""
        return self.start + len(self.token_ids)


@dataclass
class RunLog:
    """All steps of a run; ticks[0] is tick 1. `fixed_lengths` as in `ModelExecutor`."""

    num_blocks: int
    block_size: int
    fixed_lengths: bool
    ticks: list[list[Step]] = field(default_factory=list)
