"""An output has at least one token before its end-of-sequence token."""

PART = "1"
CAUGHT_BY = ["early_eos"]
FILE = "scheduler.py"
CHANGES = [
    (
        "                if sequence.is_finished:\n",
        "                if sequence.is_finished and (len(sequence.output_token_ids) > 1 or sequence.request.max_tokens == 1):\n",
    ),
]
