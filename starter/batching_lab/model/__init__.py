"""A small language model served by the student's scheduler and allocator. It needs the extra `model`: PyTorch."""

import re

from batching_lab.errors import ModelError

INSTALL = 'pip install "batching-lab[model]"'

try:
    import torch
except ModuleNotFoundError:
    raise ModelError(f"the model needs PyTorch: {INSTALL}") from None
except (ImportError, OSError) as error:  # OSError: a library that it needs can't be loaded
    raise ModelError(f"PyTorch is installed but can't be imported ({error}); install it anew: {INSTALL}") from None

VERSION = re.match(r"(\d+)\.(\d+)", str(getattr(torch, "__version__", "")))
if VERSION is None:
    raise ModelError(f"what is installed as torch is not PyTorch; the model needs it: {INSTALL}")
if (int(VERSION[1]), int(VERSION[2])) < (2, 6):
    raise ModelError(f'the model needs PyTorch 2.6 or newer, not {torch.__version__}: pip install "torch>=2.6"')

try:
    import numpy as numpy
except ImportError:
    raise ModelError(f"the model needs NumPy: {INSTALL}") from None
