"""Lowering of `x[i, j]` and `x[i, j] = v` with index tensors."""

from collections.abc import Sequence
from dataclasses import dataclass

from torch_mlir import ir

from ...dialects.aten import Size
from ..emission.kernel_builder import KernelBuilder, broadcasts_plainly
from ..emission.kernel_index import Coordinate
from ..emission.promotion import opmath
from ..emission.scalar import Scalar
from .positions import Position, checked_first, checked_position
from .registry import LoweredCall, lowers


@dataclass(frozen=True)
class Subscript:
    """`x[indices]`: the indexed dimensions of x, and the broadcast sizes of the index tensors. In the result these sizes replace the
    indexed dimensions if they are adjacent; otherwise they come first."""

    sizes: tuple[Size, ...]
    indexed: dict[int, ir.Value]
    common: tuple[Size, ...]

    @property
    def coordinate(self) -> int:
        """The result dimension where the index tensors' sizes begin."""
        dims = list(self.indexed)
        return dims[0] if dims == list(range(dims[0], dims[-1] + 1)) else 0

    @property
    def kept(self) -> list[Size]:
        """The sizes of the other dimensions."""
        return [s for d, s in enumerate(self.sizes) if d not in self.indexed]

    @property
    def result(self) -> list[Size]:
        """The sizes of the result."""
        return [*self.kept[: self.coordinate], *self.common, *self.kept[self.coordinate :]]

    def position(self, builder: KernelBuilder, first_input: int, checked: int | None = None) -> tuple[list[Coordinate], Scalar]:
        """The coordinates in x of the result's element at the builder's dims, and whether they are in range. The index tensors are the
        inputs from number `first_input` on; `checked`: as for `checked_position`."""
        coordinate, end = self.coordinate, self.coordinate + len(self.common)
        found = dict(zip(self.indexed, self._read(builder, first_input, builder.dims[coordinate:end], checked), strict=True))
        kept = iter([*builder.dims[:coordinate], *builder.dims[end:]])
        coordinates = [found[d].at if d in found else next(kept) for d in range(len(self.sizes))]
        valid: Scalar | None = None
        for position in found.values():
            valid = position.valid if valid is None else valid & position.valid
        assert valid is not None
        return coordinates, valid

    def _read(self, builder: KernelBuilder, first_input: int, dims: Sequence[Coordinate], checked: int | None) -> list[Position]:
        positions = []
        for number, dim in enumerate(self.indexed):
            info = builder.input_infos[first_input + number]
            value = builder.load(first_input + number, builder.broadcast(info, dims, self.common))
            positions.append(checked_position(builder, value, self.sizes[dim], True, checked))
        return positions


def subscript(call: LoweredCall, indices: Sequence[ir.Value | None]) -> Subscript | None:
    """The `Subscript` of the call's `self` by `indices`; declines if one of them is a mask."""
    indexed = {d: i for d, i in enumerate(indices) if i is not None}
    infos = [call.info(i) for i in indexed.values()]
    if not infos or any(i.dtype not in ("int64", "int32") for i in infos):
        return call.decline("size depends on data")
    common: list[Size] = []
    for info in infos:
        common = broadcast_sizes(common, info.sizes)
    if not all(call.require_broadcast(i.sizes, common) for i in infos):
        return call.decline("index tensors that can not be broadcast together")
    if not all(broadcasts_plainly(i.sizes, common) for i in infos):
        return call.decline("a size may or may not be 1")
    return Subscript(call.info(call["self"]).sizes, indexed, tuple(common))


def broadcast_sizes(a: Sequence[Size], b: Sequence[Size]) -> list[Size]:
    """The broadcast sizes of two tensors if they agree where neither is 1."""
    longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
    lead = len(longer) - len(shorter)
    return [*longer[:lead], *(y if x == 1 else x for x, y in zip(longer[lead:], shorter, strict=True))]


@lowers("aten.index.Tensor", "aten._unsafe_index.Tensor")
def index(call: LoweredCall) -> Sequence[ir.Value] | None:
    """self[indices]; negative indices count from the end"""
    found = subscript(call, call["indices"])
    if found is None:
        return None
    builder = call.kernel([call["self"], *found.indexed.values()], found.result)
    coordinates, valid = found.position(builder, 1)
    builder.store(0, builder.load(0, coordinates, valid), builder.dims)
    return builder.finish()


@lowers("aten.index_put.default", "aten._unsafe_index_put.default")
def index_put(call: LoweredCall) -> Sequence[ir.Value] | None:
    """self after self[indices] = values, or self[indices] += values"""
    if _is_single_mask(call):
        return _masked_put(call)
    found = subscript(call, call["indices"])
    if found is None:
        return None
    if call["accumulate"] and call.result().dtype == "bool":
        return call.decline("sums of bool")
    if not call.require_broadcast(call.info(call["values"]).sizes, found.result):
        return call.decline("values of other sizes than what they replace")
    tensors = list(found.indexed.values())
    checked = checked_first(call, tensors, [found.sizes[d] for d in found.indexed], found.common, found.kept, wraps=True)
    inputs = [call["self"], call["values"], *tensors, *([] if checked is None else [checked])]
    builder = call.kernel(inputs, found.result, updates=[0])
    coordinates, valid = found.position(builder, 2, None if checked is None else len(inputs) - 1)
    value = builder.load(1, builder.broadcast(builder.input_infos[1], builder.dims, found.result))
    builder.store(0, value, coordinates, valid, accumulate="add" if call["accumulate"] else None)
    return builder.finish()


def _is_single_mask(call: LoweredCall) -> bool:
    """Whether the indices are one mask over the leading dimensions, and the values a single element."""
    first, *rest = call["indices"]
    if first is None or any(i is not None for i in rest) or call.info(first).dtype != "bool":
        return False
    if not call.info(call["self"]).sizes:  # eager counts one index too many, and raises
        return False
    return all(s == 1 for s in call.info(call["values"]).sizes)


def _masked_put(call: LoweredCall) -> Sequence[ir.Value]:
    """where(mask, value, self), or where(mask, self + value, self)"""
    builder = call.kernel([call["self"], call["values"], call["indices"][0]], call.result().sizes)
    mask = builder.load(2, builder.dims[: builder.input_infos[2].rank])
    old, value = builder.load(0, builder.dims), builder.load(1, [0] * builder.input_infos[1].rank)
    if call["accumulate"]:
        wide = opmath(old.dtype)
        value = (old.to(wide) + value.to(wide)).to(old.dtype)
    builder.store(0, mask.select(value, old), builder.dims)
    return builder.finish()
