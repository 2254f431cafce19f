"""Hidden tests of Part 2 for the attacks."""

import pytest

from batching_lab import OutOfBlocks
from batching_lab.harness import Harness, require, require_raises

pytestmark = pytest.mark.own_allocator


def test_planted_pool(lab: Harness) -> None:
    """Allocate, grow, free."""
    allocator = lab.allocator(num_blocks=5, block_size=4)
    table = list(allocator.allocate("A", 9))
    require(len(set(table)) == 3 and set(table) <= set(range(5)), "allocate returns other blocks than it should")
    require(allocator.block_table("A") == table, "block_table is not what allocate handed out")
    require(allocator.blocks_needed("A", 13) == 1, "blocks_needed is wrong")
    require(not allocator.can_allocate("B", 9), "can_allocate is true, but too few blocks are free")
    require_raises(OutOfBlocks, lambda: allocator.allocate("B", 9), "allocate without enough blocks")
    allocator.free("A")
    require(allocator.num_free_blocks == 5 and allocator.block_table("A") == [], "free does not give the blocks back")


def test_planted_copy(lab: Harness) -> None:
    """A table is a copy."""
    allocator = lab.allocator(num_blocks=918273, block_size=4)
    table = list(allocator.allocate("A", 5))
    other = list(allocator.allocate("B", 1))
    require(len(table) == 2 and len({*table, *other}) == 3, "allocate returns other blocks than it should")
    allocator.block_table("A").clear()
    require(allocator.block_table("A") == table and allocator.block_table("B") == other, "block_table is no copy")
