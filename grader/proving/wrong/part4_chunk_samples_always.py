"""Every scheduled sequence has a new token after the tick."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_last_samples", "chunk_of_one", "chunk_blocks_grow"),
    file="scheduler.py",
    changes=(
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
    ),
)
