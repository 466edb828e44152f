"""Lowering of layer and group normalization. A row, the elements that are normalized together, is a sample or a group of channels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from torch_mlir import ir

from ...dialects.aten import Size, TensorInfo
from ..emission.kernel_builder import KernelBuilder
from ..emission.kernel_index import Coordinate
from ..emission.promotion import opmath
from ..emission.scalar import Scalar
from .channel_sums import (
    group_norm_backward_by_channels,
    group_norm_by_channels,
    group_rstd,
    has_long_channels,
    has_neighbouring_channels,
    scaled_as_in_eager,
)
from .reduction import Reducer
from .reduction_space import ReductionSpace
from .registry import LoweredCall, lowers


@dataclass(frozen=True)
class Rows:
    """The rows of a normalization. `space`: a domain whose reduced dimensions are a row's.

    `channels_a_group`: in a group norm, `space` splits the channel dimension into groups and channels within a group.
    """

    space: ReductionSpace
    channels_a_group: int | None = None

    def element(self, builder: KernelBuilder) -> list[Coordinate]:
        """The coordinates in the input."""
        position = self.space.coordinates(builder)
        if self.channels_a_group is None:
            return position
        sample, group, channel, *rest = position
        return [sample, group * self.channels_a_group + channel, *rest]

    def statistic(self, builder: KernelBuilder) -> list[Coordinate]:
        """The coordinates in mean and rstd."""
        return self.space.result_coordinates(builder, keepdim=self.channels_a_group is None)

    def parameter(self, builder: KernelBuilder) -> list[Coordinate]:
        """The coordinates in weight and bias."""
        return self.element(builder)[1:2] if self.channels_a_group else [builder.dims[d] for d in self.space.reduced]


def _layer_rows(call: LoweredCall, tensor: ir.Value) -> Rows:
    sizes = call.info(tensor).sizes
    first = len(sizes) - len(call["normalized_shape"])
    return Rows(ReductionSpace(sizes, tuple(range(first, len(sizes)))))


def _group_rows(call: LoweredCall, tensor: ir.Value) -> Rows | None:
    sample, channels, *rest = call.info(tensor).sizes
    if not isinstance(channels, int):
        return None
    each = channels // call["group"]
    sizes: tuple[Size, ...] = (sample, call["group"], each, *rest)
    return Rows(ReductionSpace(sizes, tuple(range(2, len(sizes)))), each)


@lowers("aten.native_layer_norm.default")
def layer_norm(call: LoweredCall) -> Sequence[ir.Value | None]:
    """(x - mean) * rstd * weight + bias, with mean and rstd over the last dimensions"""
    return _normalize(call, _layer_rows(call, call["input"]))


@lowers("aten.native_group_norm.default")
def group_norm(call: LoweredCall) -> Sequence[ir.Value | None] | None:
    """(x - mean) * rstd * weight + bias, with mean and rstd over a group of channels"""
    if has_neighbouring_channels(call):
        return group_norm_by_channels(call)
    rows = _group_rows(call, call["input"])
    return None if rows is None else _normalize(call, rows)


def _normalize(call: LoweredCall, rows: Rows) -> Sequence[ir.Value | None]:
    weight, bias = call["weight"], call["bias"]
    grouped, is_read = rows.channels_a_group is not None, next(iter(call.op.results[0].uses), None) is not None
    if grouped and not is_read:  # a kernel whose stores are at g * each + c is never fused
        return [None, *_statistics(call, rows, call.result_types[1:3])]
    if grouped and _is_on_gpu(call):
        return _statistics_and_elements(call, rows)
    builder = call.kernel([v for v in (call["input"], weight, bias) if v is not None], rows.space.domain)
    wide = opmath(call.result(0).dtype)
    position = rows.element(builder)
    x = builder.load(0, position).to(wide)
    reduce = Reducer(builder, rows.space)
    mean, squares = reduce.moments(x)
    variance = squares / reduce.count(wide)
    rstd = group_rstd(variance, call["eps"]) if grouped else (variance + call["eps"]).math("rsqrt")
    scale = None if weight is None else builder.load(1, rows.parameter(builder)).to(wide)
    shift = None if bias is None else builder.load(1 + (weight is not None), rows.parameter(builder)).to(wide)
    if grouped and not (weight is None and bias is None):
        result = scaled_as_in_eager(x, mean, rstd if scale is None else rstd * scale, shift)
    else:
        result = (x - mean) * rstd
        if scale is not None:
            result = result * scale
        if shift is not None or not (builder.on_gpu or grouped):
            result = result + (0.0 if shift is None else shift)  # eager's CPU kernel adds 0.0: no zero is negative
    builder.store(0, result, position)
    builder.store(1, mean, rows.statistic(builder))
    builder.store(2, rstd, rows.statistic(builder))
    return builder.finish()


def _is_on_gpu(call: LoweredCall) -> bool:
    return call.result(0).device != "cpu"


def _statistics(call: LoweredCall, rows: Rows, types: Sequence[ir.Type]) -> list[ir.Value]:
    """Mean and rstd of the groups of a group norm, as each pair of `types` in turn."""
    builder = call.kernel([call["input"]], rows.space.domain, types, name=call.short_name + "_statistics")
    wide = opmath(call.result(0).dtype)
    reduce = Reducer(builder, rows.space)
    mean, squares = reduce.moments(builder.load(0, rows.element(builder)).to(wide))
    rstd = group_rstd(squares / reduce.count(wide), call["eps"])
    for number in range(len(types)):
        builder.store(number, rstd if number % 2 else mean, rows.statistic(builder))
    return list(builder.finish())


def _statistics_and_elements(call: LoweredCall, rows: Rows) -> Sequence[ir.Value]:
    """A group norm in two kernels, which fusion joins with each other and with what computes the input and reads the result. One kernel
    would store at channel g * each + c, and such a kernel is never fused."""
    result, each = call.result(0), rows.channels_a_group
    assert each is not None
    exact = replace(TensorInfo.of(call.result_types[1]), dtype=opmath(result.dtype)).type()
    types = [exact] * 2 if exact == call.result_types[1] else [*call.result_types[1:3], exact, exact]
    statistics = _statistics(call, rows, types)
    parameters = [v for v in (call["weight"], call["bias"]) if v is not None]
    builder = call.kernel([call["input"], *statistics[-2:], *parameters], result.sizes, call.result_types[:1])
    sample, channel, *_ = builder.dims
    wide = opmath(result.dtype)
    mean, rstd = (builder.load(n, [sample, channel // each]) for n in (1, 2))
    value = (builder.load(0, builder.dims).to(wide) - mean) * rstd
    if call["weight"] is not None:
        value = value * builder.load(3, [channel]).to(wide)
    if call["bias"] is not None:
        value = value + builder.load(2 + len(parameters), [channel]).to(wide)
    builder.store(0, value, builder.dims)
    return [*builder.finish(), *statistics[:2]]


@lowers("aten.native_layer_norm_backward.default")
def layer_norm_backward(call: LoweredCall) -> Sequence[ir.Value | None]:
    """The gradients of input, weight and bias"""
    rows = _layer_rows(call, call["input"])
    rest = tuple(d for d in range(len(rows.space.sizes)) if d not in rows.space.dims)
    columns = ReductionSpace(rows.space.sizes, rest)
    return [_input_gradient(call, rows), *_parameter_gradients(call, columns, None)]


@lowers("aten.native_group_norm_backward.default")
def group_norm_backward(call: LoweredCall) -> Sequence[ir.Value | None] | None:
    """The gradients of input, weight and bias"""
    if has_long_channels(call):
        return group_norm_backward_by_channels(call)
    rows = _group_rows(call, call["input"])
    if rows is None:
        return None
    sizes = call.info(call["input"]).sizes
    columns = ReductionSpace(sizes, tuple(d for d in range(len(sizes)) if d != 1))
    return [_input_gradient(call, rows), *_parameter_gradients(call, columns, rows.channels_a_group)]


def _input_gradient(call: LoweredCall, rows: Rows) -> ir.Value | None:
    """rstd * (g w - (sum(g w) + xhat * sum(g w xhat)) / count), xhat = (x - mean) * rstd"""
    if not call.is_wanted(0):
        return None
    weight = call["weight"]
    inputs = [call["grad_out"], call["input"], call["mean"], call["rstd"], *([] if weight is None else [weight])]
    builder = call.kernel(inputs, rows.space.domain, call.result_types[:1])
    wide = opmath(call.result(0).dtype)
    position, statistic = rows.element(builder), rows.statistic(builder)
    gradient, normal, rstd = _normalized(builder, wide, position, statistic)
    if weight is not None:
        gradient = gradient * builder.load(4, rows.parameter(builder)).to(wide)
    reduce = Reducer(builder, rows.space)
    shift = (reduce("add", gradient) + normal * reduce("add", gradient * normal)) / reduce.count(wide)
    builder.store(0, rstd * (gradient - shift), position)
    return builder.finish()[0]


def _normalized(
    builder: KernelBuilder, wide: str, position: Sequence[Coordinate], statistic: Sequence[Coordinate]
) -> tuple[Scalar, Scalar, Scalar]:
    """The output's gradient, the normalized input and rstd, loaded from inputs 0 to 3."""
    gradient, x = (builder.load(i, position).to(wide) for i in (0, 1))
    mean, rstd = (builder.load(i, statistic).to(wide) for i in (2, 3))
    return gradient, (x - mean) * rstd, rstd


def _parameter_gradients(call: LoweredCall, columns: ReductionSpace, channels_a_group: int | None) -> list[ir.Value | None]:
    """The gradients of weight and bias: sum(g * xhat) and sum(g) over all dimensions that the parameters lack"""
    wanted = [n for n in (1, 2) if call.is_wanted(n)]
    if not wanted:
        return [None, None]
    inputs = [call["grad_out"], call["input"], call["mean"], call["rstd"]]
    builder = call.kernel(inputs, columns.domain, [call.result_types[n] for n in wanted], name=call.short_name + "_parameters")
    wide = opmath(call.result(wanted[0]).dtype)
    position = columns.coordinates(builder)
    if channels_a_group is None:
        statistic: list[Coordinate] = [position[d] if d in columns.dims else 0 for d in range(len(position))]
    else:
        statistic = [position[0], position[1] // channels_a_group]
    gradient, normal, _ = _normalized(builder, wide, position, statistic)
    reduce = Reducer(builder, columns)
    for number, n in enumerate(wanted):
        builder.store(number, reduce("add", gradient * normal if n == 1 else gradient), columns.result_coordinates(builder, keepdim=False))
    results = iter(builder.finish())
    return [next(results) if n in wanted else None for n in (1, 2)]
