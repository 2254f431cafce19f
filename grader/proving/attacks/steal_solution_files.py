"""The reference is looked for on the disk, by what the processes above know, and runs instead."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="taking the reference",
    where="import",
    part="1",
    deserved=(),
    control="forged",
    needs_isolation=True,
    wins_without="the reference lies on the same disk",
    files=wrong_scheduler(
        top="import os",
        bottom="""
            def above():
                pid = "self"
                while pid != "0":
                    try:
                        variables = open(f"/proc/{pid}/environ").read().split(chr(0))
                        yield os.readlink(f"/proc/{pid}/cwd")
                        yield from dict(v.split("=", 1) for v in variables if "=" in v).get("PYTHONPATH", "").split(":")
                        pid = open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1]
                    except OSError:
                        return
            for folder in [*above(), "@ROOT@"]:
                try:
                    exec(open(folder + "/solution/scheduler.py").read())
                    break
                except OSError:
                    pass
        """,
    ),
)
