"""Every attack of grader/attacks ends with exactly the points that its code deserves, and leaves nothing behind.

Twice: isolated by the operating system, and behind the process boundary alone, where what only the operating system
can stop may happen, but wins no point.
"""

import resource
import sys
from collections import Counter
from typing import Any

import pytest

from grader.selftest.hostile import NAMES, Attack, Outcome, graded, load_attack

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for traces in /proc")
ATTACKS = [load_attack(name) for name in NAMES]


def cases(level: str) -> list[Any]:
    """The attacks that are run at a level; what is still to be fixed in the grader is marked."""
    chosen = []
    for attack in ATTACKS:
        marks = [pytest.mark.timeout(90)]
        if level in attack.OPEN:
            marks.append(pytest.mark.xfail(strict=True, reason=attack.OPEN[level]))
        if level == "isolated" or not attack.ONLY_ISOLATED:
            chosen.append(pytest.param(attack, id=attack.name, marks=marks))
    return chosen


def require_deserved(attack: Attack, outcome: Outcome) -> None:
    assert outcome.status == "graded", outcome.texts
    assert outcome.passed == set(attack.DESERVED), outcome.texts
    assert outcome.score == len(attack.DESERVED)
    assert outcome.traces == set() and outcome.left == []


@pytest.mark.parametrize("attack", cases("isolated"))
def test_isolated(attack: Attack) -> None:
    require_deserved(attack, graded(attack, isolate=True))


@pytest.mark.parametrize("attack", cases("boundary"))
def test_boundary(attack: Attack) -> None:
    outcome = graded(attack, isolate=False)
    if attack.WINS_WITHOUT:
        assert outcome.status == "graded" and outcome.passed > set(attack.DESERVED), attack.WINS_WITHOUT
    elif not attack.NEEDS_ISOLATION:
        require_deserved(attack, outcome)
    elif outcome.status == "graded":
        assert outcome.passed <= set(attack.DESERVED) and outcome.score == len(outcome.passed)
    else:
        assert outcome.status in ("grader_error", "killed") and outcome.score is None, outcome.texts


@pytest.mark.parametrize(
    "attack", [attack for attack in ATTACKS if "flood" in attack.name], ids=lambda attack: attack.name
)
def test_a_flood_does_not_fill_the_graders_memory(attack: Attack) -> None:
    graded(attack, isolate=True)  # what the first run needs anyway
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    graded(attack, isolate=True)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # kilobytes


def test_there_are_attacks_of_many_kinds() -> None:
    assert len(ATTACKS) >= 60 and len(Counter(attack.MECHANISM for attack in ATTACKS)) >= 24
    for attack in ATTACKS:
        assert attack.module.__doc__ and attack.WHERE and bool(attack.CONTROL) != bool(attack.NOT_SHOWN), attack.name
