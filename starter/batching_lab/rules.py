"""The rules that are checked at every tick, in one sentence each: `kv_content` and `logits` with a model only."""

RULES = {
    "schedule_type": "schedule() returns a Schedule: a dict from request id (str) to a number of tokens (int), "
    "and a tuple of the preempted ids.",
    "update_type": "update() returns the list of the ids (str) that finished in this tick.",
    "live": "Only requests that are waiting or running can be scheduled.",
    "num_tokens": "A scheduled sequence computes at least 1 token and at most P + g - c, "
    "what it knows and has not computed.",
    "chunking": "Without chunked prefill a sequence computes everything that it has not computed, in one tick.",
    "chunk_size": "With chunked prefill a sequence computes at most prefill_chunk_size tokens in a tick.",
    "token_budget": "The tokens scheduled in one tick are at most max_num_batched_tokens.",
    "slots": "At most max_num_seqs sequences are running at once.",
    "preemption": "Only a sequence that was running can be preempted, once at a boundary, "
    "and it is not scheduled in that tick.",
    "no_evict": "Static batching and guaranteed_no_evict never preempt.",
    "blocks_held": "A sequence scheduled for m tokens then holds exactly blocks(c + m) KV blocks.",
    "blocks_released": "A sequence that finishes, is aborted or is preempted gives all its blocks back at once.",
    "block_table": "A block table is a list of block ids (int) that only grows at its end while its request runs.",
    "block_id": "Block ids are 0 to num_blocks - 1.",
    "block_owner": "A block belongs to one request at a time.",
    "free_blocks": "Free blocks and the blocks in the running sequences' tables add up to num_blocks.",
    "finished": "update() returns exactly the sequences that sampled their last token (EOS, or number max_tokens) "
    "in this tick, in schedule order.",
    "has_unfinished": "has_unfinished() is true as long as a request is waiting or running, and only then.",
    "stalled": "While a request is unfinished, every tick computes at least one token.",
    "kv_content": "What a sequence reads through its block table is the keys and values of its own tokens, in order.",
    "logits": "A sampled token's logit is close to the largest of a plain forward pass over the same text.",
    "bound": "Every run is over by tick (last arrival) + sum of (P + n - 1).",
}
