"""As the plain tests of Part 1."""


def test_plain_pool() -> None:
    from kv_allocator import BlockAllocator  # type: ignore[import-not-found, unused-ignore]

    allocator = BlockAllocator(4, 4)
    table = allocator.allocate("A", 5)
    assert sorted(table) == sorted(set(table)) and len(table) == 2
    assert allocator.block_table("A") == table
    assert allocator.num_free_blocks == 2
    assert allocator.blocks_needed("A", 9) == 1
