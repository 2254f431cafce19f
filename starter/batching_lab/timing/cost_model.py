"""What a tick costs in milliseconds, as it was measured on one machine: a `UnitCost` with a history."""

import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from batching_lab.trace import UnitCost

SCHEMA = "batching-lab/cost-model/v1"


@dataclass(frozen=True)
class CostModel:
    """A fit, and for what it holds.

    base, per_token, per_context_token  in milliseconds, as in `UnitCost`
    r_squared                           share of the times' variance that the fit explains
    largest_error                       of a measured time, as a share of it
    """

    base: float
    per_token: float
    per_context_token: float
    r_squared: float
    largest_error: float
    model: str
    device: str
    dtype: str
    threads: int
    machine: str
    torch: str
    python: str
    date: str

    @property
    def cost(self) -> UnitCost:
        """Its three numbers, in milliseconds."""
        return UnitCost(self.base, self.per_token, self.per_context_token)

    def __str__(self) -> str:
        threads = "1 thread" if self.threads == 1 else f"{self.threads} threads"
        where = f"{self.device} ({self.machine}, {threads})"
        return f"{self.model} in {self.dtype} on {where}, PyTorch {self.torch}, {self.date}"

    def to_json(self, points: list[dict[str, Any]]) -> str:
        """As text. `points` are the measurements behind it, for whoever reads the file."""
        return json.dumps({"schema": SCHEMA, "unit": "ms", **asdict(self), "points": points}, indent=1)


def load_cost_model(path: Path) -> CostModel:
    """Raises `ValueError` with a sentence that names the file and what is wrong with it."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"can't read {path}: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise ValueError(f"{path} is not JSON") from None
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise ValueError(f"{path} is no cost model: python -m batching_lab calibrate --out FILE writes one")
    values: dict[str, Any] = {}
    for name, kind in CostModel.__annotations__.items():
        value = data.get(name)
        if kind is float and type(value) is int:
            value = float(value)
        if type(value) is not kind or (isinstance(value, float) and not math.isfinite(value)):
            raise ValueError(f"{path}: {name} is {value!r}, which is no {kind.__name__}")
        values[name] = value
    for name in ("base", "per_token", "per_context_token"):
        if values[name] < 0:
            raise ValueError(f"{path}: {name} is {values[name]}, but a cost is never below 0")
    return CostModel(**values)
