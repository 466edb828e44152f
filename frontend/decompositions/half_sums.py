"""Scattered sums and products of half types on the CPU: PyTorch's kernels keep them in float32 and round each element once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from .losses import is_half_dtype

aten = torch.ops.aten


def half_sum_decompositions() -> dict[Any, Callable[..., Any]]:
    """The decompositions by operator overload. What they leave alone is lowered, or is a call."""
    return {
        aten.scatter_add.default: scatter_add,
        aten.scatter_reduce.two: scatter_reduce,
        aten.index_add.default: index_add,
    }


def _are_halves(self: torch.Tensor, source: torch.Tensor) -> bool:
    return self.is_cpu and is_half_dtype(self.dtype) and self.dtype == source.dtype


def scatter_add(self: torch.Tensor, dim: int, index: torch.Tensor, src: torch.Tensor) -> Any:
    """x[index[i]] += y[i]"""
    if not _are_halves(self, src):
        return NotImplemented
    return aten.scatter_add(self.float(), dim, index, src.float()).to(self.dtype)


def scatter_reduce(self: torch.Tensor, dim: int, index: torch.Tensor, src: torch.Tensor, reduce: str, *, include_self: bool = True) -> Any:
    """Sums and products; a maximum or minimum is not rounded, a mean stays a call"""
    if reduce not in ("sum", "prod") or not _are_halves(self, src):
        return NotImplemented
    return aten.scatter_reduce(self.float(), dim, index, src.float(), reduce, include_self=include_self).to(self.dtype)


def index_add(self: torch.Tensor, dim: int, index: torch.Tensor, source: torch.Tensor, *, alpha: Any = 1) -> Any:
    """Along the first or last of several dimensions eager's kernel keeps float32, as `scatter_add` does. Elsewhere it rounds each sum; our
    kernel does that too."""
    ends = (0, self.dim() - 1, -1, -self.dim())
    if alpha != 1 or self.dim() < 2 or dim not in ends or not _are_halves(self, source):
        return NotImplemented
    return aten.index_add(self.float(), dim, index, source.float()).to(self.dtype)
