"""`if eos_token_id` asks whether the request has one."""

PART = "1"
CAUGHT_BY = ["eos_token_ids"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
                if sequence.is_finished:
""",
        """\
                eos = sequence.request.eos_token_id
                if (eos and sampled[request_id] == eos) or (
                    len(sequence.output_token_ids) >= sequence.request.max_tokens
                ):
""",
    ),
]
