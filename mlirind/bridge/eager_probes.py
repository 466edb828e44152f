"""What eager's CPU kernels do where processors differ, seen from their values on a few elements.

It depends on the processor, on the variables ATEN_CPU_CAPABILITY and ONEDNN_MAX_CPU_ISA, on `torch.backends.mkldnn.enabled` and on the
version of PyTorch.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import torch

from ..torch_internals.modes import without_dispatch_modes, without_function_modes


def gelu_code(dtype: str) -> str:
    """Of `gelu(x, approximate="none")` for a contiguous CPU tensor: "doubles" where it is NaN for infinity and infinite where 2 x is
    (oneDNN for AVX-512), "no negative zero" (oneDNN for lesser processors), "aten" where it has neither quirk (PyTorch's own)."""
    return _gelu_code(dtype, torch.backends.mkldnn.enabled)


@functools.cache
def _gelu_code(dtype: str, _onednn_enabled: bool) -> str:
    of_infinity, of_zero = _run(torch.nn.functional.gelu, dtype, [math.inf, -0.0])
    if math.isnan(of_infinity):
        return "doubles"
    return "aten" if math.copysign(1, of_zero) < 0 else "no negative zero"


@functools.cache
def fmax_takes_second_zero(dtype: str) -> bool:
    """Whether `fmax(0.0, -0.0)` is -0.0: of two zeros eager takes the second, in `fmin` too; else the first."""
    (zero,) = _run(torch.fmax, dtype, [0.0], [-0.0])
    return math.copysign(1, zero) < 0


def _run(function: Callable[..., torch.Tensor], dtype: str, *values: list[float]) -> list[float]:
    """The elements of an eager result; no mode of a compilation under way sees the call."""
    with without_function_modes(), without_dispatch_modes(), torch.inference_mode():
        elements: list[float] = function(*(torch.tensor(v, dtype=getattr(torch, dtype), device="cpu") for v in values)).tolist()
        return elements
