"""A recomputation samples the victim's last token again, so that one is dropped."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_last_admitted", "preempt_recompute", "preempt_front"),
    file="scheduler.py",
    changes=(
        (
            "        victim.num_computed_tokens = 0\n",
            "        victim.num_computed_tokens = 0\n        victim.output_token_ids[-1:] = []\n",
        ),
    ),
)
