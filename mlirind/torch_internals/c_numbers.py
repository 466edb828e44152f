"""Checks that the running libtorch uses the numbers of `layout.py`."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Mapping
from pathlib import Path

import torch

from .entries import fact
from .layout import DEVICE_TYPES, DTYPES, LAYOUTS, MEMORY_FORMATS

# The prefixes of the C functions that return a number; each enumeration must have at least one function.
_ENUMERATIONS: Mapping[str, Mapping[str, int]] = {
    "aoti_torch_dtype_": DTYPES,
    "aoti_torch_layout_": LAYOUTS,
    "aoti_torch_memory_format_": MEMORY_FORMATS,
    "aoti_torch_device_type_": DEVICE_TYPES,
}


@functools.cache
def numbers_hold() -> bool:
    """Whether all numbers agree; tested at the first call."""
    return fact("libtorch's enumerations", "the numbers of dtypes and devices in native code", "graphs run as Python functions", _agree)


def _agree() -> bool:
    library = ctypes.CDLL(str(Path(torch.__file__).parent / "lib" / "libtorch_cpu.so"))
    return all(_agrees(library, prefix, numbers) for prefix, numbers in _ENUMERATIONS.items())


def _agrees(library: ctypes.CDLL, prefix: str, numbers: Mapping[str, int]) -> bool:
    """Whether the numbers agree for which libtorch has a function, and there is at least one."""
    said = {name: getattr(library, prefix + name)() for name in numbers if hasattr(library, prefix + name)}
    return bool(said) and all(numbers[name] == number for name, number in said.items())
