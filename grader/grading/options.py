"""How submissions are graded."""

import argparse
from dataclasses import dataclass
from typing import Literal

from grader.worker.client import DEFAULT_LIMITS, Limits
from grader.worker.isolation import IsolationWish

Feedback = Literal["full", "hint", "none"]


@dataclass(frozen=True)
class GradingOptions:
    """What is the same for all submissions of a class.

    feedback   what the messages tell: the workload too; tick, rule and hint; nothing
    limits     what a submission's process may use
    isolation  "required": full isolation of that process, or a `grader_error`; see `sandbox_for`
    """

    feedback: Feedback = "hint"
    limits: Limits = DEFAULT_LIMITS
    isolation: IsolationWish = "required"


DEFAULT_OPTIONS = GradingOptions()


def grading_options(options: argparse.Namespace) -> GradingOptions:
    """Those of a command line with `add_grading_options`."""
    return GradingOptions(options.feedback, isolation="best" if options.allow_weak_isolation else "required")
