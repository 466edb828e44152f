"""Indices read from index tensors, and coordinates for operators with a `dim`."""

from collections.abc import Sequence
from dataclasses import dataclass

from ...dialects.aten import Size
from ..kernel_builder import KernelBuilder
from ..kernel_index import Coordinate
from ..scalar import Scalar


@dataclass(frozen=True)
class Position:
    """A coordinate read from an index tensor: `at` is in range if `valid` is true."""

    at: Coordinate
    valid: Scalar


def position_in(builder: KernelBuilder, value: Scalar, size: Size, wraps: bool) -> Position:
    """`value` as a coordinate in a dimension of `size`; negative ones count from the end if eager's operator `wraps`."""
    value = value.to("int64")
    extent = builder.number(size)
    if wraps:
        value = (value < 0).select(value + extent, value)
    return Position(builder.index(value), (value >= 0) & (value < extent))


def checked_position(builder: KernelBuilder, value: Scalar, size: Size, wraps: bool) -> Position:
    """`position_in`; an out-of-range index fails the kernel."""
    position = position_in(builder, value, size, wraps)
    builder.check(position.valid, "index")
    return position


def replaced(coordinates: Sequence[Coordinate], dim: int, coordinate: Coordinate) -> list[Coordinate]:
    """`coordinates` with `coordinate` at `dim`."""
    return [*coordinates[:dim], coordinate, *coordinates[dim + 1 :]]


def without(coordinates: Sequence[Coordinate], dim: int) -> list[Coordinate]:
    """`coordinates` without the one at `dim`."""
    return [*coordinates[:dim], *coordinates[dim + 1 :]]
