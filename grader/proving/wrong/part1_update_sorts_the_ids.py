"""Update() returns the ids in alphabetical order, so that they are the same each time."""

PART = "1"
CAUGHT_BY = ["update_order"]
FILE = "scheduler.py"
CHANGES = [
    (
        "        return finished\n",
        "        return sorted(finished)\n",
    ),
]
