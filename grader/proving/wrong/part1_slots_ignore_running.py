"""Max_num_seqs is how many sequences may be admitted at one boundary."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("continuous_slot_is_refilled", "continuous_fills_all_free_slots"),
    file="scheduler.py",
    changes=(
        (
            """\
        chunk_size = self.chunk_size()
        while self.waiting""",
            """\
        chunk_size = self.chunk_size()
        num_running = len(self.running)
        while self.waiting""",
        ),
        (
            """\
len(self.running) < self.config.max_num_seqs and budget > 0:
""",
            """\
len(self.running) - num_running < self.config.max_num_seqs and budget > 0:
""",
        ),
    ),
)
