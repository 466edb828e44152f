"""Tensors with strides other than those that the graph was compiled for."""

from __future__ import annotations

import torch


def has_other_strides(tensor: torch.Tensor, strides: tuple[int, ...]) -> bool:
    """Whether strides that matter differ: those of dimensions of more than one element, in a tensor that is not empty."""
    return 0 not in tensor.shape and any(size > 1 and a != b for size, a, b in zip(tensor.shape, tensor.stride(), strides, strict=True))


def restride(tensor: torch.Tensor, strides: tuple[int, ...]) -> torch.Tensor:
    """`tensor` with the layout `strides`; itself if only strides of dimensions of size 1 differ."""
    if all(size <= 1 or a == b for size, a, b in zip(tensor.shape, tensor.stride(), strides, strict=True)):
        return tensor
    return torch.empty_strided(tensor.shape, strides, dtype=tensor.dtype, device=tensor.device).copy_(tensor)


def refuse_restride(tensor: torch.Tensor, strides: tuple[int, ...]) -> torch.Tensor:
    """Raises for a tensor that the graph writes to: a copy of it would miss the writes."""
    if restride(tensor, strides) is not tensor:
        raise RuntimeError(f"a tensor that the graph writes to has strides {tensor.stride()}, compiled for {strides}")
    return tensor
