"""The reference is looked for on the disk, by what the processes above know, and runs instead."""

from grader.proving.attacks.bases import wrong_scheduler

MECHANISM = "taking the reference"
WHERE = "import"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "forged"
NEEDS_ISOLATION = True
WINS_WITHOUT = "the reference lies on the same disk"
FILES = wrong_scheduler(
    top="import os",
)
FILES["scheduler.py"] += """
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
"""
