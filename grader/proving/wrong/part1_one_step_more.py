"""A sequence leaves when it has more than max_tokens tokens."""

PART = "1"
CAUGHT_BY = ["early_eos", "static_slot_stays_empty", "continuous_slot_is_refilled"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
                if sequence.is_finished:
""",
        """\
                if sampled[request_id] == sequence.request.eos_token_id or (
                    len(sequence.output_token_ids) > sequence.request.max_tokens
                ):
""",
    ),
]
