"""Group normalization that sums each channel first. For channels-last images the vector lanes are then channels."""

from __future__ import annotations

import math
from collections.abc import Sequence

from torch_mlir import ir

from ...dialects.aten import TensorInfo
from ...tuning.kernels import TUNING
from ..emission.promotion import opmath
from ..emission.scalar import Scalar
from .reduction import Reducer
from .reduction_space import ReductionSpace
from .registry import LoweredCall


def has_neighbouring_channels(call: LoweredCall) -> bool:
    """Whether the call normalizes a channels-last image on the CPU, with 2 to `MOST` channels per group."""
    info = call.info(call["input"])
    if info.device != "cpu" or info.rank < 3 or info.strides[1] != 1 or not isinstance(info.sizes[1], int):
        return False
    return 0 not in info.sizes and info.strides[-1] != 1 and 1 < info.sizes[1] // call["group"] <= TUNING.group_channels


def has_long_channels(call: LoweredCall) -> bool:
    """Whether to compute group norm's gradients from sums for each channel. The gradients of weight and bias share these sums."""
    info = call.info(call["input"])
    pixels = info.sizes[2:]
    if info.device != "cpu" or info.sizes[1] == call["group"] or not all(isinstance(s, int) for s in info.sizes):
        return False
    return (
        has_neighbouring_channels(call)
        or math.prod(s for s in pixels if isinstance(s, int)) >= TUNING.channel_pixels
        and 0 not in info.sizes
    )


def group_norm_by_channels(call: LoweredCall) -> Sequence[ir.Value]:
    """Computes the moments of each channel and sample, from them those of each group, then normalizes elementwise."""
    info = call.info(call["input"])
    wide = opmath(info.dtype)
    temporary = _temporary(call)
    space = ReductionSpace(info.sizes, tuple(range(2, info.rank)))
    builder = call.kernel([call["input"]], space.domain, [temporary] * 2, name="group_norm_channels")
    moments = Reducer(builder, space).moments(builder.load(0, space.coordinates(builder)).to(wide))
    for number, value in enumerate(moments):
        builder.store(number, value, builder.dims[:2])
    mean, rstd, *both = _groups(call, builder.finish(), space, temporary)
    return [_apply(call, both), mean, rstd]


def _temporary(call: LoweredCall) -> ir.Type:
    """The type of a temporary with one element for each sample and channel."""
    info = call.info(call["input"])
    return TensorInfo(info.sizes[:2], opmath(info.dtype), info.device, (info.sizes[1], 1)).type()


def _groups(call: LoweredCall, moments: Sequence[ir.Value], space: ReductionSpace, temporary: ir.Type) -> list[ir.Value]:
    """Mean and rstd for each group; mean and rstd * weight for each channel."""
    samples, channels = space.sizes[:2]
    assert isinstance(channels, int)
    each = channels // call["group"]
    groups = ReductionSpace((samples, call["group"], each), (2,))
    weight = [v for v in [call["weight"]] if v is not None]
    types = [*call.result_types[1:3], temporary, temporary]
    builder = call.kernel([*moments, *weight], groups.domain, types, name="group_norm_groups")
    sample, group, number = builder.dims
    channel = group * each + number
    part, squares = (builder.load(i, [sample, channel]) for i in (0, 1))
    reduce, count = Reducer(builder, groups), builder.number(space.count, part.dtype)
    mean = reduce("add", part) / each
    distance = part - mean
    total = reduce("add", squares + count * distance * distance)
    rstd = group_rstd(total / (count * each), call["eps"])
    scale = rstd * builder.load(2, [channel]).to(rstd.dtype) if weight else rstd
    for result, value in enumerate([mean, rstd, mean, scale]):
        builder.store(result, value, [sample, group if result < 2 else channel])
    return list(builder.finish())


def _apply(call: LoweredCall, both: Sequence[ir.Value]) -> ir.Value:
    """x * scale + (bias - mean * scale)"""
    bias = [v for v in [call["bias"]] if v is not None]
    builder = call.kernel([call["input"], *both, *bias], call.result(0).sizes, call.result_types[:1])
    wide = opmath(call.result(0).dtype)
    mean, scale = (builder.load(i, builder.dims[:2]) for i in (1, 2))
    shift = builder.load(3, [builder.dims[1]]).to(wide) if bias else None
    builder.store(0, scaled_as_in_eager(builder.load(0, builder.dims).to(wide), mean, scale, shift), builder.dims)
    return builder.finish()[0]


def group_rstd(variance: Scalar, eps: float) -> Scalar:
    """1 / sqrt(variance + eps); eager's CPU kernel adds the double `eps`, so that all is computed in double and rounded once."""
    wide = variance.dtype if variance.builder.on_gpu else "float64"
    return (variance.to(wide) + eps).math("rsqrt").to(variance.dtype)


def scaled_as_in_eager(x: Scalar, mean: Scalar, scale: Scalar, shift: Scalar | None) -> Scalar:
    """x * scale + (shift - mean * scale), with fused multiply-adds, as eager's CPU kernel of a group norm computes it: where x is about the
    mean, the result has the rounding error of mean * scale."""
    return x.fma(scale, (-scale).fma(mean, 0.0 if shift is None else shift))


def group_norm_backward_by_channels(call: LoweredCall) -> Sequence[ir.Value | None]:
    """The gradients of input, weight and bias, from sum(g) and sum(g (x - mean)) for each channel and sample"""
    info, temporary = call.info(call["input"]), _temporary(call)
    assert isinstance(info.sizes[1], int)
    each = info.sizes[1] // call["group"]
    space = ReductionSpace(info.sizes, tuple(range(2, info.rank)))
    builder = call.kernel(
        [call["grad_out"], call["input"], call["mean"]], space.domain, [temporary] * 2, name="group_norm_backward_channels"
    )
    sample, channel = builder.dims[:2]
    position = space.coordinates(builder)
    gradient, x = (builder.load(i, position).to(opmath(info.dtype)) for i in (0, 1))
    mean = builder.load(2, [sample, channel // each]).to(gradient.dtype)
    reduce = Reducer(builder, space)
    for number, value in enumerate((gradient, gradient * (x - mean))):
        builder.store(number, reduce("add", value), [sample, channel])
    sums = list(builder.finish())
    return [_input_gradient(call, sums, space, each) if call.is_wanted(0) else None, *_parameter_gradients(call, sums, each)]


def _input_gradient(call: LoweredCall, sums: list[ir.Value], space: ReductionSpace, each: int) -> ir.Value:
    """rstd w g - rstd sum(w g) / n - (x - mean) rstd^3 sum(w g (x - mean)) / n; a first kernel computes each channel's factors"""
    weight = [v for v in [call["weight"]] if v is not None]
    groups = ReductionSpace((space.sizes[0], call["group"], each), (2,))
    types = [_temporary(call)] * 4
    builder = call.kernel([*sums, call["mean"], call["rstd"], *weight], groups.domain, types, name="group_norm_backward_groups")
    sample, group, number = builder.dims
    channel = group * each + number
    total, projected = (builder.load(i, [sample, channel]) for i in (0, 1))
    mean, rstd = (builder.load(i, [sample, group]).to(total.dtype) for i in (2, 3))
    factor = builder.load(4, [channel]).to(total.dtype) if weight else builder.constant(1, total.dtype)
    reduce, count = Reducer(builder, groups), builder.number(space.count, total.dtype) * each
    shift = rstd * reduce("add", total * factor) / count
    slope = rstd * rstd * rstd * reduce("add", projected * factor) / count
    for result, value in enumerate((mean, rstd * factor, slope, shift)):
        builder.store(result, value, [sample, channel])
    factors = list(builder.finish())
    builder = call.kernel([call["grad_out"], call["input"], *factors], space.sizes, call.result_types[:1])
    gradient, x = (builder.load(i, builder.dims).to(total.dtype) for i in (0, 1))
    mean, scale, slope, shift = (builder.load(i, builder.dims[:2]) for i in (2, 3, 4, 5))
    builder.store(0, gradient * scale - (x - mean) * slope - shift, builder.dims)
    return builder.finish()[0]


def _parameter_gradients(call: LoweredCall, sums: list[ir.Value], each: int) -> list[ir.Value | None]:
    """The gradients of weight and bias: rstd sum(g (x - mean)) and sum(g), summed over samples"""
    wanted = [n for n in (1, 2) if call.is_wanted(n)]
    if not wanted:
        return [None, None]
    space = ReductionSpace(call.info(sums[0]).sizes, (0,))
    types = [call.result_types[n] for n in wanted]
    builder = call.kernel([*sums, call["rstd"]], space.domain, types, name="native_group_norm_backward_parameters")
    channel, sample = builder.dims
    total, projected = (builder.load(i, [sample, channel]) for i in (0, 1))
    rstd = builder.load(2, [sample, channel // each]).to(total.dtype)
    reduce = Reducer(builder, space)
    for number, n in enumerate(wanted):
        builder.store(number, reduce("add", projected * rstd if n == 1 else total), [channel])
    results = iter(builder.finish())
    return [next(results) if n in wanted else None for n in (1, 2)]
