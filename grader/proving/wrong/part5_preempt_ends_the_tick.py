"""After a preemption the tick has seen enough."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_last_admitted", "preempt_two", "preempt_again"),
    file="scheduler.py",
    changes=(
        (
            "            self.scheduled[request_id] = num_tokens\n            budget -= num_tokens\n",
            "            self.scheduled[request_id] = num_tokens\n            budget -= num_tokens\n            if preempted:\n                break\n",
        ),
    ),
)
