"""`is` tells whether two token ids are the same."""

PART = "1"
CAUGHT_BY = ["eos_token_ids"]
FILE = "scheduler.py"
CHANGES = [
    (
        "                if sequence.is_finished:\n",
        "                if len(sequence.output_token_ids) >= sequence.request.max_tokens or sampled[request_id] is sequence.request.eos_token_id:\n",
    ),
]
