"""The native code of attention in tiles, as it runs, and as bytes in the cache. Needs no compiler (`attention_tile_code.py`)."""

from __future__ import annotations

import ctypes
import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...torch_internals.layout import KERNEL_TABLE
from .elf import UnsupportedObject
from .object_code import LoadedObject
from .process_symbols import kernel_addresses, process_symbol

ENTRY = "mlirind_attention"


@dataclass(frozen=True)
class KernelObject:
    """Object code with a kernel: the kernel's number in the object's table of addresses, and the table's length."""

    content: bytes = field(repr=False)
    number: int
    length: int

    def loaded(self) -> KernelInObject:
        """The kernel's address. Raises UnsupportedObject."""
        code = LoadedObject(self.content, process_symbol)
        found = KernelInObject(kernel_addresses(code.address(KERNEL_TABLE), self.length)[self.number])
        found.code = code
        return found


class KernelInObject(int):
    """The address of a kernel's code; keeps the code alive."""

    code: LoadedObject


@dataclass(frozen=True, eq=False)
class TileKernel:
    """A kernel that tiles call. `address`: keeps the code alive; `buffers`: what its buffers are, a name or the number of one of the call's
    other tensors; `symbols`: how many it has; `source`: of `numbers`; `stored`: its object code.

    Pickled as object code; that raises UnsupportedObject if no other process can load it."""

    address: int
    buffers: tuple[str | int, ...]
    symbols: int
    source: str
    stored: Callable[[], KernelObject] = field(repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        stored = self.stored()
        stored.loaded()  # raises if it can't be
        return _loaded_kernel, (stored, self.buffers, self.symbols, self.source)

    @functools.cached_property
    def numbers(self) -> Callable[..., Sequence[int]]:
        """The values of its symbols from those of the symbols of its graph."""
        function: Callable[..., Sequence[int]] = eval(self.source, {"math": math})
        return function

    @functools.cached_property
    def run(self) -> Callable[..., int]:
        """Calls the kernel with the addresses of its buffers and the values of its symbols; its status."""
        types = [*[ctypes.c_void_p] * len(self.buffers), *[ctypes.c_int64] * self.symbols]
        return ctypes.CFUNCTYPE(ctypes.c_int32, *types)(int(self.address))


def _loaded_kernel(stored: KernelObject, buffers: tuple[str | int, ...], symbols: int, source: str) -> TileKernel:
    return TileKernel(stored.loaded(), buffers, symbols, source, lambda: stored)


@dataclass(frozen=True, eq=False)
class TileCode:
    """The code of a call, and the kernels that it calls, by name. `held`: keeps the code alive; `stored`: its object code.

    Pickled as `TileKernel` is."""

    address: int
    held: Any
    kernels: Mapping[str, TileKernel | None]
    stored: Callable[[], bytes] = field(repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        content = self.stored()
        _loaded_code(content, self.kernels)  # raises if it can't be loaded
        return _loaded_code, (content, dict(self.kernels))

    @functools.cached_property
    def run(self) -> Callable[[int], None]:
        """Runs the code with the address of the call's words."""
        return ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.address)


def _loaded_code(content: bytes, kernels: Mapping[str, TileKernel | None]) -> TileCode:
    if not content:
        raise UnsupportedObject("no object code was kept")
    addresses = {f"{name}_kernel": int(kernel.address) for name, kernel in kernels.items() if kernel is not None}
    code = LoadedObject(content, lambda name: addresses.get(name) or process_symbol(name))
    return TileCode(code.address(ENTRY), code, kernels, lambda: content)
