"""Matrix products on GPUs whose rows begin at other distances than multiples of 16 bytes: what they cost, and regions of their results
that a library writes as fast as aligned ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ...dialects.aten import TensorInfo, contiguous_strides
from ...dialects.dtypes import HALVES

# Elements in 16 bytes: GPUs read that much at a time, and their matrix units need rows to be multiples of it.
ALIGNMENT = {"float16": 8, "bfloat16": 8, "float32": 4}
# Operations and bytes a second, and seconds, on an H200 with torch 2.11: 4096 x 4095 by 4095 x 4096 of bfloat16 took 962 us, padded 228.
UNALIGNED_RATE, ALIGNED_RATE, COPY_RATE, LAUNCH = 143e12, 600e12, 4.2e12, 5e-6
# The fewest rows of a region. Each region reads the second factor again, which takes an H200 as long as multiplying it with 143 rows.
REGION_ROWS = 256
# The least seconds of a region: the host takes about half of that to call the library.
REGION_SECONDS = 20e-6


def padding_pays(a: TensorInfo, b: TensorInfo, result: TensorInfo) -> bool:
    """Whether a product gains more time than copies of its factors and its result take, by rates measured on an H200. There half types
    ran four times as fast with rows at multiples of 16 bytes; float32 gained nothing."""
    infos = (a, b, result)
    if not a.device.startswith("cuda") or a.dtype not in HALVES or all(map(_is_aligned, infos)):
        return False
    copying = sum(2 * 2 * math.prod(info.sizes) / COPY_RATE + LAUNCH for info in infos)
    operations = 2 * math.prod(a.sizes) * b.sizes[-1]
    return bool(operations * (1 / UNALIGNED_RATE - 1 / ALIGNED_RATE) > copying)


def _is_aligned(info: TensorInfo) -> bool:
    """Whether rows (or columns, if these are contiguous) begin at multiples of 16 bytes from each other; unknown strides count as such."""
    return all(stride == 1 or not isinstance(stride, int) or stride % ALIGNMENT[info.dtype] == 0 for stride in info.strides[-2:])


@dataclass(frozen=True)
class Region:
    """The elements of a matrix in every `step`-th row from `row` on, and there in `columns` columns from `column` on."""

    row: int
    step: int
    column: int
    columns: int

    @property
    def is_narrow(self) -> bool:
        """Whether the region has the first or the last columns of all rows."""
        return self.step == 1

    def of(self, info: TensorInfo) -> TensorInfo:
        """The view of a matrix that shows the region."""
        (rows, _), (above, beside) = info.sizes, info.strides
        sizes = (-(-(rows - self.row) // self.step), self.columns)
        offset = info.offset + self.row * above + self.column * beside
        return TensorInfo(sizes, info.dtype, info.device, (above * self.step, beside), offset)


def aligned_regions(a: TensorInfo, b: TensorInfo, result: TensorInfo) -> Sequence[Region]:
    """Regions of the product a @ b that cover it and make it faster than its rows allow; none if there are none.

    For n columns, every p-th row begins at a multiple of 16 bytes from the next such row, where p n elements are a multiple of 16 bytes.
    So p regions without their first and last columns, fewer than 16 bytes, are aligned. Two narrow regions, the last ones, have these
    columns of all rows; they overlap the others.
    Rows of `a` and columns of `b` must be aligned and contiguous.
    """
    infos = (a, b, result)
    if any(i.rank != 2 for i in infos) or not all(isinstance(n, int) for i in infos for n in (*i.sizes, *i.strides, i.offset)):
        return ()
    (rows, common), columns, alignment = a.sizes, b.sizes[1], ALIGNMENT.get(a.dtype)
    if alignment is None or common % alignment or columns % alignment == 0 or result.strides != contiguous_strides(result.sizes):
        return ()
    if a.strides[1] != 1 or b.strides[0] != 1 or not (_is_aligned(a) and _is_aligned(b) and padding_pays(*infos)):
        return ()
    step = alignment // math.gcd(columns, alignment)
    if rows < step * REGION_ROWS or 2 * rows * common * columns < step * REGION_SECONDS * ALIGNED_RATE:
        return ()
    inner = [(row, -row * columns % alignment) for row in range(step)]
    regions = [Region(row, step, first, (columns - first) // alignment * alignment) for row, first in inner]
    return (*regions, Region(0, 1, 0, alignment), Region(0, 1, columns - alignment, alignment))
