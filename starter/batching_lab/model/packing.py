"""Weights in the order in which oneDNN reads them, on processors of x86.

A product with a few rows takes as long as its weights take to be read, and PyTorch's plain product brings them into
another order each time. Here that is done once, when a model is loaded. oneDNN is a library inside PyTorch, whose
compiler calls these two operators, too.
"""

import torch
from torch import Tensor, nn

from batching_lab.model.llama import Llama

SMALLEST = 2**16  # numbers; a smaller matrix stays in the cache, where PyTorch's own product is faster


class PackedLinear(nn.Module):
    """A product with a packed matrix; `weight.to_dense()` is the matrix again."""

    def __init__(self, weight: Tensor) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ops.mkldnn._reorder_linear_weight(weight), requires_grad=False)

    def forward(self, rows: Tensor) -> Tensor:
        """From rows [..., inputs] to [..., outputs]."""
        outputs: Tensor = torch.ops.mkldnn._linear_pointwise(rows, self.weight, None, "none", [], "")
        return outputs


def pack(model: Llama, smallest: int = SMALLEST) -> None:
    """Pack each matrix of at least so many numbers, where oneDNN has products for it; of a tied head a copy."""
    if not can_pack(model):
        return
    for module in list(model.modules()):
        for name, linear in list(module.named_children()):
            if isinstance(linear, nn.Linear) and linear.weight.numel() >= smallest:
                setattr(module, name, PackedLinear(linear.weight))
    if model.lm_head is None and model.embed_tokens.weight.numel() >= smallest:
        model.lm_head = PackedLinear(model.embed_tokens.weight)


def can_pack(model: Llama) -> bool:
    """Is it a float32 model on a processor of x86, and does this PyTorch have the two operators?"""
    is_x86 = torch.backends.cpu.get_cpu_capability().startswith("AVX")
    return model.device.type == "cpu" and model.dtype == torch.float32 and is_x86 and has_operators()


def has_operators() -> bool:
    """They belong to PyTorch's compiler and may change with a version: tried with one product."""
    rows = torch.arange(6.0).view(3, 2)
    try:
        return torch.equal(PackedLinear(torch.eye(2))(rows), rows)
    except (AttributeError, RuntimeError, TypeError):
        return False
