"""The options that say which model computes, and where. PyTorch is imported only when one is loaded."""

import argparse
import sys
from typing import TYPE_CHECKING

from batching_lab.commands.common import require_positive

if TYPE_CHECKING:
    from batching_lab.model.llama import Llama
    from batching_lab.model.loading.load import LoadedModel

MODEL_HELP = """\
models: micro           0.8 million parameters, comes with the lab; it tells stories about kitchens, railways,
                        libraries, harbours, gardens and serving engines
        smollm2         SmolLM2-135M-Instruct, if its package is installed
        smollm2-random  its shape with random weights: for timing, not for reading
        DIR             a Hugging Face folder of the Llama family: config.json and safetensors"""


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """The options of `load_from`."""
    parser.add_argument("--model", default="micro", metavar="NAME", help="see below (default: micro)")
    parser.add_argument("--device", default="cpu", help="cpu (the default) or cuda")
    parser.add_argument("--dtype", choices=("float32", "float16"), default="float32", help="default: float32")
    parser.add_argument(
        "--threads", type=int, metavar="N", help="processor threads of the model (default: 1 for micro, else PyTorch's)"
    )


def load_from(options: argparse.Namespace) -> "LoadedModel":
    """Says on standard error how it read a folder that could be read in two ways.

    Raises `ModelError` with one sentence for whatever stands in the way.
    """
    require_positive(options, "threads")
    from batching_lab.model.loading.load import DTYPES, load_model, use_threads

    use_threads(options.threads, options.model)
    loaded = load_model(options.model, options.device, DTYPES[options.dtype])
    for note in loaded.notes:
        print(f"batching_lab: {note}", file=sys.stderr)
    return loaded


def reference_for(options: argparse.Namespace, llama: "Llama") -> "Llama":
    """The model in float32, to judge with: the same one if it is that already."""
    from batching_lab.model.loading.load import load_model

    return llama if options.dtype == "float32" else load_model(options.model, options.device).llama


def described(options: argparse.Namespace) -> str:
    """The model, its device and its number format, for people to read."""
    return f"{options.model} on {options.device}, {options.dtype}"
