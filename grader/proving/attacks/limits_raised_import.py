"""The limits on memory and on the size of files are lifted again."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "lifting limits"
WHERE = "import"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
CONTROL = "succeeded"
NEEDS_ISOLATION = True
FILES = right_scheduler(
    top="""
        try:
            import resource
            for name in (resource.RLIMIT_AS, resource.RLIMIT_FSIZE):
                resource.setrlimit(name, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            import mmap
            data = mmap.mmap(-1, 3 << 30)
            print('SUCCEEDED', flush=True)
        except BaseException:
            pass
    """,
)
