"""A static batch is one rectangular tensor, so its prompts have the same length."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("static_prompts", "eos_token_ids", "abort_of_nobody"),
    file="scheduler.py",
    changes=(
        (
            "            if not self.worst_case_fits(sequence.request):\n                break",
            "            if not self.worst_case_fits(sequence.request) or (self.running and len(next(iter(self.running.values())).request.prompt_token_ids) != len(sequence.request.prompt_token_ids)):\n                break",
        ),
    ),
)
