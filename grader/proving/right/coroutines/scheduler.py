"""A sequence is a coroutine that asks for tokens until it is done; a scheduler is one that never is."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping

from batching_lab import KVAllocator, OutOfBlocks, Request, RequestTooLong, Schedule, SchedulerConfig

EVICTED = None
News = tuple[int, int | None] | None  # tokens computed and the token sampled, if any; or EVICTED
Life = Generator[tuple[int, int], News, None]  # yields what it has computed and what it has yet to


def life_of(request: Request) -> Life:
    computed = 0
    known = len(request.prompt_token_ids)
    last = known + request.max_tokens
    while known < last:
        news = yield computed, known - computed
        if news is EVICTED:
            computed = 0
            continue
        computed += news[0]
        if news[1] is not None:
            known += 1
            if news[1] == request.eos_token_id:
                return


class Task:
    """A coroutine with what it last yielded."""

    def __init__(self, request: Request) -> None:
        self.name = request.request_id
        self.longest = len(request.prompt_token_ids) + request.max_tokens - 1
        self.life = life_of(request)
        self.computed, self.wants = next(self.life)

    def goes_on(self, news: News) -> bool:
        try:
            self.computed, self.wants = self.life.send(news)
        except StopIteration:
            return False
        return True


class NoPool:
    """Stands in for an allocator where blocks are no limit."""

    num_blocks = 1
    block_size = 1 << 60

    def allocate(self, request_id: str, num_tokens: int) -> object:
        return None

    def free(self, request_id: str) -> None:
        return None


class EventLoop:
    """Queue and running tasks, each a dict in order; subclasses say in `ticks` what a tick is."""

    def __init__(self, config: SchedulerConfig, allocator: KVAllocator | None = None) -> None:
        self.config = config
        self.pool: KVAllocator | NoPool = NoPool() if allocator is None else allocator
        self.may_evict = allocator is not None and config.kv_policy == "max_utilization"
        self.waiting: dict[str, Task] = {}
        self.running: dict[str, Task] = {}
        self.loop = self.ticks()

    def __len__(self) -> int:
        return len(self.waiting) + len(self.running)

    def ticks(self) -> Generator[Schedule | list[str], Mapping[str, int] | None, None]:
        raise NotImplementedError

    def worst(self, task: Task) -> int:
        return -(-task.longest // self.pool.block_size)

    def add_request(self, request: Request) -> None:
        if request.request_id in self.waiting or request.request_id in self.running:
            raise ValueError(f"{request.request_id} is here")
        task = Task(request)
        if self.worst(task) > self.pool.num_blocks or self.never_fits(task):
            raise RequestTooLong(f"{task.name} is too long")
        self.waiting[task.name] = task

    def never_fits(self, task: Task) -> bool:
        return False

    def abort(self, request_id: str) -> None:
        for tasks in (self.waiting, self.running):
            if task := tasks.pop(request_id, None):
                task.life.close()
                if tasks is self.running:
                    self.pool.free(request_id)

    def start_first(self) -> Task:
        name = next(iter(self.waiting))
        self.running[name] = self.waiting.pop(name)
        return self.running[name]

    def settle(self, scheduled: dict[str, int], sampled: Mapping[str, int]) -> Iterator[str]:
        for name, num_tokens in scheduled.items():
            if not self.running[name].goes_on((num_tokens, sampled.get(name))):
                self.pool.free(name)
                del self.running[name]
                yield name

    def schedule(self) -> Schedule:
        decision = next(self.loop)
        assert isinstance(decision, Schedule)
        return decision

    def update(self, sampled: Mapping[str, int]) -> list[str]:
        finished = self.loop.send(sampled)
        assert isinstance(finished, list)
        return finished

    def has_unfinished(self) -> bool:
        return bool(self)


class StaticScheduler(EventLoop):
    def ticks(self) -> Generator[Schedule | list[str], Mapping[str, int] | None, None]:
        while True:
            if not self.running:
                self.fill()
            scheduled = {}
            for name, task in self.running.items():
                scheduled[name] = task.wants
                self.pool.allocate(name, task.computed + task.wants)
            sampled = yield Schedule(scheduled)
            yield list(self.settle(scheduled, sampled or {}))

    def fill(self) -> None:
        room = self.pool.num_blocks if not isinstance(self.pool, NoPool) else len(self.waiting)
        for _ in range(self.config.max_num_seqs):
            first = next(iter(self.waiting.values()), None)
            if first is None or (room := room - self.worst(first)) < 0:
                return
            self.start_first()


class ContinuousScheduler(EventLoop):
    def never_fits(self, task: Task) -> bool:
        budget = self.config.max_num_batched_tokens
        if self.config.enable_chunked_prefill or budget is None:
            return False
        return budget < (task.longest if self.may_evict else task.wants)

    def ticks(self) -> Generator[Schedule | list[str], Mapping[str, int] | None, None]:
        while True:
            scheduled: dict[str, int] = {}
            evicted: list[str] = []
            self.go_on(scheduled, evicted)
            if not evicted:
                self.let_in(scheduled)
            sampled = yield Schedule(scheduled, tuple(evicted))
            yield [*self.settle(scheduled, sampled or {})]

    def chunk(self, task: Task, scheduled: dict[str, int]) -> int:
        """What it can have of this tick's tokens; without chunked prefill that may be less than it needs."""
        most = task.wants
        if self.config.enable_chunked_prefill:
            most = min(most, self.config.prefill_chunk_size or most)
        if self.config.max_num_batched_tokens is not None:
            most = min(most, self.config.max_num_batched_tokens - sum(scheduled.values()))
        return most

    def go_on(self, scheduled: dict[str, int], evicted: list[str]) -> None:
        for task in list(self.running.values()):
            num_tokens = self.chunk(task, scheduled)
            if num_tokens == 0:
                return
            while task.name in self.running:
                try:
                    self.pool.allocate(task.name, task.computed + num_tokens)
                except OutOfBlocks:
                    evicted.append(self.evict())
                else:
                    scheduled[task.name] = num_tokens
                    break
            else:
                return

    def evict(self) -> str:
        name, task = self.running.popitem()
        self.pool.free(name)
        task.goes_on(EVICTED)
        self.waiting = {name: task, **self.waiting}
        return name

    def let_in(self, scheduled: dict[str, int]) -> None:
        while self.waiting and len(self.running) < self.config.max_num_seqs:
            first = next(iter(self.waiting.values()))
            num_tokens = self.chunk(first, scheduled)
            if num_tokens < 1 or (num_tokens < first.wants and not self.config.enable_chunked_prefill):
                return
            if not self.may_evict and not isinstance(self.pool, NoPool):
                worst_cases = sum(map(self.worst, self.running.values())) + self.worst(first)
                if worst_cases > self.pool.num_blocks:
                    return
            try:
                self.pool.allocate(first.name, num_tokens)
            except OutOfBlocks:
                return
            scheduled[self.start_first().name] = num_tokens
