"""The process's own command line and environment are read for the grader's paths."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "reading other processes"
WHERE = "import"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
CONTROL = "succeeded"
FILES = right_scheduler(
    top="""
        for name in ("cmdline", "environ"):
            try:
                text = open(f"/proc/self/{name}", "rb").read()
            except OSError:
                continue
            if b"hidden_tests" in text or b"/student" in text or b"GRADER_CANARY" in text:
                print("SUCCEEDED", flush=True)
    """,
)
