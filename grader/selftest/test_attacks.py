"""Every attack in grader/proving/attacks ends with exactly the points that its code deserves, and leaves nothing.

Twice: isolated by the operating system, and behind the process boundary alone, where what only the operating system
can stop may happen, but wins no point.
"""

import resource
import sys
from collections import Counter

import pytest

from grader.proving.attack import NAMES, Attack, load_attack
from grader.proving.helpers import slow_after
from grader.proving.hostile import complaint, graded

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for traces in /proc")
ATTACKS = [load_attack(name) for name in NAMES]


ONE_OF_EACH = list({attack.mechanism: attack for attack in ATTACKS if not attack.only_isolated}.values())
OTHERS = [attack for attack in ATTACKS if attack not in ONE_OF_EACH]


@pytest.mark.timeout(90)
@pytest.mark.parametrize("attack", slow_after(len(ONE_OF_EACH), ONE_OF_EACH + OTHERS, lambda attack: attack.name))
def test_isolated(attack: Attack) -> None:
    assert not complaint(attack, isolate=True)


@pytest.mark.timeout(90)
@pytest.mark.parametrize("attack", ONE_OF_EACH, ids=lambda attack: attack.name)
def test_boundary(attack: Attack) -> None:
    """One of each mechanism here; `make nightly` tries them all."""
    assert not complaint(attack, isolate=False)


@pytest.mark.parametrize(
    "attack", [attack for attack in ATTACKS if "flood" in attack.name], ids=lambda attack: attack.name
)
def test_a_flood_does_not_fill_the_graders_memory(attack: Attack) -> None:
    graded(attack, isolate=True)  # what the first run needs anyway
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    graded(attack, isolate=True)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # kilobytes


def test_there_are_attacks_of_many_kinds() -> None:
    assert len(ATTACKS) >= 60 and len(Counter(attack.mechanism for attack in ATTACKS)) >= 24
    for attack in ATTACKS:
        assert attack.what and attack.where and bool(attack.control) != bool(attack.not_shown), attack.name
