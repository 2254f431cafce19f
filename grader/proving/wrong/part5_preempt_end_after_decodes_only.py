"""A prefill of a sequence with outputs can't be its last tick; the end is looked for after decodes."""

PART = "5"
CAUGHT_BY = ["preempt_eos", "preempt_last_admitted"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
                if sequence.is_finished:
""",
        """\
                is_recompute = num_tokens > 1 and len(sequence.output_token_ids) > 1
                if sequence.is_finished and not is_recompute:
""",
    ),
]
