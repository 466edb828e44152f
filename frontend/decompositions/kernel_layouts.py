"""Decompositions whose results have the sizes, strides and dtypes of PyTorch's CPU kernels, where its meta functions say otherwise."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.fx.experimental.symbolic_shapes import guard_or_false, guard_or_true

from ...torch_internals.operators import decomposed, suggest_memory_format
from .losses import is_half_dtype

aten = torch.ops.aten

# The operators by the position of the argument that determines the result's layout.
_BATCH_NORMS = {
    aten._native_batch_norm_legit_functional.default: 0,
    aten._native_batch_norm_legit.no_stats: 0,
    aten._native_batch_norm_legit_no_training.default: 0,
    aten._batch_norm_with_update_functional.default: 0,
    aten._batch_norm_no_update.default: 0,
    aten.native_batch_norm_backward.default: 1,
    aten.batch_norm_backward.default: 1,
}

# Norms that compute statistics of their input, by the positions of the parameters.
_MIXED_NORMS = {
    aten.native_layer_norm.default: (2, 3),
    aten.native_group_norm.default: (1, 2),
    aten._native_batch_norm_legit.no_stats: (1, 2),
    aten._native_batch_norm_legit_functional.default: (1, 2, 3, 4),
    aten._batch_norm_with_update_functional.default: (1, 2, 3, 4),
}
_SCATTERS = (aten.slice_scatter.default, aten.select_scatter.default, aten.diagonal_scatter.default, aten.as_strided_scatter.default)
_FILLS = (aten.index_fill.int_Scalar, aten.index_fill.int_Tensor)


def kernel_layout_decompositions() -> dict[Any, Callable[..., Any]]:
    """The decompositions by operator overload; each leaves calls alone for which the meta functions are right."""
    norms = {operator: functools.partial(_norm, operator) for operator in (*_BATCH_NORMS, *_MIXED_NORMS)}
    scatters = {operator: functools.partial(_into_copy, operator) for operator in _SCATTERS}
    fills = {operator: functools.partial(_fill_copy, operator) for operator in _FILLS}
    others: dict[Any, Callable[..., Any]] = {aten.roll.default: roll, aten.pixel_unshuffle.default: pixel_unshuffle}
    return {**norms, **scatters, **fills, **others, aten.constant_pad_nd.default: constant_pad}


def _norm(operator: Any, *args: Any, **kwargs: Any) -> Any:
    if operator in _MIXED_NORMS and _is_mixed(args, _MIXED_NORMS[operator]):
        return _in_float32(operator, *args, **kwargs)
    return _laid_out(operator, _BATCH_NORMS[operator], *args, **kwargs) if operator in _BATCH_NORMS else NotImplemented


def _is_mixed(args: Sequence[Any], positions: Sequence[int]) -> bool:
    """Whether the input has a half type and a parameter float32, on the CPU."""
    parameters = [args[n] for n in positions if n < len(args) and args[n] is not None]
    return args[0].device.type == "cpu" and is_half_dtype(args[0].dtype) and any(p.dtype == torch.float32 for p in parameters)


def _in_float32(operator: Any, x: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
    """norm(x, w) -> norm(x.float(), w), of which the first result gets x's dtype: the kernels return and keep float32 statistics, the
    tracer declares x's dtype"""
    out, *statistics = operator(x.float(), *args, **kwargs)
    return out.to(x.dtype), *statistics


def _laid_out(operator: Any, position: int, *args: Any, **kwargs: Any) -> Any:
    """batch_norm(x) -> batch_norm(x.contiguous()), if x is neither channels-last nor contiguous"""
    x = args[position]
    memory_format = suggest_memory_format(x)
    if x.device.type != "cpu" or x.is_contiguous(memory_format=memory_format):
        return NotImplemented
    return operator(*args[:position], x.contiguous(memory_format=memory_format), *args[position + 1 :], **kwargs)


def _into_copy(operator: Any, self: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
    """scatter(x, ...) -> scatter(x.clone(), ...), if x is expanded: kernels then write into a clone, else into a copy with x's strides.

    The tracer's strides depend on PyTorch's version and on whether sizes are symbolic; for clones they are right.
    """
    if not any(stride == 0 and size > 1 for size, stride in zip(self.shape, self.stride(), strict=True)):
        return NotImplemented
    return operator(self.clone(), *args, **kwargs)


def _fill_copy(operator: Any, self: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
    """index_fill(x, ...) -> index_fill(x.clone(), ...), if x has gaps or is expanded: kernels write into a clone, which has the order
    of x's strides; the tracer says that the result is contiguous."""
    if self.is_contiguous() or _is_empty(self) or _is_dense(self):
        return NotImplemented
    return operator(self.clone(), *args, **kwargs)


def roll(self: torch.Tensor, shifts: Sequence[Any], dims: Sequence[int] = ()) -> Any:
    """roll(x, s, d) -> cat([x[size - s:], x[:size - s]], d), dimension by dimension, if x is channels-last: the kernel does the same"""
    if self.device.type != "cpu" or len(dims) != len(shifts) or _is_empty(self) or suggest_memory_format(self) == torch.contiguous_format:
        return NotImplemented
    result = self
    for shift, dim in zip(shifts, dims, strict=True):
        size = self.shape[dim]
        start = (size - shift) % size
        result = aten.cat([result.narrow(dim, start, size - start), result.narrow(dim, 0, start)], dim)
    return result


def constant_pad(self: torch.Tensor, pad: Sequence[Any], value: Any = 0) -> Any:
    """constant_pad_nd(x, pad) -> x.narrow(...).clone(), if no pad is positive: the kernel does the same, so the result has the order of
    x's strides. The tracer says that the result is contiguous if a pad is 0. A pad from data whose sign is not known may be positive."""
    if not all(guard_or_false(p <= 0) for p in pad):
        return NotImplemented
    result = self
    for position, (before, after) in enumerate(zip(pad[::2], pad[1::2], strict=True)):
        dim = self.dim() - 1 - position
        if guard_or_true(before < 0):
            result = result.narrow(dim, -before, result.shape[dim] + before)
        if guard_or_true(after < 0):
            result = result.narrow(dim, 0, result.shape[dim] + after)
    return result.clone()


def pixel_unshuffle(self: torch.Tensor, downscale_factor: int) -> Any:
    """pixel_unshuffle(x) -> x.clone(), if x has no elements and is on the CPU: the kernel does the same"""
    if _is_empty(self) and self.device.type == "cpu":
        return self.clone()
    return decomposed(aten.pixel_unshuffle.default, self, downscale_factor)


def _is_empty(tensor: torch.Tensor) -> bool:
    return any(isinstance(size, int) and size == 0 for size in tensor.shape)


def _is_dense(tensor: torch.Tensor) -> bool:
    """Whether the elements of a tensor without overlaps lie next to each other."""
    span = 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True))
    return bool(span == tensor.numel()) and 0 not in tensor.stride()
