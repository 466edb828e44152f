"""Arguments in canonical form, so that patterns match: dims are non-negative; sizes of -1 and ends of slices are resolved; conversions
name only what they change; a device has its number ("cuda" is the current device, which may be another one at run time)."""

from __future__ import annotations

from typing import Any

import sympy
import torch
from torch_mlir import ir

from ...bridge import symbols
from ...dialects.aten import Size, TensorInfo
from ...dialects.aten_schema import DIMENSIONS, Schema
from ...errors import UnsupportedGraph

# Operators whose `size` (`shape`) may contain -1: it becomes the result's size.
_SIZED = frozenset({"view", "reshape", "_unsafe_view", "expand", "_reshape_alias", "_reshape_copy", "view_copy", "expand_copy"})
_SLICES = frozenset({"slice", "slice_scatter", "slice_copy"})
_END = 2**63 - 1
# Operators whose dims refer to the result: it has one more, or the first tensor may be an empty one of any rank.
_RESULT_DIMS = frozenset({"unsqueeze", "unsqueeze_copy", "stack", "diag_embed", "cat"})
# Arguments of gradients with the sizes of the tensor that their dims refer to.
_SIZES = ("input_sizes", "self_sizes", "sizes")


def canonicalize(schema: Schema, arguments: dict[str, Any], operands: list[TensorInfo], results: list[TensorInfo]) -> None:
    """Rewrites `arguments` in place; `operands` and `results` are the tensors of the call, in order."""
    base = schema.name.split(".")[1]
    if not schema.name.startswith("aten.") or not results:
        return
    for argument in schema.arguments:
        value = arguments.get(argument.name)
        if argument.kind != "int" or value is None:
            continue
        if argument.name in DIMENSIONS:
            rank = _rank(base, arguments, operands, results)
            arguments[argument.name] = found = _non_negative(value, rank)
            if schema.is_view and not _in_range(found, rank):
                raise UnsupportedGraph(f"{schema.name}: dimension {found} is out of range")  # a view is never computed, so nothing asks
        elif argument.name in ("size", "shape") and base in _SIZED:
            arguments[argument.name] = _resolved(value, results[0].sizes)
    if arguments.get("device") == results[0].device.split(":")[0]:
        arguments["device"] = results[0].device
    if base == "_to_copy" and operands:
        _forget_what_is(arguments, operands[0])
    if base in _SLICES and operands:
        size = operands[0].sizes[arguments.get("dim", 0)]
        arguments["start"] = _bound(arguments.get("start"), 0, size)
        arguments["end"] = _bound(arguments.get("end"), size, size)


def _forget_what_is(arguments: dict[str, Any], operand: TensorInfo) -> None:
    """Removes from conversions what they do not change."""
    for name, present in (
        ("device", operand.device),
        ("dtype", operand.dtype),
        ("layout", "strided"),
        ("memory_format", "preserve_format"),
    ):
        if arguments.get(name) == present:
            arguments[name] = None


def _bound(value: Size | None, default: Size, size: Size) -> Size:
    """A slice's start or end, clamped to 0 and the size if both are numbers."""
    if value is None or (isinstance(value, int) and value == _END):
        return default
    if not isinstance(value, int) or not isinstance(size, int):
        return value
    return min(max(value + size if value < 0 else value, 0), size)


def _rank(base: str, arguments: dict[str, Any], operands: list[TensorInfo], results: list[TensorInfo]) -> int | None:
    """The rank that a dim argument refers to; None if unknown."""
    if base in _RESULT_DIMS:
        return results[0].rank
    sizes = next((arguments[s] for s in _SIZES if s in arguments), None) if base.endswith("_backward") else None
    if sizes is not None:
        return len(sizes)
    return operands[0].rank if operands else None


def _non_negative(value: Any, rank: int | None) -> Any:
    if isinstance(value, list):
        return [_non_negative(v, rank) for v in value]
    if not isinstance(value, int) or value >= 0 or rank is None or value < -max(rank, 1):
        return value  # out of range: ATen raises
    return value + max(rank, 1)


def _in_range(dims: Any, rank: int | None) -> bool:
    numbers = dims if isinstance(dims, list) else [dims]
    return rank is None or all(0 <= n < max(rank, 1) for n in numbers if isinstance(n, int))


def _resolved(sizes: list[Size], result: tuple[Size, ...]) -> list[Size]:
    if len(sizes) != len(result):
        return sizes
    return [r if isinstance(s, int) and s == -1 else s for s, r in zip(sizes, result, strict=True)]


def plain_argument(value: Any) -> Any:
    """A constant argument of an FX node in the terms of docs/design/ir.md."""
    if isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
        return str(value).removeprefix("torch.")
    if isinstance(value, torch.device):
        return str(value)
    if isinstance(value, (list, tuple)):
        return [plain_argument(v) for v in value]
    if isinstance(value, torch.SymInt):
        return symbols.size_from_torch(value)
    if value is None or isinstance(value, (bool, int, float, complex, str, sympy.Expr, ir.Value)):
        return value
    raise UnsupportedGraph(f"an argument of type {type(value).__name__}")
