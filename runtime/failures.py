"""The exceptions of failed kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .cuda.launching.driver import Device

# The statuses of a kernel; 2 is an integer division by zero.
INDEX_OUT_OF_RANGE = 1
ELEMENT_OUT_OF_RANGE = 3
OUT_OF_RANGE = (INDEX_OUT_OF_RANGE, ELEMENT_OUT_OF_RANGE)  # ATen's message for these has more details


class IndexOutOfRange(IndexError, RuntimeError):
    """Eager raises an IndexError or a RuntimeError, by operator. A kernel does not know which operator its gather came from, so this is
    both."""


def launch_failed(gpu: Device, status: int, kernel: str) -> None:
    """Raises for the CUresult of a launch."""
    raise RuntimeError(f"launching {kernel}: {gpu.error(status)}")


def fail(status: int, kernel: str, names: tuple[str, ...], text: str | None = None) -> None:
    """Raises eager's exception for a kernel's status. `text`: ATen's message for the same failure."""
    if status == ELEMENT_OUT_OF_RANGE:
        raise RuntimeError(text or f"an element out of range in {', '.join(names)} (kernel {kernel})")
    if status != INDEX_OUT_OF_RANGE:
        raise RuntimeError("ZeroDivisionError")
    raise IndexOutOfRange(text or f"index out of range in {', '.join(names)} (kernel {kernel})")
