"""Group normalization of images whose channels are neighbours: sums a channel first, so that the lanes hold channels."""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir

from ...dialects.aten import TensorInfo
from ..promotion import opmath
from .reduction import Reducer
from .reduction_space import ReductionSpace
from .registry import Call

MOST = 32  # channels of a group: rows of more are long enough


def has_neighbouring_channels(call: Call) -> bool:
    """Whether `native_group_norm` is of an image in channels last, in groups of few channels, on the CPU."""
    info = call.info(call["input"])
    if info.device != "cpu" or info.rank < 3 or info.strides[1] != 1 or not isinstance(info.sizes[1], int):
        return False
    return 0 not in info.sizes and info.strides[-1] != 1 and 1 < info.sizes[1] // call["group"] <= MOST


def group_norm_by_channels(call: Call) -> Sequence[ir.Value]:
    """Moments a channel and sample, from these those of the groups, then an elementwise kernel."""
    info = call.info(call["input"])
    wide = opmath(info.dtype)
    temporary = TensorInfo(info.sizes[:2], wide, info.device, (info.sizes[1], 1)).type()
    space = ReductionSpace(info.sizes, tuple(range(2, info.rank)))
    builder = call.kernel([call["input"]], space.domain, [temporary] * 2, name="group_norm_channels")
    moments = Reducer(builder, space).moments(builder.load(0, space.coordinates(builder)).to(wide))
    for number, value in enumerate(moments):
        builder.store(number, value, builder.dims[:2])
    mean, rstd, *both = _groups(call, builder.finish(), space, temporary)
    return [_apply(call, both), mean, rstd]


def _groups(call: Call, moments: Sequence[ir.Value], space: ReductionSpace, temporary: ir.Type) -> list[ir.Value]:
    """Mean and rstd of the groups; the mean, and rstd * weight, for each channel."""
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
    rstd = (total / (count * each) + call["eps"]).math("rsqrt")
    scale = rstd * builder.load(2, [channel]).to(rstd.dtype) if weight else rstd
    for result, value in enumerate([mean, rstd, mean, scale]):
        builder.store(result, value, [sample, group if result < 2 else channel])
    return list(builder.finish())


def _apply(call: Call, both: Sequence[ir.Value]) -> ir.Value:
    """(x - mean) * scale + bias"""
    bias = [v for v in [call["bias"]] if v is not None]
    builder = call.kernel([call["input"], *both, *bias], call.result(0).sizes, call.result_types[:1])
    wide = opmath(call.result(0).dtype)
    mean, scale = (builder.load(i, builder.dims[:2]) for i in (1, 2))
    result = (builder.load(0, builder.dims).to(wide) - mean) * scale
    if bias:
        result = result + builder.load(3, [builder.dims[1]]).to(wide)
    builder.store(0, result, builder.dims)
    return builder.finish()[0]
