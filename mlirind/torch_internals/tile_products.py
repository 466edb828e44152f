"""libtorch's products of small matrices, which a thread computes alone: sums in float32, also of bfloat16 numbers.

ATen's own attention on the CPU is made of them (`at::native::cpublas::brgemm`). No operator of ATen gives float32 for bfloat16 on the CPU.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from .entries import fact
from .layout import DTYPES
from .modes import without_dispatch_modes

# Mangled C++ names: there are no C functions.
PRODUCT = {torch.float32: "PKfS3_Pfb", torch.bfloat16: "PKN3c108BFloat16ES5_Pfb"}
NAME = "_ZN2at6native7cpublas6brgemmEllllllb"
RELEASE = "_ZN2at6native7cpublas14brgemm_releaseEb"
COULD_PACK = "_ZN2at6native7cpublas10could_packEN3c1010ScalarTypeE"


@dataclass(frozen=True)
class TileProducts:
    """Addresses: `product[dtype](rows, columns, summed, row of A, row of B, row of C, add, A, B, C, packed)` computes A times B, or adds it
    to C: six 64-bit sizes and lengths of rows in elements, a boolean, three addresses, a boolean. C is float32. Rows of B of a half type
    are packed in pairs: the elements of two rows, column by column. `release(packed)` ends a thread's use of the processor's tiles.

    `packs`: whether the processor and PyTorch's settings allow packed bfloat16 now."""

    product: dict[torch.dtype, int]
    release: int
    packs: Callable[[], bool]


@functools.cache
def tile_products() -> TileProducts | None:
    """The products; None if this PyTorch lacks them, or if they compute something else. Asked at the first use."""
    found: list[TileProducts] = []

    def finds() -> bool:
        found.append(_products())
        with without_dispatch_modes():
            return all(_is_right(found[0], dtype) for dtype in PRODUCT if dtype == torch.float32 or found[0].packs())

    purpose, without = (
        "blocks of `flex_attention` on the CPU run in native code",
        "Python calls a body for each block, with float32 products",
    )
    return found[0] if fact("libtorch's brgemm", purpose, without, finds) else None


def _products() -> TileProducts:
    library = ctypes.CDLL(str(Path(torch.__file__).parent / "lib" / "libtorch_cpu.so"))
    address = {dtype: _address(getattr(library, NAME + rest)) for dtype, rest in PRODUCT.items()}
    could_pack = getattr(library, COULD_PACK)
    could_pack.restype = ctypes.c_bool
    return TileProducts(address, _address(getattr(library, RELEASE)), lambda: bool(could_pack(ctypes.c_int8(DTYPES["bfloat16"]))))


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


_SIZE, _FLAG, _ADDRESS = ctypes.c_int64, ctypes.c_bool, ctypes.c_void_p
_Product = ctypes.CFUNCTYPE(None, *[_SIZE] * 6, _FLAG, *[_ADDRESS] * 3, _FLAG)
_Release = ctypes.CFUNCTYPE(None, _FLAG)


def packed_rows(matrix: torch.Tensor) -> torch.Tensor:
    """A matrix, or several, as the product takes the second operand: contiguous; pairs of rows column by column for half types, whose
    number of rows is even."""
    if matrix.dtype == torch.float32:
        return matrix.contiguous()
    rows, columns = matrix.shape[-2:]
    return matrix.unflatten(-2, (rows // 2, 2)).transpose(-2, -1).contiguous().view(*matrix.shape[:-2], rows, columns)


def _is_right(products: TileProducts, dtype: torch.dtype) -> bool:
    """Whether small products are: overwriting, then adding, with rows that are longer than the matrices. Numbers are small integers, so
    that sums are exact."""
    rows, columns, summed, length = 5, 64, 32, 80
    a = ((torch.arange(rows * 40) % 7) - 3).view(rows, 40).to(dtype)
    b = ((torch.arange(summed * length) % 11) - 5).view(summed, length).to(dtype)
    c = torch.full((rows, 96), 7.0)
    packed, halves = packed_rows(b), dtype != torch.float32
    run, expected = _Product(products.product[dtype]), c.clone()
    for add in (False, True):
        run(rows, columns, summed, 40, length, 96, add, a.data_ptr(), packed.data_ptr(), c.data_ptr(), halves)
        product = a[:, :summed].double() @ b[:, :columns].double()
        expected[:, :columns] = product + expected[:, :columns] if add else product
    _Release(products.release)(halves)
    return bool(torch.equal(c, expected))
