"""After a preemption the tick has seen enough."""

PART = "5"
CAUGHT_BY = ["preempt_last_admitted", "preempt_two", "preempt_again"]
FILE = "scheduler.py"
CHANGES = [
    (
        "            self.scheduled[request_id] = num_tokens\n            budget -= num_tokens\n",
        "            self.scheduled[request_id] = num_tokens\n            budget -= num_tokens\n            if preempted:\n                break\n",
    ),
]
