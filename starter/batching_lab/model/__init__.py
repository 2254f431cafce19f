"""A small language model served by the student's scheduler and allocator. It needs the extra `model`: PyTorch."""

from batching_lab.errors import ModelError

try:
    import torch
except ImportError:
    raise ModelError('the model needs PyTorch: pip install "batching-lab[model]"') from None

if tuple(int(number) for number in torch.__version__.split(".")[:2]) < (2, 6):
    raise ModelError(f'the model needs PyTorch 2.6 or newer, not {torch.__version__}: pip install "torch>=2.6"')
