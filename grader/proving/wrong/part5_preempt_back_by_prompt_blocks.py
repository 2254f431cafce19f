"""A victim comes back when the blocks of its prompt are free."""

PART = "5"
CAUGHT_BY = ["preempt_front", "preempt_eos", "preempt_id_comes_again"]
FILE = "scheduler.py"
CHANGES = [
    (
        "self.allocator.can_allocate(request.request_id, num_tokens)",
        "self.allocator.can_allocate(request.request_id, min(num_tokens, len(request.prompt_token_ids)))",
    ),
]
