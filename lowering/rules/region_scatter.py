"""Lowering of `select_scatter` and its kin: a tensor with what a view of it shows replaced, elementwise."""

from collections.abc import Callable, Sequence

from torch_mlir import ir

from ...dialects.aten import Size, TensorInfo
from ...dialects.lazy import sympy
from ...dialects.requirements import at_least
from ...passes.analysis.alias_analysis import memory_of
from ...passes.analysis.inplace_rules import MARK, is_same_area, replaced_region
from ...passes.analysis.memory_overlap import has_internal_overlap
from ..emission.kernel_builder import KernelBuilder
from ..emission.kernel_index import Coordinate
from ..emission.scalar import Scalar
from .positions import replaced, without_dim
from .registry import LoweredCall, lowers


def _overlay(builder: KernelBuilder, inside: Scalar, coordinates: Sequence[Coordinate]) -> Sequence[ir.Value]:
    """where(inside, input 1 at `coordinates`, input 0)"""
    source = builder.load(1, coordinates, inside).to(builder.output_infos[0].dtype)
    builder.store(0, inside.select(source, builder.load(0, builder.dims)), builder.dims)
    return builder.finish()


def _in_place(call: LoweredCall, coordinates: Callable[[KernelBuilder], Sequence[Coordinate]]) -> Sequence[ir.Value] | None:
    """self, written at `coordinates` of each element of src and nowhere else; no kernel where src lies there already"""
    replaced = replaced_region(call.op)
    is_there = replaced is not None and is_same_area(replaced, call.info(call["src"]))
    if is_there and memory_of(call["src"]) == memory_of(call["self"]):  # which looks through all writes before
        return call.decline("in place")
    builder = call.kernel([call["self"], call["src"]], call.info(call["src"]).sizes, updates=[0])
    source = builder.load(1, builder.dims).to(builder.output_infos[0].dtype)
    builder.store(0, source, coordinates(builder))
    return builder.finish()


def _kernel(call: LoweredCall) -> KernelBuilder:
    return call.kernel([call["self"], call["src"]], call.result().sizes)


def from_start(call: LoweredCall, index: Size, size: Size) -> Size | None:
    """`index`, counted from the end if negative. A symbol keeps the sign that it has: by its range, or by requirement. None where the
    sign is not even known for the call that was traced."""
    if isinstance(index, int):
        return index if index >= 0 else index + size
    if call.require(at_least(index, 0)):
        return index
    return index + size if call.require(at_least(-1, index)) else None


@lowers("aten.select_scatter.default")
def select_scatter(call: LoweredCall) -> Sequence[ir.Value] | None:
    """self with the slice at `index` of `dim` replaced by src"""
    dim = call["dim"]
    size = call.result().sizes[dim]
    index = from_start(call, call["index"], size)
    if index is None or not (call.require(at_least(index, 0)) and call.require(at_least(size - 1, index))):
        return call.decline("an index of unknown sign, or out of range")
    if MARK in call.op.attributes:
        return _in_place(call, lambda b: [*b.dims[:dim], b.size(index), *b.dims[dim:]])
    builder = _kernel(call)
    inside = builder.position(builder.dims[dim]).eq(builder.number(index))
    return _overlay(builder, inside, without_dim(builder.dims, dim))


@lowers("aten.slice_scatter.default")
def slice_scatter(call: LoweredCall) -> Sequence[ir.Value] | None:
    """self with self[.. start : end : step ..] replaced by src"""
    dim, step = call["dim"], call["step"]
    size, count = call.result().sizes[dim], call.info(call["src"]).sizes[dim]
    start = from_start(call, 0 if call["start"] is None else call["start"], size)
    if start is None or not isinstance(step, int):
        return call.decline("a start of unknown sign")
    if isinstance(start, int) and isinstance(size, int):
        start = max(0, min(start, size))
    elif start != call["start"] and not call.is_at_least(start, 0):
        start = sympy.Max(start, 0)
    if MARK in call.op.attributes:
        return _in_place(call, lambda b: replaced(b.dims, dim, b.dims[dim] * step + b.size(start)))
    builder = _kernel(call)
    coordinate = builder.dims[dim] - builder.size(start)
    rest = coordinate % step
    if step != 1:
        coordinate = coordinate // step
    inside = _within(builder, builder.position(coordinate), start, size, count)
    if step != 1:
        inside = _and(inside, builder.position(rest).eq(0))
    if inside is None:
        inside = builder.constant(True, "bool")
    return _overlay(builder, inside, replaced(builder.dims, dim, coordinate))


def _within(builder: KernelBuilder, inner: Scalar, start: Size, size: Size, length: Size) -> Scalar | None:
    """0 <= inner < length, for a coordinate `inner` + start that is in [0, size); None: everywhere."""
    low = None if start == 0 else inner >= 0
    high = None if length == size - start else inner < builder.number(length)
    return low if high is None else _and(low, high)


def _and(a: Scalar | None, b: Scalar) -> Scalar:
    return b if a is None else a & b


@lowers("aten.diagonal_scatter.default")
def diagonal_scatter(call: LoweredCall) -> Sequence[ir.Value] | None:
    """self with the diagonal of dim1 and dim2 replaced by src, whose last dimension runs along it"""
    dim1, dim2, offset = call["dim1"], call["dim2"], call["offset"]
    if not isinstance(offset, int):
        return call.decline("an offset of unknown sign")
    if MARK in call.op.attributes:
        return _in_place(call, lambda b: _on_diagonal(b.dims, dim1, dim2, offset))
    builder = _kernel(call)
    row, column = builder.dims[dim1], builder.dims[dim2]
    inside = builder.position(column - row).eq(offset)
    others = [d for n, d in enumerate(builder.dims) if n not in (dim1, dim2)]
    return _overlay(builder, inside, [*others, row if offset >= 0 else column])


def _on_diagonal(dims: Sequence[Coordinate], dim1: int, dim2: int, offset: int) -> list[Coordinate]:
    *rest, last = dims
    diagonal = {dim1: last + max(-offset, 0), dim2: last + max(offset, 0)}
    others = iter(rest)
    return [diagonal[d] if d in diagonal else next(others) for d in range(len(dims) + 1)]


@lowers("aten.as_strided_scatter.default")
def as_strided_scatter(call: LoweredCall) -> Sequence[ir.Value] | None:
    """self with the elements at the given strides of its storage replaced by src"""
    base, sizes = call.info(call["self"]), call.info(call["src"]).sizes
    offset = base.offset if call["storage_offset"] is None else call["storage_offset"]
    found = strided_coordinates(base, sizes, call["stride"], offset - base.offset)
    if found is None:
        return call.decline("any strides")

    def coordinates(builder: KernelBuilder) -> list[Coordinate]:
        return [builder.size(first) + sum(builder.dims[d] * k for d, k in steps) for first, steps in found]

    return _in_place(call, coordinates)


def strided_coordinates(
    base: TensorInfo, sizes: Sequence[Size], strides: Sequence[Size], start: Size
) -> list[tuple[int, list[tuple[int, int]]]] | None:
    """For each dimension of `base` where the region begins and which of the region's dimensions go along it, by what step;
    None where the region is no block of slices."""
    numbers = (*base.sizes, *base.strides, *sizes, *strides, start)
    if not all(isinstance(n, int) for n in numbers) or start < 0 or has_internal_overlap(base):
        return None
    order = sorted((d for d in range(base.rank) if base.sizes[d] > 1), key=lambda d: -base.strides[d])
    first, last = [0] * base.rank, [0] * base.rank
    steps: list[list[tuple[int, int]]] = [[] for _ in range(base.rank)]
    for d in order:
        first[d], start = divmod(start, base.strides[d])
        last[d] = first[d]
    for number, (size, stride) in enumerate(zip(sizes, strides, strict=True)):
        if size == 1:
            continue
        along = [d for d in order if stride >= base.strides[d]]
        d = along[0] if along else -1
        if d < 0 or steps[d] or stride % base.strides[d]:
            return None
        steps[d] = [(number, stride // base.strides[d])]
        last[d] += (size - 1) * steps[d][0][1]
    if start or any(end >= size for end, size in zip(last, base.sizes, strict=True)):
        return None
    return list(zip(first, steps, strict=True))
