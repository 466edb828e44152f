"""Lowering of padding: with a constant, by reflection, by repeating the border."""

import math
from collections.abc import Callable, Sequence

from torch_mlir import ir

from ...dialects.aten import Size
from ...dialects.lazy import sympy
from ...dialects.requirements import at_least
from ..emission.kernel_builder import KernelBuilder
from ..emission.kernel_index import Coordinate
from ..emission.promotion import is_float
from ..emission.scalar import Scalar
from .registry import LoweredCall, lowers


def _pads(call: LoweredCall, rank: int) -> list[tuple[Size, Size]]:
    """The padding before and after each dimension, in the order of dimensions; the operator's list begins with the last one."""
    argument = "pad" if "pad" in call.arguments else "padding"
    pad = call[argument]
    pairs = list(zip(pad[::2], pad[1::2], strict=True))
    return [(0, 0)] * (rank - len(pairs)) + pairs[::-1]


@lowers("aten.constant_pad_nd.default")
def constant_pad(call: LoweredCall) -> Sequence[ir.Value] | None:
    """self with `value` around it; negative padding removes elements"""
    if not isinstance(call["value"], (bool, int, float)) or not (is_float(call.result().dtype) or math.isfinite(call["value"])):
        return call.decline("a value that is no constant of the dtype")
    info = call.info(call["self"])
    pads = _pads(call, info.rank)
    if not all(call.require(at_least(elements_kept(size, *pad), 0)) for size, pad in zip(info.sizes, pads, strict=True)):
        return call.decline("it removes more elements than there are")
    builder = call.kernel([call["self"]], call.result().sizes)
    coordinates: list[Coordinate] = []
    inside: Scalar | None = None
    for index, size, (before, after) in zip(builder.dims, info.sizes, pads, strict=True):
        coordinate = index if before == 0 else index - builder.size(before)
        coordinates.append(coordinate)
        for condition in _inside(builder, coordinate, size, before, after):
            inside = condition if inside is None else inside & condition
    value = builder.load(0, coordinates, inside)
    if inside is not None and not _is_zero(call["value"]):
        value = inside.select(value, call["value"])
    builder.store(0, value, builder.dims)
    return builder.finish()


def elements_kept(size: Size, before: Size, after: Size) -> Size:
    """How many of `size` elements negative padding leaves; below 0 if it removes more."""
    return size + _removed(before) + _removed(after)


def _removed(pad: Size) -> Size:
    return min(pad, 0) if isinstance(pad, int) else sympy.Min(pad, 0)


def _inside(builder: KernelBuilder, coordinate: Coordinate, size: Size, before: Size, after: Size) -> list[Scalar]:
    """The conditions for `coordinate` to be in [0, size); none for a side without padding."""
    conditions = []
    if not _cuts(before):
        conditions.append(builder.position(coordinate) >= 0)
    if not _cuts(after):
        conditions.append(builder.position(coordinate) < builder.number(size))
    return conditions


def _cuts(pad: Size) -> bool:
    return isinstance(pad, int) and pad <= 0


def _is_zero(value: float) -> bool:
    return value == 0 and str(value)[0] != "-"


@lowers("aten.reflection_pad1d.default", "aten.reflection_pad2d.default", "aten.reflection_pad3d.default")
def reflection_pad(call: LoweredCall) -> Sequence[ir.Value]:
    """self reflected at its border elements, which are not repeated"""
    return _from_nearby(call, lambda i, last: last - (last - i.abs()).abs())


@lowers("aten.replication_pad1d.default", "aten.replication_pad2d.default", "aten.replication_pad3d.default")
def replication_pad(call: LoweredCall) -> Sequence[ir.Value]:
    """self with its border elements repeated"""
    return _from_nearby(call, lambda i, last: i.maximum(0).minimum(last))


def _from_nearby(call: LoweredCall, fold: Callable[[Scalar, Scalar], Scalar]) -> Sequence[ir.Value]:
    """self, padded with the element at `fold(coordinate, last coordinate)` along each dimension"""
    builder = call.kernel([call["self"]], call.result().sizes)
    info = builder.input_infos[0]
    coordinates: list[Coordinate] = []
    for index, size, (before, after) in zip(builder.dims, info.sizes, _pads(call, info.rank), strict=True):
        if before == 0 and after == 0:
            coordinates.append(index)
            continue
        folded = fold(builder.position(index - builder.size(before)), builder.number(size) - 1)
        coordinates.append(builder.index(folded))
    builder.store(0, builder.load(0, coordinates), builder.dims)
    return builder.finish()
