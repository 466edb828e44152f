"""`constant-fold`: calls whose results are known numbers become `aten.full`. Imports torch when there is something to compute.

Eager's own operators compute the numbers: on one element if an operator is pointwise and its operands are uniform (sizes may be symbolic),
on all elements if there are few.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from torch_mlir import ir

from ..dialects import aten_ops
from ..dialects.aten import TensorInfo, contiguous_strides
from ..dialects.aten_schema import Argument, Schema
from .analysis.alias_analysis import base_name, functions_with_body, shared
from .analysis.infer_metadata import is_pointwise
from .analysis.node_identity import identity
from .analysis.uniform_values import is_fill, uniform_value
from .registry import register_pass
from .rewrite_limit import may_rewrite
from .working_on import works_on_operation

FEW = 256  # elements of a tensor that is computed completely
_COPIES = frozenset({"clone", "lift_fresh_copy"})
# Enough elements for eager to use its code for many elements.
_SAMPLE = 64


def constant_fold(module: ir.Module) -> None:
    """Folds in every function of the module, in order."""
    for function in functions_with_body(module):
        block = function.regions[0].blocks[0]
        folder = _Folder(block.arguments)
        for view in list(block.operations):
            if aten_ops.is_operator(view):
                folder.visit(view)


class _Folder:
    def __init__(self, arguments: Iterable[ir.Value]) -> None:
        self.known: dict[ir.Value, Any] = {}  # torch tensors
        self.varying: set[ir.Value] = set(arguments)  # values that depend on the graph's inputs

    @works_on_operation
    def visit(self, view: ir.OpView) -> None:
        """Replaces an operation whose result is one number; otherwise records its result."""
        op, schema = view.operation, aten_ops.schema(view)
        if any(v in self.varying for v in op.operands) and not is_fill(schema):
            self.varying.update(op.results)
            return
        if not _is_computable(op, schema):
            return
        arguments = aten_ops.arguments(op)
        given = [v for a in schema.tensors for v in aten_ops.listed(arguments[a.name])]
        tensors = [v for v in given if isinstance(v, ir.Value)]
        found = None
        if all(v in self.known for v in tensors) and _is_few(op.results[0]):
            found = _evaluate(schema, arguments, self.known.__getitem__)
        elif tensors and all(uniform_value(v) is not None for v in tensors) and is_pointwise(schema):
            found = _evaluate(schema, arguments, _sample)
        if found is None:
            return
        result, number = found
        if not _fits(result, op.results[0], whole=all(v in self.known for v in tensors)):
            return
        value: ir.Value = op.results[0]
        if tensors and number is not None and not any(True for _ in shared(view)) and may_rewrite("fold", op):
            value = _replace(op, number) or value
        self._remember(value, result)

    def _remember(self, value: ir.Value, result: Any) -> None:
        """Records a small tensor, with the layout of its type."""
        info = TensorInfo.of(value.type)
        if _is_few(value) and (tuple(result.shape), result.stride(), result.storage_offset()) == (info.sizes, info.strides, info.offset):
            self.known[value] = result


def _is_computable(op: ir.Operation, schema: Schema) -> bool:
    """Whether the call returns one CPU tensor that depends on nothing but its arguments."""
    if schema.mutates or schema.random or len(op.results) != 1 or not isinstance(op.results[0].type, ir.RankedTensorType):
        return False
    if schema.fresh and base_name(schema) not in _COPIES:
        return False
    info = TensorInfo.of(op.results[0].type)
    return info.device == "cpu" and not info.dtype.startswith(("complex", "float8"))


def _is_few(value: ir.Value) -> bool:
    sizes = TensorInfo.of(value.type).sizes
    return all(isinstance(s, int) for s in sizes) and 0 < math.prod(sizes) <= FEW


def _sample(value: ir.Value) -> Any:
    """A tensor filled with the value's number, of its dtype and rank."""
    import torch

    info = TensorInfo.of(value.type)
    return torch.full((1,) * (info.rank - 1) + (_SAMPLE,) * (info.rank > 0), uniform_value(value), dtype=getattr(torch, info.dtype))


def _evaluate(schema: Schema, arguments: dict[str, Any], tensor: Callable[[ir.Value], Any]) -> Any:
    """Eager's result, and the one number that all its elements have, if any. None if eager raises, if a size is symbolic, or if the result
    is a list."""
    import torch

    from ..bridge.operators import operator_of, to_torch
    from ..dialects.lazy import sympy
    from ..torch_internals.modes import without_dispatch_modes

    def value(given: Any, argument: Argument) -> Any:
        if isinstance(given, list):
            return [value(g, argument) for g in given]
        if isinstance(given, sympy.Expr):
            raise ValueError(given)
        return tensor(given) if isinstance(given, ir.Value) else to_torch(given, argument)

    try:
        with without_dispatch_modes(), torch.no_grad():
            named = {a.name: value(arguments[a.name], a) for a in schema.arguments}
            result = operator_of(schema)(**named)
            return (result, _only_number(result)) if isinstance(result, torch.Tensor) else None
    except (RuntimeError, ValueError, TypeError, IndexError, NotImplementedError):
        return None


def _fits(result: Any, value: ir.Value, whole: bool) -> bool:
    """Whether the computed tensor has the value's dtype and rank, and its sizes if it was computed completely."""
    info = TensorInfo.of(value.type)
    same = str(result.dtype) == f"torch.{info.dtype}" and result.dim() == info.rank
    return same and (not whole or tuple(result.shape) == info.sizes)


def _only_number(result: Any) -> int | float | bool | None:
    """The number that all elements have, bit by bit; None if they differ."""
    import torch

    if result.numel() == 0:
        return None
    elements = result.flatten()
    raw = elements.view(torch.uint8).numpy().tobytes()
    if raw != raw[: result.element_size()] * result.numel():
        return None
    number = elements[0].item()
    return number if not isinstance(number, int) or -(2**63) <= number < 2**63 else None


def _replace(op: ir.Operation, number: int | float | bool) -> ir.Value | None:
    """op -> full(sizes, number), new memory as the result was; None if its strides are not those of `full`"""
    info = TensorInfo.of(op.results[0].type)
    if info.strides != contiguous_strides(info.sizes) or info.offset != 0:
        return None
    arguments = {"size": list(info.sizes), "fill_value": number, "dtype": info.dtype, "device": info.device}
    made = aten_ops.create("aten.full.default", arguments, [op.results[0].type], op.location, ir.InsertionPoint(op), identity(op))
    op.results[0].replace_all_uses_with(made.results[0])
    op.erase()
    return made.results[0]


register_pass("constant-fold", constant_fold)
