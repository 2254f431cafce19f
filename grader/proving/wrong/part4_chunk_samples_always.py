"""Every scheduled sequence has a new token after the tick."""

PART = "4"
CAUGHT_BY = ["chunk_last_samples", "chunk_of_one", "chunk_blocks_grow"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
            if request_id in sampled:
                sequence.output_token_ids.append(sampled[request_id])
""",
        """\
            if num_tokens:
                sequence.output_token_ids.append(sampled.get(request_id, 0))
""",
    ),
]
