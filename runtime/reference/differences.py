"""Compares tensors with ATen's results."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

# (relative, absolute) tolerances against ATen's results; other dtypes are compared exactly.
TOLERANCES = {
    torch.float64: (1e-7, 1e-7),
    torch.float32: (1e-4, 1e-5),
    torch.bfloat16: (1.6e-2, 1e-2),
    torch.float16: (1e-3, 1e-3),
    torch.complex64: (1e-4, 1e-5),
    torch.complex128: (1e-7, 1e-7),
}

# The allowed error of a graph's result, as a share of the tensor's largest element; other dtypes are compared exactly.
SHARES = {
    torch.float64: 1e-9,
    torch.float32: 1e-4,
    torch.bfloat16: 3e-2,
    torch.float16: 1e-2,
    torch.complex64: 1e-4,
    torch.complex128: 1e-9,
}
_FLOATS = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}
# Gradients smaller than this share of the largest one count as if they were so large: that of a bias before a batch norm is rounding alone.
NEGLIGIBLE = 1e-3
_SMALL = 1e-2  # a tensor whose elements are all smaller counts as if its largest were this


def compared(a: Any, b: Any) -> tuple[str, str | None]:
    """A description of the difference between `b` and ATen's `a`, and the problem if it is too large, else None."""
    if not isinstance(a, torch.Tensor) or not isinstance(b, torch.Tensor):
        equal = type(a) is type(b) and a == b
        return str(b), None if equal else f"{b} in place of {a}"
    form = _other_form(a, b)
    if form is not None:
        return form
    error = float(_errors(exact(a), exact(b)).max()) if a.numel() else 0.0
    text = f"largest error {error:.3g}, of {str(a.dtype).removeprefix('torch.')}{list(a.shape)}"
    relative, absolute = TOLERANCES.get(a.dtype, (0.0, 0.0))
    if torch.allclose(exact(a), exact(b), relative, absolute, equal_nan=True):
        return text, None
    return text, f"largest error {error:.3g}, beyond {absolute:g} + {relative:g} of the value"


def wrong_value(a: Any, b: Any, strictness: float = 1.0, least: float = 0.0, smallest: float = 0.0) -> str | None:
    """What is wrong with `b` as the result of a whole graph of which ATen's is `a`; None if they differ by rounding alone. Rounding errors
    of the largest elements reach all others in sums, so an error counts as a share of the largest finite element.
    `strictness`: the factor of this share; `least`: the least share, for floats that are computed from values of half types; `smallest`: a
    tensor whose elements are all smaller counts as if its largest were this."""
    if not isinstance(a, torch.Tensor) or not isinstance(b, torch.Tensor):
        return compared(a, b)[1]
    form = _other_form(a, b)
    if form is not None:
        return form[1]
    share, (a, b) = _share(a.dtype, strictness, least), (exact(a), exact(b))
    error = _errors(a, b)
    size = torch.where(a.isfinite(), a.abs(), 0.0)
    allowed = share * size.max().clamp(min=max(_SMALL, smallest)) if a.numel() else 0.0
    if bool((error <= allowed).all()):
        return None
    elements = int((~(error <= allowed)).sum())
    return (
        f"largest error {float(error.max()):.3g}, {elements} of {a.numel()} elements are wrong, the largest one is {float(size.max()):.3g}"
    )


def largest_element(tensors: Iterable[Any]) -> float:
    """The largest finite element of floating-point tensors; 0 if there is none."""
    found = [exact(t).abs() for t in tensors if isinstance(t, torch.Tensor) and t.dtype in SHARES and t.numel()]
    return max((float(torch.where(t.isfinite(), t, 0.0).max()) for t in found), default=0.0)


def _share(dtype: torch.dtype, strictness: float, least: float) -> float:
    own = SHARES.get(dtype, 0.0)
    return least if 0 < own < least else strictness * own


def least_share(text: str) -> float:
    """The least share for the results of a graph, given as text: that of its narrowest floats."""
    found = {name for name in ("bf16", "f16", "f32") if f"<{name}" in text or f"x{name}" in text}
    return max((SHARES[_FLOATS[name]] for name in found), default=0.0)


def _other_form(a: torch.Tensor, b: torch.Tensor) -> tuple[str, str] | None:
    """If dtype, sizes or strides differ: which `b` has, and the problem."""
    for what, one, other in (("dtype", a.dtype, b.dtype), ("sizes", tuple(a.shape), tuple(b.shape)), ("strides", _strides(a), _strides(b))):
        if one != other:
            return f"{what} {other}", f"{what} {other} in place of {one}"
    return None


def _strides(tensor: torch.Tensor) -> tuple[int, ...]:
    """The strides that matter: those of dimensions longer than 1, if the tensor has elements."""
    return tuple(d for s, d in zip(tensor.shape, tensor.stride(), strict=True) if s > 1) if tensor.numel() else ()


def exact(tensor: torch.Tensor) -> torch.Tensor:
    """The values on the CPU in a dtype that represents them exactly; integers unchanged."""
    tensor = tensor.detach().cpu()
    if tensor.dtype.is_complex:
        return tensor.to(torch.complex128)
    return tensor.double() if tensor.dtype.is_floating_point else tensor.long()


def _errors(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The differences of the elements: 0 where both are NaN or the same infinity, NaN where one is NaN."""
    return torch.where((a == b) | (a.isnan() & b.isnan()), 0.0, (a - b).abs())
