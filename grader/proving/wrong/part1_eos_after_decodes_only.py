"""The first token comes from the prefill, and only a decode can end an output early."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("early_eos",),
    file="scheduler.py",
    changes=(
        (
            "                if sequence.is_finished:\n",
            "                if len(sequence.output_token_ids) >= sequence.request.max_tokens or (num_tokens == 1 and sequence.is_finished):\n",
        ),
    ),
)
