"""Part 2: the KV block allocator. Which free block is handed out first is your choice; no test looks at it.

Each test makes a pool of `num_blocks` blocks, which hold `block_size` tokens each, and calls it for requests A, B, C.
The second argument of a call is the number of tokens that the request shall hold in all, not of those that are new.
"""

import random

from batching_lab import OutOfBlocks
from batching_lab.harness import Harness, require, require_raises


def test_new_pool_is_free(lab: Harness) -> None:
    """A new pool knows its size, and all of it is free."""
    allocator = lab.allocator(num_blocks=8, block_size=4)
    require((allocator.num_blocks, allocator.block_size) == (8, 4), "num_blocks or block_size is not what was given")
    require(allocator.num_free_blocks == 8, f"a new pool of 8 blocks has {allocator.num_free_blocks} free ones")
    require(allocator.block_table("A") == [], "a request that was never seen has a block table that is not empty")


def test_pool_must_have_blocks(lab: Harness) -> None:
    """A pool without blocks, or with empty blocks, is refused with ValueError."""
    require_raises(ValueError, lambda: lab.allocator(num_blocks=0, block_size=4), "a pool of 0 blocks")
    require_raises(ValueError, lambda: lab.allocator(num_blocks=4, block_size=0), "a block size of 0")


def test_tokens_are_rounded_up_to_blocks(lab: Harness) -> None:
    """blocks_needed rounds up: with 4 tokens a block, 4 tokens need 1 block and 5 need 2."""
    allocator = lab.allocator(num_blocks=8, block_size=4)
    for num_tokens, wanted in ((1, 1), (4, 1), (5, 2), (8, 2), (9, 3)):
        got = allocator.blocks_needed("A", num_tokens)
        require(got == wanted, f"blocks_needed for {num_tokens} tokens is {got}; it should be {wanted}")


def test_allocate_returns_the_new_blocks(lab: Harness) -> None:
    """allocate returns as many new, different, valid ids as were needed, and the table lists them."""
    allocator = lab.allocator(num_blocks=8, block_size=4)
    blocks = allocator.allocate("A", 9)
    require(len(blocks) == 3, f"allocate for 9 tokens returned {blocks}; 3 blocks of 4 tokens are needed")
    require(
        len(set(blocks)) == 3 and all(0 <= block < 8 for block in blocks), f"{blocks} are not 3 different ids of 0 to 7"
    )
    require(allocator.block_table("A") == blocks, "block_table is not what allocate returned")
    require(allocator.num_free_blocks == 5, f"after 3 of 8 blocks were taken, {allocator.num_free_blocks} are free")


def test_growth_adds_only_the_difference(lab: Harness) -> None:
    """A table grows at its end by what is missing; num_tokens counts all tokens, not the new ones."""
    allocator = lab.allocator(num_blocks=8, block_size=4)
    first = allocator.allocate("A", 4)
    needed = allocator.blocks_needed("A", 9)
    require(
        needed == 2, f"A holds 1 block of 4 tokens; blocks_needed for 9 is {needed}; it should be 2, the missing ones"
    )
    more = allocator.allocate("A", 9)
    require(len(more) == 2, f"growing from 4 to 9 tokens returned {len(more)} blocks; it should be 2")
    require(allocator.block_table("A") == first + more, "the new blocks are not at the end of the table")
    require(allocator.blocks_needed("A", 3) == 0, "fewer tokens than A holds need 0 more blocks")
    require(allocator.allocate("A", 3) == [], "fewer tokens than A holds must add nothing")
    require(len(allocator.block_table("A")) == 3, "fewer tokens than A holds must take nothing away")


def test_all_or_nothing(lab: Harness) -> None:
    """allocate raises OutOfBlocks when too few blocks are free, and then nothing has changed."""
    allocator = lab.allocator(num_blocks=4, block_size=4)
    allocator.allocate("A", 4)
    allocator.allocate("B", 8)
    require(allocator.can_allocate("A", 8), "can_allocate says no, but A needs 1 more block for 8 tokens and 1 is free")
    require(
        not allocator.can_allocate("A", 9),
        "can_allocate says yes, but A needs 2 more blocks for 9 tokens and 1 is free",
    )
    require_raises(OutOfBlocks, lambda: allocator.allocate("A", 9), "allocate of 2 blocks with 1 free")
    require(len(allocator.block_table("A")) == 1, "after OutOfBlocks the table of A has changed")
    require(allocator.num_free_blocks == 1, "after OutOfBlocks the number of free blocks has changed")


def test_free_gives_everything_back(lab: Harness) -> None:
    """free returns all of a request's blocks to the pool, where others can have them."""
    allocator = lab.allocator(num_blocks=4, block_size=4)
    allocator.allocate("A", 12)
    allocator.allocate("B", 4)
    allocator.free("A")
    require(allocator.num_free_blocks == 3, f"after free, {allocator.num_free_blocks} of 4 blocks are free; B holds 1")
    require(allocator.block_table("A") == [], "after free, the table of A is not empty")
    blocks = allocator.allocate("C", 12)
    require(not set(blocks) & set(allocator.block_table("B")), "C was given a block that B holds")


def test_free_twice(lab: Harness) -> None:
    """Freeing what holds no block raises KeyError."""
    allocator = lab.allocator(num_blocks=4, block_size=4)
    require_raises(KeyError, lambda: allocator.free("A"), "free of a request that was never seen")
    allocator.allocate("A", 1)
    allocator.free("A")
    require_raises(KeyError, lambda: allocator.free("A"), "free of a request for the second time")
    require(allocator.num_free_blocks == 4, "after free twice, not all 4 blocks are free")


def test_zero_tokens(lab: Harness) -> None:
    """num_tokens below 1 is a ValueError in all three methods."""
    allocator = lab.allocator(num_blocks=4, block_size=4)
    require_raises(ValueError, lambda: allocator.blocks_needed("A", 0), "blocks_needed for 0 tokens")
    require_raises(ValueError, lambda: allocator.can_allocate("A", 0), "can_allocate for 0 tokens")
    require_raises(ValueError, lambda: allocator.allocate("A", -1), "allocate for -1 tokens")


def test_block_table_is_a_copy(lab: Harness) -> None:
    """Whoever changes the list that block_table returned does not change the allocator."""
    allocator = lab.allocator(num_blocks=4, block_size=4)
    allocator.allocate("A", 8)
    allocator.block_table("A").clear()
    require(len(allocator.block_table("A")) == 2, "clearing the returned list changed the table itself")


def test_random_life(lab: Harness) -> None:
    """300 random operations: tables stay apart, and free blocks and tables always add up."""
    rng = random.Random(2680)
    allocator = lab.allocator(num_blocks=12, block_size=3)
    tables: dict[str, list[int]] = {}
    for step in range(300):
        name, num_tokens = rng.choice("ABCDE"), rng.randint(1, 18)
        if name in tables and rng.random() < 0.4:
            allocator.free(name)
            del tables[name]
        elif allocator.can_allocate(name, num_tokens):
            tables[name] = tables.get(name, []) + allocator.allocate(name, num_tokens)
        held = [block for table in tables.values() for block in table]
        require(len(held) == len(set(held)), f"step {step}: a block is held twice: {tables}")
        require(allocator.num_free_blocks == 12 - len(held), f"step {step}: free and held blocks do not add up to 12")
        require(
            all(allocator.block_table(name) == table for name, table in tables.items()),
            f"step {step}: a block table is not what allocate returned",
        )
