"""Measures what ticks of different sizes take, and fits a cost model to it."""

import itertools
import random
import statistics
import time
from dataclasses import dataclass

import numpy as np

from batching_lab.model.executor import ModelExecutor
from batching_lab.model.llama import Llama
from batching_lab.request import Job, Request, Sequence
from batching_lab.schedule import Schedule

BLOCK_SIZE = 16
BATCH_SIZES = (1, 2, 4, 8, 16)
CONTEXTS = (16, 64, 256, 512)
CHUNKS = (16, 64, 128, 256)


@dataclass(frozen=True)
class Shape:
    """A tick in which every sequence has computed c tokens and computes m more."""

    num_sequences: int
    num_computed: int
    num_tokens: int

    @property
    def tokens(self) -> int:
        """The sum of m."""
        return self.num_sequences * self.num_tokens

    @property
    def context_tokens(self) -> int:
        """The sum of c + m."""
        return self.num_sequences * (self.num_computed + self.num_tokens)


@dataclass(frozen=True)
class Point:
    """A shape and what it took: the median of several ticks."""

    shape: Shape
    milliseconds: float


@dataclass(frozen=True)
class Fit:
    """milliseconds = base + per_token * (sum of m) + per_context_token * (sum of c + m)

    left_out  coefficients that would have come out negative: they are 0, and the others were fitted without them
    """

    base: float
    per_token: float
    per_context_token: float
    left_out: tuple[str, ...]
    r_squared: float

    def milliseconds(self, shape: Shape) -> float:
        """What a tick of this shape costs by the fit."""
        return self.base + self.per_token * shape.tokens + self.per_context_token * shape.context_tokens


def shapes_for(context_length: int) -> list[Shape]:
    """Decodes of several batch sizes and contexts, and single chunks of prompts at several places."""
    decodes = [Shape(batch, context - 1, 1) for batch in BATCH_SIZES for context in CONTEXTS]
    chunks = [Shape(1, computed, chunk) for chunk in CHUNKS for computed in (0, 256)]
    return [shape for shape in decodes + chunks if shape.num_computed + shape.num_tokens <= context_length]


def measure(llama: Llama, shapes: list[Shape], repeats: int, seed: int = 0) -> list[Point]:
    """Time each shape `repeats` times, all in turns and in random order: a slow minute then hits them alike."""
    rng = random.Random(seed)
    ticks = [Tick(llama, shape) for shape in shapes]
    for tick in ticks:
        tick.run()  # warm
    times: list[list[float]] = [[] for _ in ticks]
    for _ in range(repeats):
        for number in rng.sample(range(len(ticks)), len(ticks)):
            start = time.perf_counter()
            ticks[number].run()  # the sampled tokens come back to the processor: so the device is done
            times[number].append(1000 * (time.perf_counter() - start))
    return [Point(shape, statistics.median(of_shape)) for shape, of_shape in zip(shapes, times, strict=True)]


class Tick:
    """One tick of a shape that can be run again and again."""

    def __init__(self, llama: Llama, shape: Shape) -> None:
        blocks_each = -(-(shape.num_computed + shape.num_tokens) // BLOCK_SIZE)
        prompt = (1,) * (shape.num_computed + shape.num_tokens)
        requests = [Request(f"r{number}", prompt, 1) for number in range(shape.num_sequences)]
        jobs = [Job(request) for request in requests]
        self.executor = ModelExecutor(llama, jobs, shape.num_sequences * blocks_each, BLOCK_SIZE)
        self.schedule = Schedule({request.request_id: shape.num_tokens for request in requests})
        self.sequences = {request.request_id: Sequence(request, shape.num_computed) for request in requests}
        self.block_tables = {
            request.request_id: list(range(number * blocks_each, (number + 1) * blocks_each))
            for number, request in enumerate(requests)
        }

    def run(self) -> None:
        """Compute it once, and wait for the result."""
        self.executor.execute(self.schedule, self.sequences, self.block_tables)


COEFFICIENTS = ("base", "per_token", "per_context_token")


def fit(points: list[Point]) -> Fit:
    """Least squares of the relative errors: so that a short tick, of which a run has many, counts like a long one.

    No cost is negative. Of all choices of coefficients that come out at 0 or more, it takes the one with the least
    error; the others are 0.
    """
    times = np.array([point.milliseconds for point in points])
    columns = np.array([[1.0, point.shape.tokens, point.shape.context_tokens] for point in points])
    weighted = columns / times[:, np.newaxis]
    best: tuple[float, np.ndarray] | None = None
    for number in range(1, 4):
        for chosen in itertools.combinations(range(3), number):
            values, *_ = np.linalg.lstsq(weighted[:, chosen], np.ones(len(times)), rcond=None)
            if values.min() >= 0:
                coefficients = np.zeros(3)
                coefficients[list(chosen)] = values
                error = float(((weighted @ coefficients - 1) ** 2).sum())
                if best is None or error < best[0]:
                    best = error, coefficients
    assert best is not None  # a single column of positive numbers never comes out negative
    coefficients = best[1]
    spread = float(((times - times.mean()) ** 2).sum())
    missed = float(((times - columns @ coefficients) ** 2).sum())
    left_out = tuple(name for name, value in zip(COEFFICIENTS, coefficients, strict=True) if value == 0)
    base, per_token, per_context_token = coefficients.tolist()
    return Fit(base, per_token, per_context_token, left_out, 1 - missed / spread if spread else 1.0)
