"""A sequence that may generate max_tokens needs room for P + max_tokens tokens."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("blocks_last_token_needs_none", "door_kv_worst_case", "worst_case_pool_exactly_full"),
    file="scheduler.py",
    changes=(
        (
            """\
    return len(request.prompt_token_ids) + request.max_tokens - 1
""",
            """\
    return len(request.prompt_token_ids) + request.max_tokens
""",
        ),
    ),
)
