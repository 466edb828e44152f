"""The domain of a reduction: the kept dimensions of a tensor, then the reduced ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ...dialects.aten import Size, TensorInfo
from ...dialects.dtypes import item_size
from ..emission.kernel_builder import KernelBuilder
from ..emission.kernel_index import Coordinate
from ..emission.scalar import Scalar


@dataclass(frozen=True)
class ReductionSpace:
    """The domain of a kernel that reduces a tensor of `sizes` over `dims`.

    If `dims` is empty, the domain gets a last dimension of extent 1 to reduce over.
    """

    sizes: tuple[Size, ...]
    dims: tuple[int, ...]

    @staticmethod
    def of(sizes: Sequence[Size], dims: Sequence[int] | int | None) -> ReductionSpace:
        """The space for PyTorch's argument `dims`: one dimension or several; None or an empty list means all."""
        rank = len(sizes)
        chosen = [dims] if isinstance(dims, int) else list(dims or range(rank))
        return ReductionSpace(tuple(sizes), tuple(sorted(d % rank for d in chosen)) if rank else ())

    @property
    def kept(self) -> list[int]:
        """The tensor's dimensions that are not reduced."""
        return [d for d in range(len(self.sizes)) if d not in self.dims]

    @property
    def domain(self) -> list[Size]:
        """The kernel's extents."""
        reduced: list[Size] = [self.sizes[d] for d in self.dims]
        return [self.sizes[d] for d in self.kept] + (reduced or [1])

    @property
    def reduced(self) -> list[int]:
        """The domain's dimensions that are reduced over."""
        return list(range(len(self.kept), len(self.domain)))

    @property
    def count(self) -> Size:
        """The number of elements that are reduced to one."""
        return math.prod((self.sizes[d] for d in self.dims), start=1)

    def coordinates(self, builder: KernelBuilder) -> list[Coordinate]:
        """The coordinates in the tensor at a point of the domain."""
        coordinate = {d: i for i, d in enumerate([*self.kept, *self.dims])}
        return [builder.dims[coordinate[d]] for d in range(len(self.sizes))]

    def result_coordinates(self, builder: KernelBuilder, keepdim: bool) -> list[Coordinate]:
        """The coordinates in the result. With `keepdim` it keeps the reduced dimensions with size 1."""
        if not keepdim:
            return list(builder.dims[: len(self.kept)])
        return [0 if d in self.dims else builder.dims[self.kept.index(d)] for d in range(len(self.sizes))]

    def linear_position(self, builder: KernelBuilder, strides: Sequence[Size] | None = None) -> Scalar:
        """The row-major position of an element among those that are reduced together; with the tensor's `strides`, numbers, its position in
        the order of memory."""
        position: Coordinate = 0
        dims = list(zip(self.reduced, self.dims, strict=False))
        for number, d in dims if strides is None else sorted(dims, key=lambda pair: -strides[pair[1]]):
            position = builder.dims[number] + position * builder.size(self.sizes[d])
        return builder.position(position)


# Eager's CPU kernels reduce this many bytes at once: four vectors of AVX2, or of its default code. (AVX-512's vectors are longer.)
_BYTES_AT_ONCE = 128
# In a reduction of this many elements, eager's threads may each reduce a part.
_SHARED = 32768


def is_in_order(info: TensorInfo, space: ReductionSpace) -> bool:
    """Whether eager's CPU kernel certainly reduces a tensor's elements one after the other, in the order of memory: its vector code takes
    whole groups of vectors only, along rows that are contiguous or across the columns beside them."""
    width = item_size(info.dtype)
    if width is None or not all(isinstance(s, int) for s in (*info.sizes, *info.strides)):
        return False
    longest = _BYTES_AT_ONCE // width
    strides = [info.strides[d] for d in space.dims if info.sizes[d] != 1]
    beside = [info.strides[d] for d in space.kept if info.sizes[d] != 1]
    if not beside or (strides and min(beside) > min(strides)):
        return bool(space.count < longest)
    return math.prod(info.sizes) < _SHARED and math.prod(info.sizes[d] for d in space.kept) < longest
