"""Part 6 on the CPU: the submission's scheduler and allocator serve the micro model.

The loop's checks hold as ever; the ticks are not compared, those are Parts 1 to 5. What is judged is what the model
reads through the block tables, slot by slot, and the tokens that come out.
"""

import pytest

from batching_lab.harness import Harness
from grader.hidden.model_runs import (
    BLOCK_SIZES,
    CHUNKS,
    HANG_UPS,
    PREEMPTION,
    RECOMPUTED_CHUNKS,
    STATIC_BATCHES,
    STORIES,
    WHOLE_PROMPTS,
    check_model_runs,
)

pytestmark = pytest.mark.own_allocator


def test_model_static_batches(lab: Harness) -> None:
    """Static batches in pools that hold one batch's worst case or little more."""
    check_model_runs(lab, STATIC_BATCHES)


def test_model_whole_prompts(lab: Harness) -> None:
    """Whole prompts beside decodes, under both budgets."""
    check_model_runs(lab, WHOLE_PROMPTS)


def test_model_chunks(lab: Harness) -> None:
    """Prompts in chunks beside decodes: each chunk reads what the chunks before it stored."""
    check_model_runs(lab, CHUNKS)


def test_model_preemption(lab: Harness) -> None:
    """Preempted sequences compute everything again, into other blocks."""
    check_model_runs(lab, PREEMPTION)


def test_model_recomputed_chunks(lab: Harness) -> None:
    """Preempted sequences compute everything again, in chunks, and may be preempted again."""
    check_model_runs(lab, RECOMPUTED_CHUNKS)


def test_model_hang_ups(lab: Harness) -> None:
    """Clients hang up, waiting, in their prompt and while they decode; their blocks serve others."""
    check_model_runs(lab, HANG_UPS)


def test_model_block_sizes(lab: Harness) -> None:
    """Every block size from 1 to 16, in a pool that one sequence nearly fills."""
    check_model_runs(lab, BLOCK_SIZES)


def test_model_stories(lab: Harness) -> None:
    """Eight long prompts and their answers in a pool for two or three of them."""
    check_model_runs(lab, STORIES)
