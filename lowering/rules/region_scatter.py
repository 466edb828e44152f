"""Lowering of `select_scatter` and its kin: a tensor with what a view of it shows replaced, elementwise."""

from collections.abc import Sequence

from torch_mlir import ir

from ...dialects.aten import Size
from ...dialects.lazy import sympy
from ..kernel_builder import KernelBuilder
from ..kernel_index import Coordinate
from ..scalar import Scalar
from .positions import replaced, without
from .registry import Call, lowers


def _overlay(builder: KernelBuilder, inside: Scalar, coordinates: Sequence[Coordinate]) -> Sequence[ir.Value]:
    """where(inside, input 1 at `coordinates`, input 0)"""
    source = builder.load(1, coordinates, inside).to(builder.output_infos[0].dtype)
    builder.store(0, inside.select(source, builder.load(0, builder.dims)), builder.dims)
    return builder.finish()


def _kernel(call: Call) -> KernelBuilder:
    return call.kernel([call["self"], call["src"]], call.result().sizes)


def from_start(call: Call, index: Size, size: Size) -> Size | None:
    """`index`, counted from the end if negative; None where its sign is not known."""
    if isinstance(index, int):
        return index if index >= 0 else index + size
    return index if call.is_nonnegative(index) else None


@lowers("aten.select_scatter.default")
def select_scatter(call: Call) -> Sequence[ir.Value] | None:
    """self with the slice at `index` of `dim` replaced by src"""
    dim = call["dim"]
    index = from_start(call, call["index"], call.result().sizes[dim])
    if index is None:
        return call.decline("an index of unknown sign")
    builder = _kernel(call)
    inside = builder.position(builder.dims[dim]).eq(builder.number(index))
    return _overlay(builder, inside, without(builder.dims, dim))


@lowers("aten.slice_scatter.default")
def slice_scatter(call: Call) -> Sequence[ir.Value] | None:
    """self with self[.. start : end : step ..] replaced by src"""
    dim, step = call["dim"], call["step"]
    size, count = call.result().sizes[dim], call.info(call["src"]).sizes[dim]
    start = from_start(call, 0 if call["start"] is None else call["start"], size)
    if start is None or not isinstance(step, int):
        return call.decline("a start of unknown sign")
    if isinstance(start, int) and isinstance(size, int):
        start = max(0, min(start, size))
    elif not isinstance(start, int) and isinstance(call["start"], int):
        start = sympy.Max(start, 0)
    builder = _kernel(call)
    coordinate = builder.dims[dim] - builder.size(start)
    place = builder.position(coordinate)
    inside = _within(builder, place, start, size, count * step)
    if step != 1:
        inside = _and(inside, builder.position(coordinate % step).eq(0))
        coordinate = coordinate // step
    if inside is None:
        inside = builder.constant(True, "bool")
    return _overlay(builder, inside, replaced(builder.dims, dim, coordinate))


def _within(builder: KernelBuilder, place: Scalar, start: Size, size: Size, length: Size) -> Scalar | None:
    """0 <= place < length, where place is `start` less than a coordinate below `size`; None: everywhere."""
    low = None if start == 0 else place >= 0
    high = None if length == size - start else place < builder.number(length)
    return low if high is None else _and(low, high)


def _and(a: Scalar | None, b: Scalar) -> Scalar:
    return b if a is None else a & b


@lowers("aten.diagonal_scatter.default")
def diagonal_scatter(call: Call) -> Sequence[ir.Value] | None:
    """self with the diagonal of dim1 and dim2 replaced by src, whose last dimension runs along it"""
    dim1, dim2, offset = call["dim1"], call["dim2"], call["offset"]
    if not isinstance(offset, int):
        return call.decline("an offset of unknown sign")
    builder = _kernel(call)
    row, column = builder.dims[dim1], builder.dims[dim2]
    inside = builder.position(column - row).eq(offset)
    others = [d for n, d in enumerate(builder.dims) if n not in (dim1, dim2)]
    return _overlay(builder, inside, [*others, row if offset >= 0 else column])
