"""Lowering of max pooling: the values, and their positions in the plane."""

import math
from collections.abc import Sequence

from torch_mlir import ir

from ...dialects.aten import Size
from ...tuning.kernels import TUNING
from ..emission.kernel_builder import KernelBuilder
from ..emission.kernel_index import Coordinate
from ..emission.promotion import highest, is_float, lowest, opmath
from ..emission.scalar import Scalar
from .registry import LoweredCall, lowers
from .window import AdaptiveAxis, Axes, both, covering_of, is_small, taps_of, window_axes


@lowers("aten.max_pool2d_with_indices.default", "aten.max_pool3d_with_indices.default")
def max_pool(call: LoweredCall) -> Sequence[ir.Value | None] | None:
    """The largest element of each window and its position: the first of equal elements; if there are NaNs, the last NaN"""
    axes = window_axes(call, call.info(call["self"]).sizes, call.result().sizes)
    return call.decline("a symbolic window") if axes is None else _pool(call, axes)


@lowers("aten.adaptive_max_pool2d.default", "aten.adaptive_max_pool3d.default")
def adaptive_max_pool(call: LoweredCall) -> Sequence[ir.Value | None] | None:
    """max_pool with windows that divide the dimensions among the outputs"""
    axes = AdaptiveAxis.of(call.info(call["self"]).sizes, call["output_size"])
    return call.decline("a symbolic window") if axes is None else _pool(call, axes)


def _pool(call: LoweredCall, axes: Axes) -> Sequence[ir.Value | None]:
    wanted = [0, 1] if next(iter(call.op.results[1].uses), None) else [0]
    small = is_small(axes)
    rank = call.result().rank
    domain = [*call.result().sizes, *(() if small else [a.taps for a in axes])]
    builder = call.kernel([call["self"]], domain, [call.result_types[n] for n in wanted])
    for number, value in enumerate((_written_out if small else _reduced)(builder, axes, rank - len(axes))):
        builder.store(number, value, builder.dims[:rank])
    return [*builder.finish(), *[None] * (2 - len(wanted))]


def _plane_position(builder: KernelBuilder, sizes: Sequence[Size], coordinates: Sequence[Coordinate]) -> Scalar:
    """The row-major position of `coordinates` in a plane. Its sizes are the last ones of `sizes`."""
    point, *rest = coordinates
    for coordinate, size in zip(rest, sizes[-len(rest) :] if rest else (), strict=True):
        point = builder.size(size) * point + coordinate
    return builder.position(point)


def _ordered_dtype(dtype: str) -> str:
    """A dtype that represents all values of `dtype` and orders them by signed comparison."""
    return opmath(dtype) if is_float(dtype) else "int64"


def _written_out(builder: KernelBuilder, axes: Axes, lead: int) -> list[Scalar]:
    """The maximum of the window at the builder's dims and, if the kernel has a second output, its position. Unrolled, in eager's order."""
    sizes, dtype = builder.input_infos[0].sizes, _ordered_dtype(builder.input_infos[0].dtype)
    outputs = builder.dims[lead:]
    best = builder.constant(lowest(dtype), dtype)
    point = None
    if len(builder.outputs) == 2:
        point = _plane_position(builder, sizes, [axis.first(builder, o) for axis, o in zip(axes, outputs, strict=True)])
    for tap in taps_of(builder, axes, outputs, None):
        value = builder.load(0, [*builder.dims[:lead], *tap.at], tap.inside).to(dtype)
        better = value > best
        if value.is_float:
            better = better | value.is_nan()
        if tap.inside is not None:
            better = better & tap.inside
        best = better.select(value, best)
        point = None if point is None else better.select(_plane_position(builder, sizes, tap.at), point)
    return [best] if point is None else [best, point]


def _reduced(builder: KernelBuilder, axes: Axes, lead: int) -> list[Scalar]:
    """The maximum of a window and, if the kernel has a second output, its position, as reductions over the domain's last dimensions."""
    sizes, dtype = builder.input_infos[0].sizes, _ordered_dtype(builder.input_infos[0].dtype)
    rank, count = lead + len(axes), len(builder.dims)
    outputs, numbers, dims = builder.dims[lead:rank], builder.dims[rank:], list(range(rank, count))
    (tap,) = taps_of(builder, axes, outputs, numbers)
    value = tap.value(builder.load(0, [*builder.dims[:lead], *tap.at], tap.inside).to(dtype), lowest(dtype))
    (largest,) = builder.reduce("max", [value], dims)
    if len(builder.outputs) == 1:
        return [largest]
    at = _plane_position(builder, sizes, tap.at)
    equal = both(value.eq(largest), tap.inside)
    assert equal is not None
    (point,) = builder.reduce("min", [equal.select(at, highest("int64"))], dims)
    if value.is_float:
        (last_nan,) = builder.reduce("max", [value.is_nan().select(at, -1)], dims)
        point = largest.is_nan().select(last_nan, point)
    return [largest, point]


@lowers("aten.max_pool2d_with_indices_backward.default", "aten.max_pool3d_with_indices_backward.default")
def max_pool_backward(call: LoweredCall) -> Sequence[ir.Value] | None:
    """For each element, the sum of the gradients of the windows of which it is the maximum"""
    sizes = call.result().sizes
    axes = window_axes(call, sizes, call.info(call["grad_output"]).sizes)
    if axes is None or any(a.dilation != 1 for a in axes) or math.prod(a.covers for a in axes) > TUNING.unrolled_window:
        return call.decline("windows that overlap much")
    builder = call.kernel([call["grad_output"], call["indices"]], sizes)
    lead, points = builder.dims[: -len(axes)], builder.dims[-len(axes) :]
    here = _plane_position(builder, sizes, points)
    total = builder.constant(0, opmath(call.result().dtype))
    for tap in covering_of(builder, axes, points):
        index = builder.load(1, [*lead, *tap.at], tap.inside)
        gradient = builder.load(0, [*lead, *tap.at], tap.inside).to(total.dtype)
        total = total + index.eq(here).select(gradient, 0)
    builder.store(0, total, builder.dims)
    return builder.finish()
