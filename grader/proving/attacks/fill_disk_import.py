"""The limit on a file's size is lifted and the disk filled (here: with little)."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "writing files"
WHERE = "import"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
CONTROL = "left a file"
NEEDS_ISOLATION = True
FILES = right_scheduler(
    top="""
        try:
            import resource
            try:
                resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            except (OSError, ValueError):
                pass
            for number in range(20):
                open(f'@SCRATCH@/{number}', 'w').write('x' * 100_000)
        except BaseException:
            pass
    """,
)
