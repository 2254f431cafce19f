"""The limits of the configuration are lifted in the object that the test checks them with."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="changing the inputs",
    where="constructor",
    part="1",
    deserved=(),
    control="forged",
    files=wrong_scheduler(
        constructor="""
            for name in ("max_num_seqs", "max_num_batched_tokens"):
                object.__setattr__(config, name, 10**6)
            self.ids = {}
        """,
        add_request="self.ids[request.request_id] = 1",
        schedule="return Schedule(dict(self.ids))",
    ),
)
