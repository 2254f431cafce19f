"""Update() returns the ids in alphabetical order, so that they are the same each time."""

PART = "1"
CAUGHT_BY = ["continuous_first_come_first_served", "many_requests"]
FILE = "scheduler.py"
CHANGES = [
    (
        '        return finished\n',
        '        return sorted(finished)\n',
    ),
]
