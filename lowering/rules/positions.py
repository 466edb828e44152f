"""Positions read from index tensors, and coordinates for operators with a `dim` argument."""

from collections.abc import Sequence
from dataclasses import dataclass

from ...dialects.aten import Size
from ..emission.kernel_builder import KernelBuilder
from ..emission.kernel_index import Coordinate
from ..emission.scalar import Scalar


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


def checked_position(builder: KernelBuilder, value: Scalar, size: Size, wraps: bool) -> Position:
    """`position_in`, with a check: the kernel fails if the index is out of range."""
    position = position_in(builder, value, size, wraps)
    builder.check(position.valid, "index")
    return position


def replaced(coordinates: Sequence[Coordinate], dim: int, coordinate: Coordinate) -> list[Coordinate]:
    """`coordinates` with `coordinate` at `dim`."""
    return [*coordinates[:dim], coordinate, *coordinates[dim + 1 :]]


def without(coordinates: Sequence[Coordinate], dim: int) -> list[Coordinate]:
    """`coordinates` without the one at `dim`."""
    return [*coordinates[:dim], *coordinates[dim + 1 :]]
