"""Points as numbers."""

import math

TOLERANCE = 1e-6


def plain(score: float) -> str:
    """Without an exponent and without zeros at the end."""
    return f"{score:.4f}".rstrip("0").rstrip(".")


def whole_scores(scores: list[tuple[float, float]]) -> list[tuple[int, int]]:
    """(score, maximum) of each test in whole points: no sum is more than the exact one.

    A test may be worth half a point, so its maximum is what the running sum of maxima gains in whole points. Tests with
    all their points come first in that sum: of those only the fraction of a point at the end is lost.
    """
    in_order = sorted(range(len(scores)), key=lambda n: scores[n][1] - scores[n][0] if scores[n][0] else math.inf)
    whole = [(0, 0)] * len(scores)
    exact = exact_max = 0.0
    given = given_max = 0
    for n in in_order:
        exact, exact_max = exact + scores[n][0], exact_max + scores[n][1]
        maximum = int(exact_max + TOLERANCE) - given_max
        score = min(int(exact + TOLERANCE) - given, maximum) if scores[n][0] else 0
        whole[n] = (score, maximum)
        given, given_max = given + score, given_max + maximum
    for n in in_order:  # where a maximum cut off what the sum had gained
        score, maximum = whole[n]
        more = min(int(exact + TOLERANCE) - given, maximum - score) if scores[n][0] else 0
        whole[n] = (score + more, maximum)
        given += more
    return whole
