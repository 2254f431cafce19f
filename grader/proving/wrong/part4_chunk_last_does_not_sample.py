"""The last chunk only completes the prompt; the first token comes from the tick after it."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_last_samples", "chunk_size_per_sequence"),
    file="scheduler.py",
    changes=(
        (
            """\
            if request_id in sampled:
                sequence.output_token_ids.append(sampled[request_id])
""",
            """\
            is_last_chunk = num_tokens < sequence.num_computed_tokens == len(sequence.request.prompt_token_ids)
            if request_id in sampled and is_last_chunk:
                sequence.num_computed_tokens -= 1
            elif request_id in sampled:
                sequence.output_token_ids.append(sampled[request_id])
""",
        ),
    ),
)
