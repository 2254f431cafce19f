"""`python -m batching_lab calibrate`: what a tick costs in milliseconds, measured and fitted."""

import argparse
import datetime
import platform
from pathlib import Path
from typing import TYPE_CHECKING

from batching_lab.commands import common
from batching_lab.commands.model_options import MODEL_HELP, add_model_options, described, load_from
from batching_lab.tables import format_table
from batching_lab.timing.cost_model import CostModel

if TYPE_CHECKING:
    from batching_lab.model.timing.calibration import Fit, Point

EPILOG = """\
It times ticks of several batch sizes, contexts and prefill chunks, and fits by least squares
  milliseconds = base + per_token * (sum of m) + per_context_token * (sum of c + m)
so that the relative errors are small. A coefficient that would come out negative is left out, and said so.
`run --cost-model FILE` prices a trace with the result.

exit status: 0 it was measured; 2 wrong usage; 130 interrupted.

example: python -m batching_lab calibrate --repeats 1 --out cost.json"""


def add_to(commands: common.Commands) -> None:
    """Add the command and its options."""
    what = "measure what a tick costs in milliseconds on this machine"
    parser = common.add_command(commands, "calibrate", calibrate, what, f"{MODEL_HELP}\n\n{EPILOG}")
    add_model_options(parser)
    parser.add_argument("--repeats", type=int, default=7, metavar="N", help="times of each tick (default: 7)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the cost model there, as JSON")


def calibrate(options: argparse.Namespace) -> int:
    """Carry out the command; returns the exit status."""
    common.require_positive(options, "repeats")
    llama = load_from(options).llama
    from batching_lab.model.timing.calibration import fit, measure, shapes_for

    points = measure(llama, shapes_for(llama.config.context_length), options.repeats)
    fitted = fit(points)
    print(f"{described(options)}: the median of {options.repeats}\n")
    print(table(points, fitted))
    print(f"\n{conclusion(fitted)}")
    if options.out is not None:
        model = cost_model(options, points, fitted)
        rows = [
            {
                "sequences": point.shape.num_sequences,
                "computed": point.shape.num_computed,
                "tokens": point.shape.num_tokens,
                "milliseconds": point.milliseconds,
                "fitted": fitted.milliseconds(point.shape),
            }
            for point in points
        ]
        common.write_text("--out", options.out, model.to_json(rows) + "\n")
        print(f"Written to {options.out}.")
    return common.OK


def table(points: "list[Point]", fitted: "Fit") -> str:
    """What was measured beside the fit, one line a shape."""
    rows = []
    for point in points:
        shape = point.shape
        kind = "decode" if shape.num_tokens == 1 else "prefill"
        estimate = fitted.milliseconds(shape)
        rows.append(
            (
                f"{kind}, {shape.num_sequences} x {shape.num_tokens}",
                str(shape.num_computed + shape.num_tokens),
                str(shape.tokens),
                str(shape.context_tokens),
                f"{point.milliseconds:.2f}",
                f"{estimate:.2f}",
                f"{estimate / point.milliseconds - 1:+.0%}",
            )
        )
    heading = ("tick", "context of each", "sum of m", "sum of c + m", "measured ms", "fitted ms", "off by")
    return format_table(heading, rows)


def conclusion(fitted: "Fit") -> str:
    """The fit in a sentence, and what was left out of it."""
    text = (
        f"A tick costs {fitted.base:.3g} ms + {fitted.per_token:.3g} ms a token + {fitted.per_context_token:.3g} ms "
        f"a context token (R^2 {fitted.r_squared:.3f})."
    )
    if fitted.left_out:
        text += f"\nLeft out, since it would have come out negative or 0: {', '.join(fitted.left_out)}."
    return f"{text}\nThis holds for this machine, model and version only."


def cost_model(options: argparse.Namespace, points: "list[Point]", fitted: "Fit") -> CostModel:
    """The fit with all that it holds for: model, device, machine, versions, today's date (UTC)."""
    import torch

    return CostModel(
        base=fitted.base,
        per_token=fitted.per_token,
        per_context_token=fitted.per_context_token,
        r_squared=fitted.r_squared,
        largest_error=max(abs(fitted.milliseconds(point.shape) / point.milliseconds - 1) for point in points),
        model=options.model,
        device=options.device,
        dtype=options.dtype,
        threads=torch.get_num_threads(),
        machine=f"{platform.system()} {platform.machine()}",
        torch=str(torch.__version__),
        python=platform.python_version(),
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
    )
