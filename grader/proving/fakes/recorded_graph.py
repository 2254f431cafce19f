"""A graph backend for machines without a GPU, as strict as CUDA graphs are.

It records which operations ran on which tensors. A replay runs the same operations on the same memory, whatever Python
would do now: so a value that was fixed while recording, or a tensor that came from elsewhere, shows as a wrong result
or is refused at once.
"""

import weakref
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

# What makes the host wait for the device, or brings host memory in.
WAITS = {
    *("aten::_local_scalar_dense", "aten::item", "aten::nonzero", "aten::is_nonzero", "aten::equal"),
    *("aten::masked_select", "aten::_unique2", "aten::lift_fresh", "aten::_pin_memory", "aten::index.Tensor"),
}


class NotRecordable(Exception):
    """Something that a CUDA graph can't hold."""


class RecordedGraph(TorchDispatchMode):
    """Use as `capture`: `RecordedGraph.capture(fixed)` with the tensors that are there before."""

    def __init__(self, fixed: Iterable[Tensor]) -> None:
        super().__init__()
        self.fixed = {address(tensor) for tensor in fixed}
        self.made: dict[int, Tensor] = {}
        self.calls: list[tuple[Any, tuple[Any, ...], dict[str, Any], list[Tensor]]] = []

    @classmethod
    def capture(cls, fixed: Iterable[Tensor]) -> "Callable[[Callable[[], None]], RecordedGraph]":
        fixed = list(fixed)

        def record(work: Callable[[], None]) -> RecordedGraph:
            graph = cls(fixed)
            with graph:
                work()
            return graph

        return record

    def __torch_dispatch__(self, operation: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if operation.name() in WAITS:
            raise NotRecordable(f"{operation.name()} makes the host wait or brings in its memory")
        inputs = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)]
        for tensor in inputs:
            if address(tensor) not in self.fixed | self.made.keys():
                raise NotRecordable(
                    f"{operation.name()} reads a tensor {list(tensor.shape)} that is in no fixed buffer"
                )
        result = operation(*args, **kwargs)
        outputs = [leaf for leaf in tree_leaves(result) if isinstance(leaf, Tensor)]
        aliased = {address(tensor) for tensor in inputs}
        new = [tensor for tensor in outputs if address(tensor) not in aliased]
        if new or operation._schema.is_mutable:
            self.calls.append((operation, args, kwargs, new))
        self.made |= {address(tensor): tensor for tensor in new}
        return result

    @torch.inference_mode()
    def replay(self) -> None:
        for operation, args, kwargs, new in self.calls:
            leaves = [leaf for leaf in tree_leaves(operation(*args, **kwargs)) if isinstance(leaf, Tensor)]
            for tensor, value in zip(new, leaves[-len(new) :] if new else [], strict=True):
                tensor.copy_(value)

    def forget(self) -> list["weakref.ref[Tensor]"]:
        """Let go of everything that was computed on the way; returns references to it."""
        references = [weakref.ref(tensor) for tensor in self.made.values()]
        self.made.clear()
        self.calls.clear()
        return references


def address(tensor: Tensor) -> int:
    return tensor.untyped_storage().data_ptr()
