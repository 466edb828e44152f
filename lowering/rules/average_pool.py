"""Lowering of average pooling and its gradient."""

import math
from collections.abc import Sequence

from torch_mlir import ir

from ...tuning.kernels import TUNING
from ..emission.kernel_builder import KernelBuilder
from ..emission.kernel_index import AffineIndex
from ..emission.promotion import is_float, opmath
from ..emission.scalar import Scalar
from .registry import LoweredCall, lowers
from .window import AdaptiveAxis, Axes, WindowAxis, covering_of, is_small, taps_of, window_axes


@lowers("aten.avg_pool2d.default", "aten.avg_pool3d.default")
def average_pool(call: LoweredCall) -> Sequence[ir.Value] | None:
    """The sum of each window divided by its number of elements, or by divisor_override"""
    if call["divisor_override"] == 0:
        return call.decline("a divisor of 0")
    axes = window_axes(call, call.info(call["self"]).sizes, call.result().sizes)
    if axes is None or not is_float(call.result().dtype):
        return call.decline("a symbolic window, or integers")
    return _pool(call, axes)


@lowers("aten._adaptive_avg_pool2d.default", "aten._adaptive_avg_pool3d.default")
def adaptive_average_pool(call: LoweredCall) -> Sequence[ir.Value] | None:
    """The mean of each of the windows that divide the dimensions among the outputs"""
    axes = AdaptiveAxis.of(call.info(call["self"]).sizes, call["output_size"])
    if axes is None or not is_float(call.result().dtype):
        return call.decline("a symbolic window, or integers")
    return _pool(call, axes)


def _pool(call: LoweredCall, axes: Axes) -> Sequence[ir.Value]:
    result, small = call.result(), is_small(axes)
    builder = call.kernel([call["self"]], [*result.sizes, *(() if small else [a.taps for a in axes])])
    lead = result.rank - len(axes)
    outputs, numbers = builder.dims[lead : result.rank], builder.dims[result.rank :]
    total = builder.constant(0, opmath(result.dtype))
    for tap in taps_of(builder, axes, outputs, numbers or None):
        total = total + builder.load(0, [*builder.dims[:lead], *tap.at], tap.inside).to(total.dtype)
    if numbers:
        (total,) = builder.reduce("add", [total], list(range(result.rank, len(builder.dims))))
    for divisor in _divisors(call, builder, axes, outputs):
        total = total / _as_float(divisor, total)
    builder.store(0, total, builder.dims[: result.rank])
    return builder.finish()


def _divisors(call: LoweredCall, builder: KernelBuilder, axes: Axes, outputs: Sequence[AffineIndex]) -> list[Scalar | int]:
    """The divisors of the sums, applied one after another as in eager."""
    if call.arguments.get("divisor_override") is not None:
        return [call["divisor_override"]]
    with_padding = call.arguments.get("count_include_pad", False)
    lengths = [axis.length(builder, o, with_padding) for axis, o in zip(axes, outputs, strict=True)]
    return lengths if isinstance(axes[0], AdaptiveAxis) else [math.prod(lengths)]


def _as_float(number: Scalar | int, like: Scalar) -> Scalar | int:
    return number.to(like.dtype) if isinstance(number, Scalar) else number


@lowers("aten.avg_pool2d_backward.default", "aten.avg_pool3d_backward.default")
def average_pool_backward(call: LoweredCall) -> Sequence[ir.Value] | None:
    """For each element, the sum of gradient / window size over the windows that contain it"""
    axes = window_axes(call, call.result().sizes, call.info(call["grad_output"]).sizes)
    return _spread(call, axes)


@lowers("aten._adaptive_avg_pool2d_backward.default", "aten._adaptive_avg_pool3d_backward.default")
def adaptive_average_pool_backward(call: LoweredCall) -> Sequence[ir.Value] | None:
    """As average_pool_backward; only for windows of equal size"""
    rank = 3 if "3d" in call.short_name else 2
    adaptive = AdaptiveAxis.of(call.result().sizes, call.info(call["grad_output"]).sizes[-rank:])
    return _spread(call, None if adaptive is None else [axis.regular for axis in adaptive])


def _spread(call: LoweredCall, axes: Sequence[WindowAxis | None] | None) -> Sequence[ir.Value] | None:
    found = [a for a in axes or () if a is not None]
    if (
        axes is None
        or len(found) < len(axes)
        or not is_float(call.result().dtype)
        or math.prod(a.covers for a in found) > TUNING.unrolled_window
    ):
        return call.decline("windows that overlap much, or integers")
    builder = call.kernel([call["grad_output"]], call.result().sizes)
    lead, positions = builder.dims[: -len(found)], builder.dims[-len(found) :]
    total = builder.constant(0, opmath(call.result().dtype))
    for tap in covering_of(builder, found, positions):
        gradient = builder.load(0, [*lead, *tap.at], tap.inside).to(total.dtype)
        (divisor,) = _divisors(call, builder, found, [c for c in tap.at if isinstance(c, AffineIndex)])
        # Masked windows may have 0 elements.
        part = gradient / _as_float(divisor, total)
        total = total + (tap.value(part, 0) if isinstance(divisor, Scalar) else part)
    builder.store(0, total, builder.dims)
    return builder.finish()
