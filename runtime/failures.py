"""The exceptions of failed kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..dialects.kernel_status import DIVISION_BY_ZERO, ELEMENT_OUT_OF_RANGE, INDEX_OUT_OF_RANGE

if TYPE_CHECKING:
    from .cuda.launching.driver import Device

OUT_OF_RANGE = (INDEX_OUT_OF_RANGE, ELEMENT_OUT_OF_RANGE)  # ATen's message for these has more details


class IndexOutOfRange(IndexError, RuntimeError):
    """Both, because eager raises one or the other, depending on the operator, and a kernel does not know from which operator its gather
    came."""


def launch_failed(gpu: Device, status: int, kernel: str) -> None:
    """Raises for the CUresult of a launch."""
    raise RuntimeError(f"launching {kernel}: {gpu.error(status)}")


def fail(status: int, kernel: str, names: tuple[str, ...], text: str | None = None) -> None:
    """Raises eager's exception for a kernel's status. `text`: ATen's message for the same failure."""
    if status == ELEMENT_OUT_OF_RANGE:
        raise RuntimeError(text or f"an element out of range in {', '.join(names)} (kernel {kernel})")
    if status == DIVISION_BY_ZERO:
        raise RuntimeError("ZeroDivisionError")
    assert status == INDEX_OUT_OF_RANGE, (kernel, status)
    raise IndexOutOfRange(text or f"index out of range in {', '.join(names)} (kernel {kernel})")
