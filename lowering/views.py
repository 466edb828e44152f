"""View operators as coordinate maps: for each coordinate of a view, the coordinate of that element in its base."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from torch_mlir import ir

from ..dialects import aten_ops
from ..dialects.aten import Size, TensorInfo
from ..dialects.lazy import sympy
from ..passes.registry import add_rule
from .index import index_expr as ie
from .index.index_expr import IndexExpr, Ranges
from .index.index_maps import from_size


@dataclass(frozen=True)
class ViewCall:
    """A call of a view operator: its arguments, and the types of its base and of result `number`."""

    arguments: dict[str, Any]
    base: TensorInfo
    view: TensorInfo
    number: int = 0

    def __getitem__(self, argument: str) -> Any:
        return self.arguments[argument]


ViewRule = Callable[[ViewCall], Sequence[IndexExpr] | None]

_VIEWS: dict[str, ViewRule] = {}
_view = functools.partial(add_rule, _VIEWS)


def is_view_operator(name: str) -> bool:
    """Whether every result of the operator ("aten.permute.default") is a strided view of its first operand."""
    return name in _VIEWS


def view_base(op: ir.Operation) -> ir.Value:
    """The tensor that a view operator's results are views of."""
    return op.operands[0]


def view_coordinates(op: ir.Operation, number: int = 0) -> list[IndexExpr] | None:
    """The base coordinates of each element of a view operator's result `number`, as expressions over the result's coordinates
    (`index_expr.dim(i)`) and the graph's symbols. None if the operator is no view or the map is unknown."""
    if not aten_ops.is_operator(op):
        return None
    rule = _VIEWS.get(aten_ops.pytorch_name(op))
    if rule is None:
        return None
    base, view = TensorInfo.of(view_base(op).type), TensorInfo.of(op.results[number].type)
    coordinates = rule(ViewCall(aten_ops.arguments(op), base, view, number))
    return None if coordinates is None else list(coordinates)


def _dims(count: int) -> list[IndexExpr]:
    return [ie.dim(i) for i in range(count)]


@_view("aten.alias.default", "aten.detach.default", "aten.view_as.default", "prims.view_of.default")
def _identity(call: ViewCall) -> list[IndexExpr]:
    """view[i...] = base[i...]"""
    return _dims(call.base.rank)


@_view("aten.permute.default")
def _permute(call: ViewCall) -> list[IndexExpr]:
    """view[i...] has i_k at dimension dims[k] of the base."""
    dims = [d % call.base.rank for d in call["dims"]]
    return [ie.dim(dims.index(d)) for d in range(call.base.rank)]


@_view("aten.transpose.int")
def _transpose(call: ViewCall) -> list[IndexExpr]:
    """view[.. i .. j ..] = base[.. j .. i ..]"""
    coordinates = _dims(call.base.rank)
    if coordinates:
        a, b = call["dim0"], call["dim1"]
        coordinates[a], coordinates[b] = coordinates[b], coordinates[a]
    return coordinates


@_view("aten.t.default")
def _t(call: ViewCall) -> list[IndexExpr]:
    """Transposes a matrix; a vector is unchanged."""
    return _dims(call.base.rank)[::-1]


@_view("aten.expand.default")
def _expand(call: ViewCall) -> list[IndexExpr]:
    """Repeats the element of each dimension of size 1; new dimensions come first."""
    lead = call.view.rank - call.base.rank
    return [ie.ZERO if s == 1 else ie.dim(lead + d) for d, s in enumerate(call.base.sizes)]


@_view("aten.slice.Tensor")
def _slice(call: ViewCall) -> list[IndexExpr] | None:
    """view[.. i ..] = base[.. start + i * step ..]"""
    dim = call["dim"] % call.base.rank
    start = _start(call, dim, 0 if call["start"] is None else call["start"], clamp=True)
    if start is None:
        return None
    coordinates = _dims(call.base.rank)
    coordinates[dim] = start + coordinates[dim] * from_size(call["step"])
    return coordinates


def _start(call: ViewCall, dim: int, start: Size, clamp: bool) -> IndexExpr | None:
    """A possibly negative start along `dim` as an expression. If its sign is unknown, the start is computed from the view's offset; None
    if that fails."""
    size = call.base.sizes[dim]
    if isinstance(start, int) and isinstance(size, int):
        start = start + size if start < 0 else start
        return ie.const(max(0, min(start, size)) if clamp else start)
    if isinstance(start, int) and start >= 0:
        return ie.const(start)
    stride = call.base.strides[dim]
    if stride == 0:
        return ie.ZERO
    steps = sympy.cancel(sympy.sympify(call.view.offset - call.base.offset) / stride)
    return from_size(steps) if steps.as_numer_denom()[1] == 1 else None


@_view("aten.select.int")
def _select(call: ViewCall) -> list[IndexExpr] | None:
    """view[...] = base[.. index ..]"""
    dim = call["dim"] % call.base.rank
    index = _start(call, dim, call["index"], clamp=False)
    if index is None:
        return None
    coordinates = _dims(call.view.rank)
    return [*coordinates[:dim], index, *coordinates[dim:]]


@_view("aten.squeeze.default", "aten.squeeze.dim", "aten.squeeze.dims")
def _squeeze(call: ViewCall) -> list[IndexExpr] | None:
    """Removes dimensions of size 1: all of them, or those in `dim`."""
    dims = call.arguments.get("dim", list(range(call.base.rank)))
    dims = {d % max(call.base.rank, 1) for d in (dims if isinstance(dims, list) else [dims])}
    kept = [d for d in range(call.base.rank) if d not in dims or call.base.sizes[d] != 1]
    if len(kept) != call.view.rank:
        return None
    return [ie.dim(kept.index(d)) if d in kept else ie.ZERO for d in range(call.base.rank)]


@_view("aten.unsqueeze.default")
def _unsqueeze(call: ViewCall) -> list[IndexExpr]:
    """Inserts a dimension of size 1."""
    dim = call["dim"] % call.view.rank
    return [ie.dim(d) for d in range(call.view.rank) if d != dim]


@_view("aten.diagonal.default")
def _diagonal(call: ViewCall) -> list[IndexExpr]:
    """view[..., i] = base[.. i + max(-offset, 0) .. i + max(offset, 0) ..]"""
    first, second, offset = call["dim1"] % call.base.rank, call["dim2"] % call.base.rank, call["offset"]
    last = ie.dim(call.view.rank - 1)
    positions = {first: last + max(-offset, 0), second: last + max(offset, 0)}
    rest = iter(range(call.view.rank))
    return [positions[d] if d in positions else ie.dim(next(rest)) for d in range(call.base.rank)]


@_view("aten.unfold.default")
def _unfold(call: ViewCall) -> list[IndexExpr]:
    """view[.. i .., j] = base[.. i * step + j ..]"""
    coordinates = _dims(call.base.rank)
    if coordinates:
        dim = call["dimension"] % call.base.rank
        coordinates[dim] = coordinates[dim] * from_size(call["step"]) + ie.dim(call.view.rank - 1)
    return coordinates


@_view("aten.split.Tensor", "aten.split_with_sizes.default")
def _split(call: ViewCall) -> list[IndexExpr]:
    """Part k starts where the parts before it end."""
    sizes = call.arguments.get("split_sizes")
    start = from_size(call["split_size"]) * call.number if sizes is None else ie.add([from_size(s) for s in sizes[: call.number]])
    coordinates = _dims(call.base.rank)
    dim = call["dim"] % call.base.rank
    coordinates[dim] = coordinates[dim] + start
    return coordinates


@_view("aten.unbind.int")
def _unbind(call: ViewCall) -> list[IndexExpr]:
    """Part k is the slice at coordinate k."""
    coordinates = _dims(call.view.rank)
    dim = call["dim"] % call.base.rank
    return [*coordinates[:dim], ie.const(call.number), *coordinates[dim:]]


@_view("aten.view.default", "aten._unsafe_view.default", "aten._reshape_alias.default", "aten.unflatten.int")
def _reshape(call: ViewCall) -> list[IndexExpr]:
    """The same elements in row-major order."""
    return reshape_coordinates(call.base.sizes, call.view.sizes)


def reshape_coordinates(base: Sequence[Size], view: Sequence[Size]) -> list[IndexExpr]:
    """The coordinates in a tensor of sizes `base` of each element of its reshape to sizes `view`. Groups of dimensions with equal products
    are mapped separately, so that the map stays affine where possible."""
    base_sizes, view_sizes = [from_size(s) for s in base], [from_size(s) for s in view]
    ranges = Ranges(view_sizes)
    base_dims = [d for d, s in enumerate(base_sizes) if s != ie.ONE]
    view_dims = [d for d, s in enumerate(view_sizes) if s != ie.ONE]
    result = [ie.ZERO] * len(base_sizes)
    for base_group, view_group in _groups(base_dims, base_sizes, view_dims, view_sizes):
        if len(base_group) == len(view_group) == 1:
            result[base_group[0]] = ie.dim(view_group[0])
            continue
        linear = ie.ZERO
        for d in view_group:
            linear = linear * view_sizes[d] + ie.dim(d)
        for position, d in reversed(list(enumerate(base_group))):
            result[d] = ie.mod(linear, base_sizes[d], ranges) if position else linear
            linear = ie.floordiv(linear, base_sizes[d], ranges) if position else linear
    return result


def _groups(
    base: list[int], base_sizes: list[IndexExpr], view: list[int], view_sizes: list[IndexExpr]
) -> list[tuple[list[int], list[int]]]:
    """Splits both lists of dimensions into groups, where their running products are equal."""
    if any(s == ie.ZERO for s in base_sizes + view_sizes):
        return []
    running = functools.partial(functools.reduce, ie.multiply)
    base_products = [running([base_sizes[d] for d in base[: i + 1]]) for i in range(len(base))]
    view_products = [running([view_sizes[d] for d in view[: i + 1]]) for i in range(len(view))]
    cuts = [(i + 1, view_products.index(p) + 1) for i, p in enumerate(base_products[:-1]) if p in view_products[:-1]]
    ends = [(0, 0), *cuts, (len(base), len(view))]
    return [(base[a:b], view[c:d]) for (a, c), (b, d) in zip(ends, ends[1:], strict=False)]


@_view("aten.as_strided.default")
def _as_strided(call: ViewCall) -> list[IndexExpr] | None:
    """Divides the element's storage offset by the strides of a dense base. None if sizes are symbolic or the view leaves the base."""
    base = call.base
    offset = base.offset if call["storage_offset"] is None else call["storage_offset"]
    order = sorted((d for d in range(base.rank) if base.sizes[d] != 1), key=lambda d: -_static(base.strides[d]))
    values = (*base.sizes, *base.strides, *call.view.sizes, *call.view.strides, offset, base.offset)
    if not all(isinstance(v, int) for v in values) or 0 in base.sizes:
        return None
    expected = 1
    for d in reversed(order):
        if base.strides[d] != expected:
            return None
        expected *= base.sizes[d]
    start = offset - base.offset
    last = start + sum((s - 1) * t for s, t in zip(call.view.sizes, call.view.strides, strict=True))
    if start < 0 or last >= expected:
        return None
    linear = ie.add([ie.const(start), *[ie.dim(i) * s for i, s in enumerate(call.view.strides)]])
    ranges = Ranges(call.view.sizes)
    result = [ie.ZERO] * base.rank
    for position, d in enumerate(order):
        quotient = ie.floordiv(linear, base.strides[d], ranges)
        result[d] = ie.mod(quotient, base.sizes[d], ranges) if position else quotient
    return result


def _static(value: Size) -> int:
    return value if isinstance(value, int) else 0
