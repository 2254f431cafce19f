"""There is only one scheduler, so its queue may as well belong to the module."""

PART = "1"
CAUGHT_BY = ["schedulers_are_independent"]
FILE = "scheduler.py"
CHANGES = [
    ("class SchedulerBase:\n", "WAITING: OrderedDict[str, Sequence] = OrderedDict()\n\n\nclass SchedulerBase:\n"),
    ("self.waiting: OrderedDict[str, Sequence] = OrderedDict()", "self.waiting = WAITING"),
]
