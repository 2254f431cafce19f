"""A victim comes back when the blocks of its prompt are free."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_front", "preempt_eos", "preempt_id_comes_again"),
    file="scheduler.py",
    changes=(
        (
            "self.allocator.can_allocate(request.request_id, num_tokens)",
            "self.allocator.can_allocate(request.request_id, min(num_tokens, len(request.prompt_token_ids)))",
        ),
    ),
)
