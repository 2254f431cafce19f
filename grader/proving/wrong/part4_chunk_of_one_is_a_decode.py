"""A sequence that is scheduled for one token decodes, so it has a new token."""

PART = "4"
CAUGHT_BY = ["chunk_of_one"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
            if request_id in sampled:
                sequence.output_token_ids.append(sampled[request_id])
""",
        """\
            if request_id in sampled or num_tokens == 1:
                sequence.output_token_ids.append(sampled.get(request_id, 0))
""",
    ),
]
