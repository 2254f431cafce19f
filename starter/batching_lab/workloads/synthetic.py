"""Made-up workloads, by name. The same name, number and seed give the same jobs on every machine.

    long-short          3 of 4 requests short, 1 of 4 long, all there from the start
    mixed               3 of 4 outputs short, 1 of 4 long, sized for a model on a CPU, all there from the start
    bursty              4 to 12 requests at once, then 20 to 60 quiet ticks
    azure-code          lengths shaped like the Azure LLM inference trace 2023, code
    azure-conversation  the same, conversation
    mooncake            lengths shaped like the Mooncake conversation trace

The last three are all there from the start, too. Of a trace they keep the distribution of the prompt
lengths and that of the output lengths, but not how the two go together. `max_tokens` is the length that
is really generated.
"""

from collections.abc import Callable
from random import Random

from batching_lab.config import require_int
from batching_lab.request import Job
from batching_lab.workloads.jobs import make_job

# (share of the requests, most tokens that they have), with straight lines between the points. No
# logarithm or power is needed to draw from it, so that every machine draws the same numbers.
Quantiles = tuple[tuple[float, int], ...]

AZURE_CODE_PROMPT: Quantiles = (
    (0.0, 3), (0.05, 75), (0.25, 578), (0.5, 1469), (0.75, 2745), (0.9, 5194), (0.95, 7315), (0.99, 7436), (1.0, 7437)
)  # fmt: skip
AZURE_CODE_OUTPUT: Quantiles = (
    (0.0, 6), (0.25, 9), (0.5, 13), (0.75, 24), (0.9, 55), (0.95, 90), (0.99, 251), (1.0, 600)
)  # fmt: skip
AZURE_CONVERSATION_PROMPT: Quantiles = (
    (0.0, 2), (0.05, 181), (0.25, 396), (0.5, 1020), (0.75, 1189), (0.9, 2735), (0.95, 4083), (0.99, 4142), (1.0, 4800)
)  # fmt: skip
AZURE_CONVERSATION_OUTPUT: Quantiles = (
    (0.0, 7), (0.05, 41), (0.25, 85), (0.5, 129), (0.75, 395), (0.9, 424), (0.95, 451), (0.99, 601), (1.0, 1000)
)  # fmt: skip
MOONCAKE_PROMPT: Quantiles = (
    (0.0, 200), (0.25, 3000), (0.5, 6909), (0.75, 13000), (0.9, 24000), (0.97, 50000), (0.99, 85400), (1.0, 123000)
)  # fmt: skip
MOONCAKE_OUTPUT: Quantiles = (
    (0.0, 1), (0.1, 20), (0.25, 150), (0.5, 350), (0.75, 460), (0.9, 600), (0.99, 1119), (1.0, 2000)
)  # fmt: skip


def synthetic_jobs(name: str, num_jobs: int = 100, seed: int = 0, divide_by: int = 1) -> list[Job]:
    """`num_jobs` jobs r1, r2, ... of a workload named above.

    divide_by  every length is divided by it and rounded up, so that a run of the long ones stays readable

    Raises `ValueError` for an unknown name, a number of jobs or a divisor below 1, or a seed below 0.
    """
    if name not in WORKLOADS:
        raise ValueError(f"there is no workload {name!r}; there are {', '.join(WORKLOADS)}")
    require_int("num_jobs", num_jobs, 1)
    require_int("seed", seed, 0)
    require_int("divide_by", divide_by, 1)
    jobs = []
    for number, (prompt_len, output_len, arrival) in enumerate(WORKLOADS[name](num_jobs, Random(seed)), start=1):
        jobs.append(make_job(f"r{number}", -(-prompt_len // divide_by), -(-output_len // divide_by), arrival=arrival))
    return jobs


Lengths = list[tuple[int, int, int]]  # of each job: prompt tokens, output tokens, arrival tick


def long_short(num_jobs: int, random: Random) -> Lengths:
    """3 of 4 requests short, 1 of 4 long."""
    lengths = []
    for _ in range(num_jobs):
        if random.random() < 0.25:
            lengths.append((random.randint(32, 64), random.randint(40, 80), 0))
        else:
            lengths.append((random.randint(4, 16), random.randint(4, 12), 0))
    return lengths


def mixed(num_jobs: int, random: Random) -> Lengths:
    """3 of 4 outputs short, 1 of 4 long, with prompts of any length."""
    lengths = []
    for _ in range(num_jobs):
        output_len = random.randint(60, 95) if random.random() < 0.25 else random.randint(4, 24)
        lengths.append((random.randint(8, 62), output_len, 0))
    return lengths


def bursty(num_jobs: int, random: Random) -> Lengths:
    """4 to 12 requests at once, then 20 to 60 ticks without any."""
    lengths: Lengths = []
    arrival = 0
    while len(lengths) < num_jobs:
        for _ in range(random.randint(4, 12)):
            lengths.append((random.randint(8, 48), random.randint(4, 24), arrival))
        arrival += random.randint(20, 60)
    return lengths[:num_jobs]


def shaped_like(prompt: Quantiles, output: Quantiles) -> Callable[[int, Random], Lengths]:
    """Lengths drawn from two distributions, independently."""

    def lengths(num_jobs: int, random: Random) -> Lengths:
        return [(draw(prompt, random), draw(output, random), 0) for _ in range(num_jobs)]

    return lengths


def draw(quantiles: Quantiles, random: Random) -> int:
    """One length from a distribution."""
    share = random.random()
    i = next(i for i in range(1, len(quantiles)) if share <= quantiles[i][0])
    (low_share, low), (high_share, high) = quantiles[i - 1], quantiles[i]
    return round(low + (high - low) * (share - low_share) / (high_share - low_share))


WORKLOADS: dict[str, Callable[[int, Random], Lengths]] = {
    "long-short": long_short,
    "bursty": bursty,
    "azure-code": shaped_like(AZURE_CODE_PROMPT, AZURE_CODE_OUTPUT),
    "azure-conversation": shaped_like(AZURE_CONVERSATION_PROMPT, AZURE_CONVERSATION_OUTPUT),
    "mooncake": shaped_like(MOONCAKE_PROMPT, MOONCAKE_OUTPUT),
    "mixed": mixed,
}
