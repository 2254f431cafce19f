"""Update() returns the ids in alphabetical order, so that they are the same each time."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("update_order",),
    file="scheduler.py",
    changes=(
        (
            "        return finished\n",
            "        return sorted(finished)\n",
        ),
    ),
)
