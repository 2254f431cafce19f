"""A request, the job behind it, and the sequence that it becomes inside a scheduler."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from batching_lab.config import require_int


@dataclass(frozen=True)
class Request:
    """What a client asks for, and all that a scheduler is told.

    prompt_token_ids  P >= 1 token ids
    max_tokens        the most tokens to generate, >= 1
    eos_token_id      the token that ends the output early (it counts as generated); None: nothing does

    Raises `ValueError` for an empty prompt or id, or `max_tokens` below 1.
    """

    request_id: str
    prompt_token_ids: tuple[int, ...]
    max_tokens: int
    eos_token_id: int | None = None

    def __post_init__(self) -> None:
        if type(self.request_id) is not str or not self.request_id:
            raise ValueError(f"request_id must be a string that is not empty, not {self.request_id!r}")
        if type(self.prompt_token_ids) is not tuple:
            kind = type(self.prompt_token_ids).__name__
            raise ValueError(f"request {self.request_id}: prompt_token_ids must be a tuple, not a {kind}")
        if not self.prompt_token_ids:
            raise ValueError(f"request {self.request_id}: the prompt is empty; it must hold at least one token")
        require_int(f"request {self.request_id}: max_tokens", self.max_tokens, 1)
        if self.eos_token_id is not None:
            require_int(f"request {self.request_id}: eos_token_id", self.eos_token_id, 0)


@dataclass(frozen=True)
class Job:
    """A request together with what the serving loop knows and the scheduler does not.

    arrival     tick a >= 0; the request is handed over just before tick a + 1
    output_len  how many tokens it really generates; None: `max_tokens`
    abort_at    tick b >= arrival; its client hangs up just before tick b + 1; None: never

    Raises `ValueError` for a negative arrival, an abort before the arrival, an output longer than
    `max_tokens`, or a shorter one without an end-of-sequence token to end it.
    """

    request: Request
    arrival: int = 0
    output_len: int | None = None
    abort_at: int | None = None

    def __post_init__(self) -> None:
        name, max_tokens = f"job {self.request.request_id}", self.request.max_tokens
        require_int(f"{name}: arrival", self.arrival, 0)
        if self.output_len is not None:
            require_int(f"{name}: output_len", self.output_len, 1)
            output_len = f"{name}: output_len {self.output_len}"
            if self.output_len > max_tokens:
                raise ValueError(f"{output_len} is more than max_tokens {max_tokens}")
            if self.output_len < max_tokens and self.request.eos_token_id is None:
                needs = "which needs an eos_token_id to end the output"
                raise ValueError(f"{output_len} is less than max_tokens {max_tokens}, {needs}")
        if self.abort_at is not None:
            require_int(f"{name}: abort_at", self.abort_at, 0)
            if self.abort_at < self.arrival:
                raise ValueError(f"{name}: abort_at {self.abort_at} is before its arrival {self.arrival}")

    @property
    def num_output_tokens(self) -> int:
        """n: how many tokens it generates if nobody aborts it."""
        return self.request.max_tokens if self.output_len is None else self.output_len


def require_distinct_ids(jobs: Iterable[Job]) -> None:
    """Raise `ValueError` if two jobs have the same id."""
    seen: set[str] = set()
    for job in jobs:
        if job.request.request_id in seen:
            raise ValueError(f"two jobs have the id {job.request.request_id}; every job needs its own")
        seen.add(job.request.request_id)


@dataclass(eq=False)
class Sequence:
    """A request on its way: it knows P + g tokens and has computed c of them.

    num_computed_tokens  c: tokens whose keys and values are in the KV cache
    output_token_ids     the g tokens generated so far
    """

    request: Request
    num_computed_tokens: int = 0
    output_token_ids: list[int] = field(default_factory=list)

    @property
    def num_tokens(self) -> int:
        """P + g: prompt and generated tokens."""
        return len(self.request.prompt_token_ids) + len(self.output_token_ids)

    @property
    def num_uncomputed_tokens(self) -> int:
        """P + g - c: what is left to compute before the next token can be sampled."""
        return len(self.request.prompt_token_ids) + len(self.output_token_ids) - self.num_computed_tokens

    @property
    def is_finished(self) -> bool:
        """Has it generated `max_tokens` tokens, or the end-of-sequence token?"""
        outputs, eos = self.output_token_ids, self.request.eos_token_id
        return len(outputs) >= self.request.max_tokens or (eos is not None and len(outputs) > 0 and outputs[-1] == eos)
