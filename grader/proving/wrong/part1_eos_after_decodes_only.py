"""The first token comes from the prefill, and only a decode can end an output early."""

PART = "1"
CAUGHT_BY = ["early_eos"]
FILE = "scheduler.py"
CHANGES = [
    (
        "                if sequence.is_finished:\n",
        "                if len(sequence.output_token_ids) >= sequence.request.max_tokens or (num_tokens == 1 and sequence.is_finished):\n",
    ),
]
