"""The first four of the queue are looked at, and the first that fits is admitted."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("token_budget_nobody_overtakes", "worst_case_nobody_overtakes", "abort_of_one_that_holds_nothing"),
    file="scheduler.py",
    changes=(
        (
            "            sequence = next(iter(self.waiting.values()))\n            num_tokens = min(sequence.num_uncomputed_tokens, chunk_size)",
            "            def ok(s):\n                m = min(s.num_uncomputed_tokens, chunk_size, budget if self.config.enable_chunked_prefill else sys.maxsize)\n                return m <= budget and self.can_admit(s.request, m)\n            sequence = next((s for s in list(self.waiting.values())[:4] if ok(s)), next(iter(self.waiting.values())))\n            num_tokens = min(sequence.num_uncomputed_tokens, chunk_size)",
        ),
    ),
)
