"""Lowering of `cat` and `stack`: each element is loaded from the tensor that contains it; the other loads are masked, or needless
if the tensors are interleaved."""

from collections.abc import Sequence
from typing import Any

from torch_mlir import ir

from ...dialects.aten import Size
from ...tuning.kernels import TUNING
from ..emission.kernel_builder import KernelBuilder
from ..emission.scalar import Scalar
from .positions import replaced, without_dim
from .registry import LoweredCall, lowers


@lowers("aten.cat.default")
def cat(call: LoweredCall) -> Sequence[ir.Value]:
    """The tensors one after another along `dim`; tensors of size [0] are skipped"""
    rank, dim = call.result().rank, call["dim"]
    tensors = [t for t in call["tensors"] if call.info(t).rank == rank]
    return _join(call, tensors, [call.info(t).sizes[dim] for t in tensors])


@lowers("aten.stack.default")
def stack(call: LoweredCall) -> Sequence[ir.Value]:
    """The tensors one after another along a new dimension `dim`"""
    return _join(call, call["tensors"], [1] * len(call["tensors"]))


def _join(call: LoweredCall, tensors: Sequence[ir.Value], extents: Sequence[Size]) -> Sequence[ir.Value]:
    """Concatenates tensors whose sizes along the result's `dim` are `extents`, in groups: each kernel writes its group into the previous
    kernel's result."""
    results: Sequence[ir.Value] = []
    start: Size = 0
    for first in range(0, max(len(tensors), 1), TUNING.concatenated):
        group, sizes = tensors[first : first + TUNING.concatenated], extents[first : first + TUNING.concatenated]
        domain = replaced(call.result().sizes, call["dim"], sum(sizes))
        builder = call.kernel([*group, *results], domain, updates=[len(group)] if results else None)
        coordinate = builder.dims[call["dim"]]
        value = _pick(call, builder, sizes)
        builder.store(0, value, replaced(builder.dims, call["dim"], coordinate + builder.size(start) if results else coordinate))
        results = builder.finish()
        start = start + sum(sizes)
    return results


def _pick(call: LoweredCall, builder: KernelBuilder, extents: Sequence[Size]) -> Scalar:
    """The element at the builder's dims of the concatenation of its first inputs, whose sizes along `dim` are `extents`."""
    dim, dtype = call["dim"], builder.output_infos[0].dtype
    coordinate, masked = builder.position(builder.dims[dim]), not _interleaves(call)
    value: Scalar | None = None
    for number in reversed(range(len(extents))):
        start, end = sum(extents[:number]), sum(extents[: number + 1])
        after_start = coordinate >= builder.number(start) if number and masked else None
        coordinates = _coordinates(builder, number, dim, start)
        if value is None:
            value = builder.load(number, coordinates, after_start).to(dtype)
            continue
        before_end = coordinate < builder.number(end)
        mask = before_end & after_start if after_start else before_end if masked else None
        value = before_end.select(builder.load(number, coordinates, mask).to(dtype), value)
    return builder.constant(0, dtype) if value is None else value


def _interleaves(call: LoweredCall) -> bool:
    """Whether few tensors are stacked so that their elements are neighbours in memory. The loads then need no masks: each address is in
    range, and the same cache lines are read."""
    info, dim = call.result(), call["dim"]
    return call.short_name == "stack" and info.strides[dim] == 1 and len(call["tensors"]) <= TUNING.interleaved


def _coordinates(builder: KernelBuilder, number: int, dim: int, start: Size) -> list[Any]:
    """The builder's coordinates within the tensor that begins at `start` along `dim`; a stacked tensor lacks that dimension."""
    if builder.input_infos[number].rank < len(builder.dims):
        return without_dim(builder.dims, dim)
    return replaced(builder.dims, dim, builder.dims[dim] - builder.size(start) if number else builder.dims[dim])
