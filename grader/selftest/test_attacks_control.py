"""The attacks are real: each succeeds against a plain grader, which imports the submission into pytest's process.

One of each mechanism is tried here; `make nightly` tries them all.
"""

import sys

import pytest

from grader.proving.attack import NAMES, Attack, load_attack
from grader.proving.hostile import controlled

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for traces in /proc")
SHOWN = list({attack.mechanism: attack for attack in map(load_attack, NAMES) if attack.expected_control}.values())


@pytest.mark.parametrize("attack", [pytest.param(attack, id=attack.name) for attack in SHOWN])
def test_attack_succeeds_against_a_plain_grader(attack: Attack) -> None:
    outcome = controlled(attack)
    assert attack.expected_control in outcome.effects, outcome.texts[-3000:]
