"""Decompositions of losses into their elements, for which there are lowering rules, and what is made of these."""

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
    """The mean or the sum of the losses; they themselves stay one operator, which asks whether elements are in range."""
    if reduction == _NONE:
        return NotImplemented
    losses = aten.binary_cross_entropy(self, target, weight, _NONE)
    return losses.mean() if reduction == _MEAN else losses.sum()
