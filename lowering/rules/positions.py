"""Positions read from index tensors, and coordinates for operators with a `dim` argument."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torch_mlir import ir

from ...dialects.aten import Size, TensorInfo
from ...passes.analysis.alias_analysis import memory_of
from ...passes.analysis.inplace_rules import MARK
from ..emission.kernel_builder import KernelBuilder
from ..emission.kernel_index import Coordinate
from ..emission.scalar import Scalar

if TYPE_CHECKING:
    from .registry import LoweredCall


@dataclass(frozen=True)
class Position:
    """A coordinate read from an index tensor. `valid`: whether `at` is in range."""

    at: Coordinate
    valid: Scalar


def position_in(builder: KernelBuilder, value: Scalar, size: Size, wraps: bool) -> Position:
    """`value` as a coordinate in a dimension of `size`. `wraps`: negative values count from the end."""
    value = value.to("int64")
    extent = builder.number(size)
    if wraps:
        value = (value < 0).select(value + extent, value)
    return Position(builder.index(value), (value >= 0) & (value < extent))


def checked_first(
    call: LoweredCall, indices: Sequence[ir.Value], bounds: Sequence[Size], common: Sequence[Size], others: Sequence[Size], wraps: bool
) -> ir.Value | None:
    """A 0-dimensional bool: whether all elements of index tensors, broadcast to `common`, are in dimensions of sizes `bounds`. The kernel
    that computes it fails if one is not, before the call's own kernel writes to the caller's tensor.

    None if the call's own kernel is to check: if it writes no graph input, at most one position, or perhaps nothing (`others`: the sizes
    of what is written at a position)."""
    device = call.result().device
    if MARK not in call.op.attributes or device != "cpu" or math.prod(common) == 1 or not all(call.is_at_least(s, 1) for s in others):
        return None
    if not isinstance(memory_of(call["self"]), ir.BlockArgument):
        return None
    builder = call.kernel(indices, common, [TensorInfo((), "bool", device, ()).type()], name="check_indices")
    valid = []
    for number, (info, bound) in enumerate(zip(builder.input_infos, bounds, strict=True)):
        index = builder.load(number, builder.broadcast(info, builder.dims, common))
        valid.append(position_in(builder, index, bound, wraps).valid)
    (all_valid,) = builder.reduce("and", [functools.reduce(operator.and_, valid)], range(len(common)))
    builder.check(all_valid, "index")
    builder.store(0, all_valid, [])
    return builder.finish()[0]


def checked_position(builder: KernelBuilder, value: Scalar, size: Size, wraps: bool, checked: int | None = None) -> Position:
    """`position_in`, with a check: the kernel fails if the index is out of range. `checked`: the number of the input that holds whether all
    indices are in range (`checked_first`), if there is one."""
    position = position_in(builder, value, size, wraps)
    if checked is None:
        builder.check(position.valid, "index")
        return position
    return Position(position.at, builder.load(checked, []) & position.valid)


def replaced(coordinates: Sequence[Coordinate], dim: int, coordinate: Coordinate) -> list[Coordinate]:
    """`coordinates` with `coordinate` at `dim`."""
    return [*coordinates[:dim], coordinate, *coordinates[dim + 1 :]]


def without_dim(coordinates: Sequence[Coordinate], dim: int) -> list[Coordinate]:
    """`coordinates` without the one at `dim`."""
    return [*coordinates[:dim], *coordinates[dim + 1 :]]
