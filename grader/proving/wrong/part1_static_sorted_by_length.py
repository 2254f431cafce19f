"""Within a static batch the longest prompt stands first."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("static_prompts",),
    file="scheduler.py",
    changes=(
        (
            "        for sequence in self.running.values():\n            self.compute(sequence, sequence.num_uncomputed_tokens)",
            "        for sequence in sorted(self.running.values(), key=lambda s: -len(s.request.prompt_token_ids)):\n            self.compute(sequence, sequence.num_uncomputed_tokens)",
        ),
    ),
)
