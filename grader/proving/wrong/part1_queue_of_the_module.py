"""There is only one scheduler, so its queue may as well belong to the module."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("schedulers_are_independent",),
    file="scheduler.py",
    changes=(
        ("class SchedulerBase:\n", "WAITING: OrderedDict[str, Sequence] = OrderedDict()\n\n\nclass SchedulerBase:\n"),
        ("self.waiting: OrderedDict[str, Sequence] = OrderedDict()", "self.waiting = WAITING"),
    ),
)
