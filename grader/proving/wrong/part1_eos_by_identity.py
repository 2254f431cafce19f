"""`is` tells whether two token ids are the same."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("eos_token_ids",),
    file="scheduler.py",
    changes=(
        (
            "                if sequence.is_finished:\n",
            "                if len(sequence.output_token_ids) >= sequence.request.max_tokens or sampled[request_id] is sequence.request.eos_token_id:\n",
        ),
    ),
)
