"""The C functions that compiled code calls: ATen's vector math and C shim, the OpenMP runtime, libm."""

from __future__ import annotations

import ctypes
import functools
import sys
from pathlib import Path


@functools.cache
def expose_torch_symbols() -> None:
    """Makes the symbols of torch's CPU library (Sleef, the C shim) and of its OpenMP runtime visible to compiled code. Uses the copies
    that the process has loaded: a second OpenMP runtime would start threads of its own."""
    import torch

    folder = Path(torch.__file__).parent
    for pattern in ("lib/libtorch_cpu.so*", "lib/libgomp*", "../torch.libs/libgomp*"):
        for path in sorted(folder.glob(pattern)):
            ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
    if sys.platform == "linux":
        ctypes.CDLL("libm.so.6", mode=ctypes.RTLD_GLOBAL)


def process_symbol(name: str) -> int:
    """The address of a C function that the process exports, 0 if there is none."""
    expose_torch_symbols()
    try:
        return ctypes.cast(getattr(_process(), name), ctypes.c_void_p).value or 0
    except AttributeError:
        return 0


@functools.cache
def _process() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def kernel_addresses(entry: int, count: int) -> list[int]:
    """The addresses that the function at `entry` writes: those of the kernels of a module."""
    table = (ctypes.c_void_p * max(count, 1))()
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(entry)(table)
    return [address or 0 for address in table[:count]]
