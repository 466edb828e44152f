"""Lowering of operators that only move elements: each result element is loaded at the coordinates of an index expression."""

from collections.abc import Sequence

from torch_mlir import ir

from ...dialects.lazy import sympy
from ..emission.kernel_builder import KernelBuilder
from ..emission.kernel_index import Coordinate
from .registry import LoweredCall, lowers


def _moved(builder: KernelBuilder, coordinates: Sequence[Coordinate]) -> Sequence[ir.Value]:
    """result = input 0 at `coordinates`"""
    builder.store(0, builder.load(0, coordinates), builder.dims)
    return builder.finish()


@lowers("aten.flip.default")
def flip(call: LoweredCall) -> Sequence[ir.Value]:
    """result[.. i ..] = self[.. size - 1 - i ..] along `dims`"""
    builder = call.kernel([call["self"]], call.result().sizes)
    coordinates = list(builder.dims)
    for dim in call["dims"] if coordinates else ():  # a tensor without dimensions has 0 and -1 as dims
        coordinates[dim] = builder.size(builder.domain[dim]) - 1 - builder.dims[dim]
    return _moved(builder, coordinates)


@lowers("aten.roll.default")
def roll(call: LoweredCall) -> Sequence[ir.Value] | None:
    """result[.. i ..] = self[.. (i - shift) mod size ..]"""
    dims, shifts = call["dims"], call["shifts"]
    if len(dims) != len(shifts):
        return call.decline("a roll of the flattened tensor")
    builder = call.kernel([call["self"]], call.result().sizes)
    coordinates = list(builder.dims)
    for dim, shift in zip(dims, shifts, strict=True):
        size = builder.domain[dim]
        if size not in (0, 1):
            # The remainder is an int if shift and size are; a symbolic one becomes a symbol of the kernel.
            back = size - (shift % size if isinstance(shift, int) and isinstance(size, int) else sympy.Mod(shift, size))
            coordinates[dim] = (coordinates[dim] + builder.size(back)) % builder.size(size)
    return _moved(builder, coordinates)


@lowers("aten.repeat.default")
def repeat(call: LoweredCall) -> Sequence[ir.Value]:
    """result[.. i ..] = self[.. i mod size ..], with new dimensions in front"""
    builder = call.kernel([call["self"]], call.result().sizes)
    info = builder.input_infos[0]
    lead = len(builder.dims) - info.rank
    coordinates: list[Coordinate] = []
    for size, times, position in zip(info.sizes, call["repeats"][lead:], builder.dims[lead:], strict=True):
        coordinates.append(position if times == 1 else 0 if size in (0, 1) else position % builder.size(size))
    return _moved(builder, coordinates)
