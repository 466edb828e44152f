"""Results of eager's CPU kernels that differ between processors, found by calling the kernels on a few elements.

They depend on the processor, on the variables ATEN_CPU_CAPABILITY and ONEDNN_MAX_CPU_ISA, on `torch.backends.mkldnn.enabled` and on the
version of PyTorch.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import torch

from ..torch_internals.modes import without_dispatch_modes, without_function_modes


def gelu_code(dtype: str) -> str:
    """The kernel that eager uses for `gelu(x, approximate="none")` of a contiguous CPU tensor: "doubles" if it returns NaN for infinity and
    infinity where 2 x overflows (oneDNN for AVX-512), "no negative zero" (oneDNN for other processors), "aten" for PyTorch's own, which
    does neither."""
    return _gelu_code(dtype, torch.backends.mkldnn.enabled)


@functools.cache
def _gelu_code(dtype: str, _onednn_enabled: bool) -> str:
    of_infinity, of_zero = _run(torch.nn.functional.gelu, dtype, [math.inf, -0.0])
    if math.isnan(of_infinity):
        return "doubles"
    return "aten" if math.copysign(1, of_zero) < 0 else "no negative zero"


@functools.cache
def fmax_takes_second_zero(dtype: str) -> bool:
    """Whether eager's `fmax` and `fmin` of 0.0 and -0.0 return the second operand; otherwise they return the first."""
    (zero,) = _run(torch.fmax, dtype, [0.0], [-0.0])
    return math.copysign(1, zero) < 0


@functools.cache
def clamp_ignores_nan(dtype: str) -> bool:
    """Whether `clamp(x, min=nan)` is x, and with `max` too (PyTorch 2.11); else NaN."""
    (value,) = _run(functools.partial(torch.clamp, min=math.nan), dtype, [0.5])
    return not math.isnan(value)


@functools.cache
def float8_saturates() -> bool:
    """Whether a number beyond those of float8_e4m3fn becomes the largest one; else NaN (PyTorch 2.11)."""
    (value,) = _run(lambda x: x.to(torch.float8_e4m3fn).float(), "float32", [math.inf])
    return not math.isnan(value)


def probe_all() -> None:
    """Calls all kernels that the compiler may ask for, before a program replaces them; the answers are kept."""
    for dtype in ("float16", "bfloat16", "float32", "float64"):
        for probe in (gelu_code, fmax_takes_second_zero, clamp_ignores_nan):
            probe(dtype)
    float8_saturates()


def _run(function: Callable[..., torch.Tensor], dtype: str, *values: list[float]) -> list[float]:
    """The elements of an eager result. Modes of a running compilation do not see the call."""
    with without_function_modes(), without_dispatch_modes(), torch.inference_mode():
        elements: list[float] = function(*(torch.tensor(v, dtype=getattr(torch, dtype), device="cpu") for v in values)).tolist()
        return elements
