"""Part 2: the KV block allocator, by direct calls.

A pool is written as (num_blocks, block_size): the blocks, and the tokens in each. `num_tokens` of a call is the total
that the request shall hold, not what is added.
"""

import random

import pytest

from batching_lab import KVAllocator, OutOfBlocks
from batching_lab.harness import Harness, require, require_raises

pytestmark = pytest.mark.own_allocator


def require_pool(allocator: KVAllocator, num_free_blocks: int, tables: dict[str, list[int]], when: str) -> None:
    """So many blocks are free, and these requests hold these tables."""
    for request_id, table in tables.items():
        got = allocator.block_table(request_id)
        order = ", but has the same blocks in another order" if sorted(got) == sorted(table) else ""
        require(
            got == table,
            f"{when}: block_table({request_id!r}) is not what allocate handed out and free took back{order}",
        )
    require_number(allocator.num_free_blocks, num_free_blocks, f"{when}: num_free_blocks")


def require_number(got: int, wanted: int, what: str) -> None:
    require(got == wanted, f"{what} is too {'small' if got < wanted else 'large'}")


def require_one_owner(tables: dict[str, list[int]], when: str) -> None:
    held = [block for table in tables.values() for block in table]
    require(len(set(held)) == len(held), f"{when}: a block is in two tables, or twice in one")


def require_valid_ids(num_blocks: int, tables: dict[str, list[int]], when: str) -> None:
    require(
        all(type(block) is int and 0 <= block < num_blocks for table in tables.values() for block in table),
        f"{when}: a table holds something that is not the id of a block of the pool",
    )


def allocate(allocator: KVAllocator, request_id: str, num_tokens: int, num_new_blocks: int, when: str) -> list[int]:
    """Allocate where it must succeed, and return the new blocks."""
    try:
        new_blocks = allocator.allocate(request_id, num_tokens)
    except OutOfBlocks:
        require(False, f"{when}: allocate({request_id!r}, {num_tokens}) raised OutOfBlocks, but enough blocks are free")
    fewer_or_more = "fewer" if len(new_blocks) < num_new_blocks else "more"
    require(
        len(new_blocks) == num_new_blocks,
        f"{when}: allocate({request_id!r}, {num_tokens}) returned {fewer_or_more} blocks than it should add",
    )
    return list(new_blocks)


def free(allocator: KVAllocator, request_id: str, when: str) -> None:
    """Free where it must succeed."""
    try:
        allocator.free(request_id)
    except KeyError:
        require(False, f"{when}: free({request_id!r}) raised KeyError, but the request holds blocks")


def require_out_of_blocks(allocator: KVAllocator, request_id: str, num_tokens: int, when: str) -> None:
    what = f"{when}: allocate({request_id!r}, {num_tokens})"
    require_raises(OutOfBlocks, lambda: allocator.allocate(request_id, num_tokens), what)


def require_holds_nothing(allocator: KVAllocator, request_id: str, when: str) -> None:
    require_raises(KeyError, lambda: allocator.free(request_id), f"{when}: free({request_id!r}), which holds nothing")
    require(allocator.block_table(request_id) == [], f"{when}: block_table({request_id!r}) is not empty")


def test_new_pool(lab: Harness) -> None:
    """A new pool keeps its two numbers, is all free, and refuses numbers below 1."""
    for num_blocks, block_size in ((7, 4), (1, 1)):
        allocator = lab.allocator(num_blocks, block_size)
        require(allocator.num_blocks == num_blocks, f"num_blocks of a new pool of {num_blocks} is wrong")
        require(allocator.block_size == block_size, f"block_size of a new pool with block size {block_size} is wrong")
        require_pool(allocator, num_blocks, {"A": []}, "in a new pool")
    for num_blocks, block_size in ((0, 4), (4, 0), (-1, 4), (4, -1)):
        require_refused_pool(lab, num_blocks, block_size)


def require_refused_pool(lab: Harness, num_blocks: int, block_size: int) -> None:
    require_raises(
        ValueError, lambda: lab.allocator(num_blocks, block_size), f"BlockAllocator({num_blocks}, {block_size})"
    )


def test_tokens_fill_whole_blocks(lab: Harness) -> None:
    """Tokens are rounded up to whole blocks, request by request."""
    allocator = lab.allocator(num_blocks=8, block_size=4)
    for num_tokens, num_blocks in ((1, 1), (3, 1), (4, 1), (5, 2), (8, 2), (9, 3), (32, 8), (33, 9)):
        require_number(
            allocator.blocks_needed("A", num_tokens),
            num_blocks,
            f"block size 4, new request: blocks_needed of {num_tokens} tokens",
        )
    single = lab.allocator(num_blocks=8, block_size=1)
    require_number(single.blocks_needed("A", 5), 5, "block size 1, new request: blocks_needed of 5 tokens")
    odd = lab.allocator(num_blocks=8, block_size=3)
    require_number(odd.blocks_needed("A", 7), 3, "block size 3, new request: blocks_needed of 7 tokens")
    require_number(odd.blocks_needed("A", 99), 33, "a pool of 8 blocks of size 3: blocks_needed of 99 tokens")

    small = lab.allocator(num_blocks=2, block_size=4)
    when = "2 blocks of size 4, of which A holds some for 5 tokens"
    table = allocate(small, "A", 5, 2, "2 blocks of size 4")
    require(not small.can_allocate("B", 1), f"{when}: can_allocate('B', 1) is true")
    require_out_of_blocks(small, "B", 1, when)
    require_pool(small, 0, {"A": table, "B": []}, when)


def test_growth_by_the_difference(lab: Harness) -> None:
    """A request that holds blocks is given only those that it lacks, and allocate returns only these."""
    allocator = lab.allocator(num_blocks=6, block_size=4)
    table = allocate(allocator, "A", 4, 1, "first allocation")
    require_number(allocator.blocks_needed("A", 9), 2, "a request grows from 4 to 9 tokens: blocks_needed")
    require(allocator.blocks_needed("B", 9) == 3, "blocks_needed of a new request depends on what another one holds")
    table = table + allocate(allocator, "A", 9, 2, "growth from 4 to 9 tokens")
    require_pool(allocator, 3, {"A": table}, "after growth from 4 to 9 tokens")
    require(allocator.can_allocate("A", 24), "a request that holds 3 of 6 blocks: can_allocate of all 6 is false")
    table = table + allocate(allocator, "A", 24, 3, "growth to the whole pool")
    require_pool(allocator, 0, {"A": table}, "after growth to the whole pool")
    require(allocator.num_blocks == 6, "num_blocks, the size of the pool, changed when blocks were handed out")


def test_room_in_the_last_block(lab: Harness) -> None:
    """Tokens that fit into the request's last block need no new block, also when the pool is used up."""
    allocator = lab.allocator(num_blocks=3, block_size=4)
    table = allocate(allocator, "A", 5, 2, "first allocation")
    other = allocate(allocator, "B", 4, 1, "first allocation")
    for num_tokens in (6, 8):
        when = "no block is free, but the last one of A has room"
        require_number(allocator.blocks_needed("A", num_tokens), 0, f"{when}: blocks_needed('A', {num_tokens})")
        require(allocator.can_allocate("A", num_tokens), f"{when}: can_allocate('A', {num_tokens}) is false")
        allocate(allocator, "A", num_tokens, 0, when)
    require(not allocator.can_allocate("A", 9), "no block is free: can_allocate beyond the last block of A is true")
    require(not allocator.can_allocate("B", 5), "no block is free: can_allocate beyond the last block of B is true")
    require_pool(allocator, 0, {"A": table, "B": other}, "after growth inside the last block")


def test_table_grows_at_its_end(lab: Harness) -> None:
    """New blocks go to the end of the table, and those that it holds keep their places."""
    allocator = lab.allocator(num_blocks=9, block_size=2)
    table: list[int] = []
    for request_id in ("X", "B", "Y"):
        blocks = allocate(allocator, request_id, 6, 3, "three requests of 3 blocks each")
        table = blocks if request_id == "B" else table
    require_pool(allocator, 0, {"B": table}, "three requests of 3 blocks each")
    free(allocator, "Y", "three requests of 3 blocks each")
    free(allocator, "X", "three requests of 3 blocks each")
    for num_tokens, num_new_blocks in ((7, 1), (9, 1), (14, 2), (18, 2)):
        table = table + allocate(allocator, "B", num_tokens, num_new_blocks, f"growth to {num_tokens} tokens")
        require_pool(allocator, 9 - len(table), {"B": table}, f"after growth to {num_tokens} tokens")


def test_fewer_tokens_add_nothing(lab: Harness) -> None:
    """Fewer tokens than a request holds already: nothing is needed, added or given back."""
    allocator = lab.allocator(num_blocks=3, block_size=4)
    table = allocate(allocator, "A", 12, 3, "first allocation")
    for num_tokens in (12, 5, 1):
        when = "a request that holds 12 tokens"
        require_number(allocator.blocks_needed("A", num_tokens), 0, f"{when}: blocks_needed of {num_tokens} tokens")
        require(allocator.can_allocate("A", num_tokens), f"{when}: can_allocate of {num_tokens} tokens is false")
        allocate(allocator, "A", num_tokens, 0, when)
        require_pool(allocator, 0, {"A": table}, f"{when}, after allocate of {num_tokens} tokens")
    require_number(allocator.blocks_needed("A", 12), 0, "12 tokens again, after allocate of fewer: blocks_needed")
    larger = lab.allocator(num_blocks=4, block_size=4)
    table = allocate(larger, "A", 12, 3, "first allocation")
    allocate(larger, "A", 1, 0, "a request that holds 12 tokens")
    table = table + allocate(larger, "A", 13, 1, "growth from 12 to 13 tokens, after allocate of 1")
    require_pool(larger, 0, {"A": table}, "after growth from 12 to 13 tokens, after allocate of 1")


def test_blocks_have_one_owner(lab: Harness) -> None:
    """Every block of the pool can be handed out, to one request at a time, and there are no others."""
    allocator = lab.allocator(num_blocks=10, block_size=2)
    tables: dict[str, list[int]] = {"A": [], "B": [], "C": [], "D": []}
    for request_id, num_tokens, num_new_blocks in (
        ("A", 3, 2),
        ("B", 2, 1),
        ("C", 5, 3),
        ("A", 5, 1),
        ("D", 1, 1),
        ("B", 6, 2),
    ):
        tables[request_id] += allocate(allocator, request_id, num_tokens, num_new_blocks, "four requests, 10 blocks")
    require_pool(allocator, 0, tables, "four requests hold all of 10 blocks")
    require_one_owner(tables, "four requests hold all of 10 blocks")
    require_valid_ids(10, tables, "four requests hold all of 10 blocks")


def test_all_or_nothing(lab: Harness) -> None:
    """When allocate raises OutOfBlocks, nothing has changed: no block is taken, no table has grown."""
    allocator = lab.allocator(num_blocks=5, block_size=4)
    tables = {"A": allocate(allocator, "A", 8, 2, "first allocation")}
    require_out_of_blocks(allocator, "B", 16, "3 blocks are free, 4 are wanted")
    require_pool(allocator, 3, tables, "after OutOfBlocks for a new request")
    require_holds_nothing(allocator, "B", "after OutOfBlocks for a new request")
    require_out_of_blocks(allocator, "A", 24, "3 blocks are free, 4 more are wanted")
    require_pool(allocator, 3, tables, "after OutOfBlocks for a request that holds blocks")
    require_out_of_blocks(allocator, "C", 1000, "more blocks are wanted than the pool has")
    require_pool(allocator, 3, tables, "after OutOfBlocks for more blocks than the pool has")
    tables["B"] = allocate(allocator, "B", 12, 3, "3 blocks are free after OutOfBlocks")
    require_pool(allocator, 0, tables, "when all blocks are held")


def test_exactly_the_last_block(lab: Harness) -> None:
    """The last free block can be had, and one more can't."""
    allocator = lab.allocator(num_blocks=4, block_size=4)
    table = allocate(allocator, "A", 12, 3, "first allocation")
    require(allocator.can_allocate("A", 16), "1 block is free: can_allocate of 1 more is false")
    require(allocator.can_allocate("B", 4), "1 block is free: can_allocate of 1 for a new request is false")
    require(not allocator.can_allocate("A", 17), "1 block is free: can_allocate of 2 more is true")
    require(not allocator.can_allocate("B", 5), "1 block is free: can_allocate of 2 for a new request is true")
    require_out_of_blocks(allocator, "A", 17, "1 block is free, 2 more are wanted")
    table = table + allocate(allocator, "A", 16, 1, "1 block is free")
    require_pool(allocator, 0, {"A": table}, "when all blocks are held")


def test_questions_change_nothing(lab: Harness) -> None:
    """blocks_needed, can_allocate and block_table take nothing and remember nothing."""
    allocator = lab.allocator(num_blocks=4, block_size=4)
    table = allocate(allocator, "A", 5, 2, "first allocation")
    for request_id in ("A", "B"):
        allocator.blocks_needed(request_id, 12)
        allocator.can_allocate(request_id, 12)
        allocator.can_allocate(request_id, 100)
        allocator.block_table(request_id)
    require_pool(allocator, 2, {"A": table}, "after blocks_needed, can_allocate and block_table")
    require_holds_nothing(allocator, "B", "after blocks_needed, can_allocate and block_table")
    require(allocator.blocks_needed("A", 12) == 1, "blocks_needed, asked twice, is wrong the second time")


def test_num_tokens_below_one(lab: Harness) -> None:
    """num_tokens below 1 is a ValueError in blocks_needed, can_allocate and allocate, and changes nothing."""
    allocator = lab.allocator(num_blocks=2, block_size=4)
    table = allocate(allocator, "A", 5, 2, "first allocation")
    for request_id in ("A", "B"):
        for num_tokens in (0, -1, -9):
            require_refused_tokens(allocator, request_id, num_tokens)
    require_pool(allocator, 0, {"A": table}, "after num_tokens below 1")
    require_holds_nothing(allocator, "B", "after num_tokens below 1")


def require_refused_tokens(allocator: KVAllocator, request_id: str, num_tokens: int) -> None:
    arguments = f"({request_id!r}, {num_tokens})"
    require_raises(ValueError, lambda: allocator.blocks_needed(request_id, num_tokens), f"blocks_needed{arguments}")
    require_raises(ValueError, lambda: allocator.can_allocate(request_id, num_tokens), f"can_allocate{arguments}")
    require_raises(ValueError, lambda: allocator.allocate(request_id, num_tokens), f"allocate{arguments}")


def test_free_gives_all_blocks_back(lab: Harness) -> None:
    """free gives back every block of the request, those of its growth and a half-filled one too, and no other's."""
    allocator = lab.allocator(num_blocks=8, block_size=4)
    allocate(allocator, "A", 4, 1, "first allocation")
    other = allocate(allocator, "B", 6, 2, "first allocation")
    allocate(allocator, "A", 13, 3, "growth from 4 to 13 tokens")
    free(allocator, "A", "after growth")
    require_pool(allocator, 6, {"A": [], "B": other}, "after free of one of two requests")
    other = other + allocate(allocator, "B", 32, 6, "all blocks but those of the request itself are free")
    require_pool(allocator, 0, {"A": [], "B": other}, "when one request holds the whole pool")
    free(allocator, "B", "when one request holds the whole pool")
    require_pool(allocator, 8, {"A": [], "B": []}, "after free of all requests")


def test_free_of_nothing(lab: Harness) -> None:
    """To free a request that holds nothing is a KeyError, also the second time, and gives nothing back."""
    allocator = lab.allocator(num_blocks=6, block_size=4)
    require_holds_nothing(allocator, "X", "a request that was never seen")
    allocate(allocator, "A", 8, 2, "first allocation")
    tables = {"B": allocate(allocator, "B", 4, 1, "first allocation")}
    free(allocator, "A", "the first time")
    require_holds_nothing(allocator, "A", "the second time")
    require_pool(allocator, 5, tables, "after a request was freed twice")
    tables["C"] = allocate(allocator, "C", 20, 5, "5 blocks are free after a request was freed twice")
    require_pool(allocator, 0, tables, "after a request was freed twice and the pool was used up")
    require_one_owner(tables, "after a request was freed twice and the pool was used up")


def test_freed_blocks_are_used_again(lab: Harness) -> None:
    """Blocks that were given back can be handed out again, any number of times; an id that comes back starts anew."""
    allocator = lab.allocator(num_blocks=5, block_size=4)
    blocks: set[int] = set()
    for number in range(1, 13):
        when = f"use number {number} of the same pool"
        require_number(allocator.blocks_needed("A", 9), 3, f"{when}: blocks_needed of a request that holds nothing")
        first = allocate(allocator, "A", 9, 3, when)
        second = allocate(allocator, f"B{number}", 8, 2, when)
        require_pool(allocator, 0, {"A": first, f"B{number}": second}, when)
        blocks = blocks or {*first, *second}
        require({*first, *second} == blocks, f"{when}: the blocks handed out are not those that came back")
        free(allocator, "A", when)
        free(allocator, f"B{number}", when)
        require_pool(allocator, 5, {"A": []}, f"after {when}")


def test_block_table_is_a_copy(lab: Harness) -> None:
    """What block_table returns is a copy: the caller may change it, and it does not change by itself."""
    allocator = lab.allocator(num_blocks=6, block_size=4)
    table = allocate(allocator, "A", 8, 2, "first allocation")
    allocator.block_table("A").append(0)
    allocator.block_table("A").clear()
    require_pool(allocator, 4, {"A": table}, "after a caller changed a table that block_table had returned")
    before = allocator.block_table("A")
    grown = table + allocate(allocator, "A", 12, 1, "growth")
    require(before == table, "a table that block_table had returned changed when the request grew")
    require_pool(allocator, 3, {"A": grown}, "after growth")
    free(allocator, "A", "after growth")
    require(before == table, "a table that block_table had returned changed when the request was freed")


def test_pools_are_independent(lab: Harness) -> None:
    """Two allocators share nothing."""
    one, other = lab.allocator(num_blocks=3, block_size=4), lab.allocator(num_blocks=5, block_size=2)
    first = allocate(one, "A", 12, 3, "two pools")
    require_pool(other, 5, {"A": []}, "after an allocation from another pool")
    second = allocate(other, "A", 10, 5, "two pools")
    require_pool(one, 0, {"A": first}, "after an allocation from another pool")
    free(one, "A", "two pools")
    require_pool(one, 3, {"A": []}, "after free in one of two pools")
    require_pool(other, 0, {"A": second}, "after free in another pool")


def test_large_pool(lab: Harness) -> None:
    """A pool of 100,000 blocks works, too."""
    allocator = lab.allocator(num_blocks=100_000, block_size=16)
    when = "100,000 blocks"
    tables = {name: allocate(allocator, name, 64, 4, when) for name in "ABCDE"}
    require_pool(allocator, 99_980, tables, f"{when}, 5 requests of 4 blocks")
    require_one_owner(tables, f"{when}, 5 requests of 4 blocks")
    require(allocator.can_allocate("X", 1_599_680), f"{when}: can_allocate of all that are free is false")
    require(not allocator.can_allocate("X", 1_599_681), f"{when}: can_allocate of one more than are free is true")
    tables["F"] = allocate(allocator, "F", 80_000, 5000, when)
    require_pool(allocator, 94_980, tables, f"{when}, a request of 5000 blocks beside 5 small ones")
    require_one_owner(tables, f"{when}, a request of 5000 blocks beside 5 small ones")
    for name in "ABCDEF":
        free(allocator, name, when)
    require_pool(allocator, 100_000, {"A": [], "E": []}, f"{when}, after free of all requests")


NUM_OPERATIONS = 400


def test_random_operations(lab: Harness) -> None:
    """400 random operations of a few requests on a small pool agree with a plain model at every step."""
    num_blocks, block_size = 12, 3
    allocator = lab.allocator(num_blocks, block_size)
    rng = random.Random(2680)
    tables: dict[str, list[int]] = {name: [] for name in "ABCDE"}
    for number in range(1, NUM_OPERATIONS + 1):
        request_id = rng.choice("ABCDE")
        table = tables[request_id]
        num_free_blocks = num_blocks - sum(map(len, tables.values()))
        if rng.random() < 0.25:
            when = f"operation {number}, free of {request_id!r}"
            if table:
                free(allocator, request_id, when)
                tables[request_id] = []
            else:
                require_holds_nothing(allocator, request_id, when)
        else:
            num_tokens = max(1, block_size * len(table) + rng.randint(-4, 9))
            num_new_blocks = max(0, -(-num_tokens // block_size) - len(table))
            when = f"operation {number}, {num_tokens} tokens for {request_id!r}"
            fits = num_new_blocks <= num_free_blocks
            require(
                allocator.can_allocate(request_id, num_tokens) == fits,
                f"before {when}: can_allocate does not tell whether it will succeed",
            )
            if fits:
                tables[request_id] = table + allocate(allocator, request_id, num_tokens, num_new_blocks, when)
            else:
                require_out_of_blocks(allocator, request_id, num_tokens, when)
        num_free_blocks = num_blocks - sum(map(len, tables.values()))
        shown = tables if number % 20 == 0 else {request_id: tables[request_id]}
        require_pool(allocator, num_free_blocks, shown, f"after {when}")
        require_one_owner(tables, f"after {when}")
        require_valid_ids(num_blocks, tables, f"after {when}")
