"""A sequence that is scheduled for one token decodes, so it has a new token."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_of_one",),
    file="scheduler.py",
    changes=(
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
    ),
)
