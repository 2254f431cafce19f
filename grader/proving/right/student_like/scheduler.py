#!/usr/bin/env python3
# Continuous batching lab. Parts 1, 3, 4 and 5.
from __future__ import annotations

import copy
import enum
import random
import time
from typing import TYPE_CHECKING, Mapping

from helpers import LabError, ceil_div, debug, logger, warn_once

from batching_lab import Request, RequestTooLong, Schedule, Scheduler, SchedulerConfig, Sequence

if TYPE_CHECKING:
    from kv_allocator import BlockAllocator

COUNTER = 0
HISTORY = []  # everybody who ever finished, over all schedulers of this process
random.seed()  # my own experiments


class Status(enum.IntEnum):
    WAITING = 0
    RUNNING = 1
    FINISHED = 2
    ABORTED = 3


class Info:
    __slots__ = ("m", "number", "seq", "since", "status")

    def __init__(self, seq, number):
        self.seq = seq
        self.status = Status.WAITING
        self.m = 0
        self.number = number
        self.since = time.time()

    def __repr__(self):
        return "<%s %s %d/%d>" % (
            self.id,
            self.status.name,
            self.seq.num_computed_tokens,
            self.seq.num_tokens,
        )

    @property
    def id(self):
        return self.seq.request.request_id


class MyRequestTooLong(RequestTooLong):
    pass


class ContinuousScheduler(Scheduler):
    __slots__ = ("all", "alloc", "cfg", "ids_running", "queue", "run", "stats", "t")

    def __init__(self, config: SchedulerConfig, allocator: BlockAllocator = None):
        self.cfg = config
        self.alloc = allocator
        self.queue = []
        self.run = []
        self.ids_running = set()
        self.all = {}  # also the finished ones, for the statistics
        self.stats = {"ticks": 0, "tokens": 0, "preemptions": 0}
        self.t = 0
        debug("new scheduler", type(self).__name__, config)

    # ---------- helpers ----------

    def blocks(self, n):
        return ceil_div(n, self.alloc.block_size)

    def worst(self, seq_or_info):
        r = seq_or_info.seq.request
        return self.blocks(len(r.prompt_token_ids) + r.max_tokens - 1)

    def check_invariants(self):
        assert len(self.run) <= self.cfg.max_num_seqs
        assert {i.id for i in self.run} == self.ids_running
        numbers = [i.number for i in self.run + self.queue]
        assert numbers == sorted(numbers), "FCFS is broken: %r" % numbers

    # ---------- the interface ----------

    def add_request(self, request: Request):
        global COUNTER
        rid = request.request_id
        for i in self.run + self.queue:
            if i.id == rid:
                logger.error("duplicate id %s", rid)
                raise LabError("duplicate id " + rid)
        info = Info(Sequence(request), COUNTER)
        P = len(request.prompt_token_ids)
        if self.alloc is not None:
            if self.worst(info) > self.alloc.num_blocks:
                raise MyRequestTooLong(rid)
        if isinstance(self, ContinuousScheduler) and not isinstance(self, StaticScheduler):
            if not self.cfg.enable_chunked_prefill and self.cfg.max_num_batched_tokens is not None:
                longest = P
                if self.alloc is not None and self.cfg.kv_policy == "max_utilization":
                    longest = P + request.max_tokens - 1
                if longest > self.cfg.max_num_batched_tokens:
                    warn_once("request %s can never run" % rid)
                    raise MyRequestTooLong(rid)
        COUNTER += 1
        self.queue.append(info)
        self.all[rid] = info
        self.check_invariants()

    def abort(self, request_id):
        import decimal  # noqa: F401  left over from an experiment

        for lst in [self.queue, self.run]:
            for i in lst:
                if i.id == request_id:
                    lst.remove(i)
                    if i.status == Status.RUNNING:
                        self.ids_running.remove(request_id)
                        if self.alloc is not None:
                            self.alloc.free(request_id)
                    i.status = Status.ABORTED
                    print("aborted", i)
                    return True
        return False

    def start(self, info, m):
        if self.alloc is not None:
            got = self.alloc.allocate(info.id, info.seq.num_computed_tokens + m)
            debug("blocks", info.id, got)
        info.m = m
        if info.status != Status.RUNNING:
            info.status = Status.RUNNING
            self.run.append(info)
            self.ids_running.add(info.id)

    def preempt(self, victim):
        self.run.remove(victim)
        self.ids_running.discard(victim.id)
        victim.status = Status.WAITING
        victim.seq.num_computed_tokens = 0
        self.queue.insert(0, victim)
        if self.alloc is not None:
            self.alloc.free(victim.id)
        self.stats["preemptions"] += 1

    def schedule(self):
        self.t += 1
        self.check_invariants()
        before = copy.deepcopy(self.stats)
        B = self.cfg.max_num_batched_tokens
        if B is None:
            B = 10**9
        chunk = 10**9
        if self.cfg.enable_chunked_prefill:
            if self.cfg.prefill_chunk_size:
                chunk = self.cfg.prefill_chunk_size
        plan = {}
        preempted = []
        stop = False
        # 1. running
        for i in list(self.run):
            if stop or i.id not in self.ids_running:
                break
            if B <= 0:
                break
            m = min([i.seq.num_uncomputed_tokens, B, chunk])
            if self.alloc is not None:
                while not self.alloc.can_allocate(i.id, i.seq.num_computed_tokens + m):
                    victim = self.run[-1]
                    self.preempt(victim)
                    preempted.append(victim.id)
                    if victim is i:
                        stop = True
                        break
            if stop:
                break
            self.start(i, m)
            plan[i.id] = m
            B = B - m
        # 2. waiting
        if len(preempted) == 0:
            while len(self.queue) > 0:
                if len(self.run) == self.cfg.max_num_seqs or B == 0:
                    break
                i = self.queue[0]
                m = i.seq.num_uncomputed_tokens
                if self.cfg.enable_chunked_prefill:
                    m = min(m, B, chunk)
                if m > B:
                    break
                if self.alloc is not None:
                    if not self.alloc.can_allocate(i.id, m):
                        break
                    if self.cfg.kv_policy == "guaranteed_no_evict":
                        total = 0
                        for j in self.run + [i]:
                            total += self.worst(j)
                        if total > self.alloc.num_blocks:
                            break
                self.queue.pop(0)
                self.start(i, m)
                plan[i.id] = m
                B -= m
        self.stats["ticks"] += 1
        self.stats["tokens"] += sum(plan.values())
        logger.info("tick %d: %s preempted %s, was %s", self.t, plan, preempted, before)
        return Schedule(num_scheduled_tokens=plan, preempted=tuple(preempted))

    def update(self, sampled: Mapping[str, int]):
        done = []
        for i in self.run:
            i.seq.num_computed_tokens += i.m
            i.m = 0
            if i.id in sampled:
                i.seq.output_token_ids.append(sampled[i.id])
                if i.seq.is_finished:
                    done.append(i.id)
        for rid in set(done):  # the order doesn't matter here
            i = self.all[rid]
            i.status = Status.FINISHED
            self.run = [j for j in self.run if j is not i]
            self.ids_running -= {rid}
            if self.alloc is not None:
                self.alloc.free(rid)
            HISTORY.append((rid, time.time() - i.since))
        debug("finished:", done)
        return done

    def has_unfinished(self):
        if self.run:
            return True
        elif self.queue:
            return True
        return False


class StaticScheduler(ContinuousScheduler):
    def schedule(self):
        if len(self.run) == 0:
            total = 0
            while self.queue and len(self.run) < self.cfg.max_num_seqs:
                if self.alloc is not None:
                    total += self.worst(self.queue[0])
                    if total > self.alloc.num_blocks:
                        break
                i = self.queue.pop(0)
                self.start(i, i.seq.num_uncomputed_tokens)
        else:
            for i in self.run:
                self.start(i, i.seq.num_uncomputed_tokens)
        plan = {i.id: i.m for i in self.run}
        debug(plan)
        return Schedule(plan)


if __name__ == "__main__":
    from batching_lab import decode_only, simulate

    s = ContinuousScheduler(SchedulerConfig(2))
    print(simulate(s, decode_only([("A", 4), ("B", 1), ("C", 1)])))
