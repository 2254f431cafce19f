"""An output has at least one token before its end-of-sequence token."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("early_eos",),
    file="scheduler.py",
    changes=(
        (
            "                if sequence.is_finished:\n",
            "                if sequence.is_finished and (len(sequence.output_token_ids) > 1 or sequence.request.max_tokens == 1):\n",
        ),
    ),
)
