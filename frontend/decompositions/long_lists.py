"""Decompositions of operators on lists of tensors with more different types than an operator of the dialect holds."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

from ...dialects.segments import LIST_RUNS

aten = torch.ops.aten


def long_list_decompositions() -> dict[torch._ops.OpOverload, Callable[..., Any]]:
    """The decompositions by operator overload; lists that are short enough stay as they are."""
    return {aten.cat.default: _cat, aten.stack.default: _stack, aten.split_with_sizes.default: _split}


def _cat(tensors: Sequence[torch.Tensor], dim: int = 0) -> torch.Tensor:
    """cat(ts) -> cat([cat(ts[:n]), cat(ts[n:2n]), ...])"""
    if not _is_long(tensors):
        return NotImplemented
    dtype = functools.reduce(torch.promote_types, [t.dtype for t in tensors])
    same = [t if t.dtype == dtype else t.to(dtype) for t in tensors]
    return aten.cat.default([aten.cat.default(same[i : i + LIST_RUNS], dim) for i in range(0, len(same), LIST_RUNS)], dim)


def _stack(tensors: Sequence[torch.Tensor], dim: int = 0) -> torch.Tensor:
    """stack(ts) -> cat([unsqueeze(t) for t in ts])"""
    return aten.cat.default([aten.unsqueeze.default(t, dim) for t in tensors], dim) if _is_long(tensors) else NotImplemented


def _is_long(tensors: Sequence[torch.Tensor]) -> bool:
    """Whether the types change too often along the list."""
    return len(list(itertools.groupby(tensors, _type))) > LIST_RUNS


def _type(tensor: torch.Tensor) -> tuple[Any, ...]:
    return tensor.dtype, *map(_number, (*tensor.shape, *tensor.stride(), tensor.storage_offset()))


def _number(size: Any) -> Any:
    """A size for comparison: an unbacked one equals only the same expression."""
    return size.node.expr if isinstance(size, torch.SymInt) and free_unbacked_symbols(size) else size


def _split(self: torch.Tensor, split_sizes: Sequence[int], dim: int = 0) -> Any:
    """split_with_sizes(t, sizes) -> [slice(t, 0, sizes[0]), slice(t, sizes[0], sizes[0] + sizes[1]), ...]"""
    if len(split_sizes) <= LIST_RUNS:
        return NotImplemented
    ends = list(itertools.accumulate(split_sizes))
    return [aten.slice.Tensor(self, dim, end - size, end) for size, end in zip(split_sizes, ends, strict=True)]
