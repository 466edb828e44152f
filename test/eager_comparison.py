"""How tests decide that a compiled result is eager's: values, dtypes, shapes, strides, signs of zero, NaN in the same places."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._pytree import keystr, tree_flatten_with_path


def tensor_difference(want: torch.Tensor, got: torch.Tensor, rtol: float, atol: float, strides: bool = True) -> str | None:
    """None, or what differs first between two tensors, in words."""
    if not isinstance(got, torch.Tensor):
        return f"want a tensor, got {type(got).__name__}"
    facts = [("dtype", want.dtype, got.dtype), ("shape", tuple(want.shape), tuple(got.shape)), ("layout", want.layout, got.layout)]
    if strides and want.layout == got.layout == torch.strided and want.numel():
        facts.append(("strides", _seen_strides(want), _seen_strides(got)))
    facts += [("conjugate bit", want.is_conj(), got.is_conj()), ("negative bit", want.is_neg(), got.is_neg())]
    for name, a, b in facts:
        if a != b:
            return f"{name}: want {a} got {b}"
    return _value_difference(want.detach(), got.detach(), rtol, atol)


def _seen_strides(tensor: torch.Tensor) -> tuple[int, ...]:
    """Strides with those that no element access sees (of dimensions of size 1) left out."""
    return tuple(stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True) if size != 1)


def _value_difference(want: torch.Tensor, got: torch.Tensor, rtol: float, atol: float) -> str | None:
    if want.layout != torch.strided:
        want, got = want.to_dense(), got.to_dense()
    if not (want.is_floating_point() or want.is_complex()):
        bad = want != got
    else:
        wide = torch.complex128 if want.is_complex() else torch.float64
        a, b = want.to(wide), got.to(wide)
        bad = ~torch.isclose(b, a, rtol=rtol, atol=atol, equal_nan=True)
    if not bad.any():
        return None
    index = tuple(bad.nonzero()[0].tolist())
    return f"values: {int(bad.sum())} of {bad.numel()} differ, first at {list(index)}: want {want[index].item()} got {got[index].item()}"


def difference(want: Any, got: Any, rtol: float = 1e-5, atol: float = 1e-6, strides: bool = True) -> str | None:
    """None, or what differs first between two trees of tensors and plain values."""
    wants, want_spec = tree_flatten_with_path(want)
    gots, got_spec = tree_flatten_with_path(got)
    if want_spec != got_spec:
        return f"structure: want {want_spec} got {got_spec}"
    for (path, a), (_, b) in zip(wants, gots, strict=True):
        if isinstance(a, torch.Tensor):
            found = tensor_difference(a, b, rtol, atol, strides)
        else:
            found = None if type(a) is type(b) and (a == b or a != a) else f"want {a!r} got {b!r}"
        if found:
            return f"{keystr(path)} {found}".strip()
    return None
