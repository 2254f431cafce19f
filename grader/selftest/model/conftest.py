"""One thread: on models as small as these more mostly wait for each other, and on a busy machine for minutes."""

import contextlib

with contextlib.suppress(ImportError):
    import torch

    torch.set_num_threads(1)
