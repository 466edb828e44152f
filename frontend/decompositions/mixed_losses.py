"""Losses of tensors of different dtypes: PyTorch's kernels compute in place, in the dtype of one of them; its decompositions promote."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from .losses import MEAN, reduced

aten = torch.ops.aten

Decomposition = Callable[..., Any]


def mixed_loss_decompositions(table: dict[Any, Decomposition]) -> dict[Any, Decomposition]:
    """Decompositions by operator overload: for tensors of one dtype as `table` computes, else as the kernels do."""
    mixed: dict[Any, Decomposition] = {
        aten.binary_cross_entropy_with_logits.default: binary_cross_entropy_with_logits,
        aten.soft_margin_loss.default: soft_margin_loss,
    }
    return {operator: _for_mixed(function, table[operator]) for operator, function in mixed.items() if operator in table}


def _for_mixed(steps: Decomposition, otherwise: Decomposition) -> Decomposition:
    def decomposition(*args: Any, **kwargs: Any) -> Any:
        dtypes = {a.dtype for a in (*args, *kwargs.values()) if isinstance(a, torch.Tensor)}
        return (steps if len(dtypes) > 1 else otherwise)(*args, **kwargs)

    return decomposition


def binary_cross_entropy_with_logits(
    self: torch.Tensor,
    target: torch.Tensor,
    weight: torch.Tensor | None = None,
    pos_weight: torch.Tensor | None = None,
    reduction: int = MEAN,
) -> torch.Tensor:
    """(1 - y) * x - log(sigmoid(x)) * ((p - 1) * y + 1), in the dtype of `target`"""
    scaled = aten.log_sigmoid(self)
    if pos_weight is not None:
        scaled = (scaled * ((pos_weight - 1) * target + 1)).to(scaled.dtype)
    losses = ((1 - target) * self).to(target.dtype)
    losses = (losses - scaled).to(target.dtype)
    return reduced(losses if weight is None else (losses * weight).to(target.dtype), reduction)


def soft_margin_loss(self: torch.Tensor, target: torch.Tensor, reduction: int = MEAN) -> torch.Tensor:
    """log(1 + exp(-x * y)), in the dtype of `self`"""
    return reduced((-self * target).to(self.dtype).exp().log1p(), reduction)
