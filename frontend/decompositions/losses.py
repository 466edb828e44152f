"""Decompositions of losses into elementwise losses, which have lowering rules, and their reduction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

aten = torch.ops.aten

_NONE, _MEAN = 0, 1  # `reduction`; 2: the sum


def loss_decompositions() -> dict[Any, Callable[..., Any]]:
    """The decompositions by operator overload."""
    return {aten.binary_cross_entropy.default: binary_cross_entropy}


def binary_cross_entropy(self: torch.Tensor, target: torch.Tensor, weight: torch.Tensor | None = None, reduction: int = _MEAN) -> Any:
    """The mean or the sum of the losses; the elementwise loss stays one operator, which checks that elements are in range."""
    if reduction == _NONE:
        return NotImplemented
    losses = aten.binary_cross_entropy(self, target, weight, _NONE)
    return losses.mean() if reduction == _MEAN else losses.sum()
