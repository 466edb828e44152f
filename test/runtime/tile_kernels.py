"""Kernels as Triton's IR: lowered from text, evaluated on the CPU, compiled by Triton for named GPUs."""

from __future__ import annotations

from typing import Any

import torch
from mlirind.dialects.context import compile_context
from mlirind.lowering.tt.lower_loop_to_tt import lower_loop_to_tt
from mlirind.tools.emit import triton_kernel
from reference.evaluate_tt import evaluate_tt
from torch_mlir import ir


def lowered(text: str) -> ir.Module:
    """The module after `lower-loop-to-tt`, within `compile_context()`."""
    module = ir.Module.parse(text)
    lower_loop_to_tt(module)
    module.operation.verify()
    for op in module.body.operations:
        assert op.operation.name == "tt.func", op.attributes["unsupported"]
    return module


class EvaluatedTiles:
    """A `loop.func` as text that runs by evaluation of its tiles: called as `kernel_text.CompiledText`, with its status."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __call__(self, *tensors: torch.Tensor, symbols: tuple[int, ...] = ()) -> int:
        """Runs it on the tensors' memory, each a buffer as long as the tensor; 1: an index was out of range."""
        buffers = [flat(t) for t in tensors]
        with compile_context():
            module = lowered(self.text)
            try:
                evaluate_tt([op.operation for op in module.body.operations], buffers, symbols)
            except IndexError:
                return 1
        return 0


def flat(tensor: torch.Tensor) -> torch.Tensor:
    """The memory of a dense tensor, in order; bool and uint8 as int8."""
    length = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True)) + 1
    memory = tensor.as_strided((length if tensor.numel() else 0,), (1,))
    return memory.view(torch.int8) if memory.dtype in (torch.bool, torch.uint8) else memory


def compiled(text: str, target: str) -> list[Any]:
    """Triton's kernels of a `loop.func` as text."""
    with compile_context():
        return [triton_kernel(op.operation, target) for op in lowered(text).body.operations]
