"""Each prompt by itself has to fit into the budget that the decodes leave."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("token_budget_whole_prompt_waits", "token_budget_filled_exactly"),
    file="scheduler.py",
    changes=(
        (
            """\
            self.compute(sequence, num_tokens)
            budget -= num_tokens
""",
            """\
            self.compute(sequence, num_tokens)
""",
        ),
    ),
)
