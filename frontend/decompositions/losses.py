"""Decompositions of losses into elementwise losses, which have lowering rules, and their reduction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from .pointwise_layouts import laid_out_like

aten = torch.ops.aten

NONE, MEAN = 0, 1  # `reduction`; 2: the sum


def loss_decompositions() -> dict[Any, Callable[..., Any]]:
    """The decompositions by operator overload."""
    return {aten.binary_cross_entropy.default: binary_cross_entropy}


def binary_cross_entropy(self: torch.Tensor, target: torch.Tensor, weight: torch.Tensor | None = None, reduction: int = MEAN) -> Any:
    """The mean or the sum of the losses; the elementwise loss stays one operator, which checks that elements are in range. The kernel's
    losses are laid out as `empty_like(x)`."""
    if reduction == NONE:
        operands = [t if t is None or t.shape != self.shape else laid_out_like(t, self) for t in (self, target, weight)]
        unchanged = all(old is new for old, new in zip((self, target, weight), operands, strict=True))
        return NotImplemented if unchanged else aten.binary_cross_entropy(*operands, NONE)
    return reduced(aten.binary_cross_entropy(self, target, weight, NONE), reduction)


def reduced(losses: torch.Tensor, reduction: int) -> torch.Tensor:
    """The losses, their mean or their sum."""
    if reduction == NONE:
        return losses
    return losses.mean() if reduction == MEAN else losses.sum()


def gradient_factor(x: torch.Tensor, reduction: int, numerator: float = 1.0) -> float:
    """`numerator`, divided by the number of elements for the mean: the factor of the gradient of each element's loss."""
    return numerator / x.numel() if reduction == MEAN else numerator


def is_half_dtype(dtype: torch.dtype) -> bool:
    """bfloat16 or float16."""
    return dtype in (torch.bfloat16, torch.float16)
