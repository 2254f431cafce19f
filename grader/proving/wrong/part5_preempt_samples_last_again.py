"""A recomputation samples the victim's last token again, so that one is dropped."""

PART = "5"
CAUGHT_BY = ["preempt_last_admitted", "preempt_recompute", "preempt_front"]
FILE = "scheduler.py"
CHANGES = [
    (
        "        victim.num_computed_tokens = 0\n",
        "        victim.num_computed_tokens = 0\n        victim.output_token_ids[-1:] = []\n",
    ),
]
