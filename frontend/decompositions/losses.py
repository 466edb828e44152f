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
    backward = dict.fromkeys((aten.nll_loss_backward.default, aten.nll_loss2d_backward.default), nll_loss_backward)
    return {
        aten.binary_cross_entropy.default: binary_cross_entropy,
        aten.binary_cross_entropy_with_logits.default: binary_cross_entropy_with_logits,
        aten.soft_margin_loss.default: soft_margin_loss,
        **backward,
    }


def binary_cross_entropy(self: torch.Tensor, target: torch.Tensor, weight: torch.Tensor | None = None, reduction: int = MEAN) -> Any:
    """The mean or the sum of the losses; the elementwise loss stays one operator, which checks that elements are in range. The kernel's
    losses are laid out as `empty_like(x)`."""
    if reduction == NONE:
        operands = [t if t is None or t.shape != self.shape else laid_out_like(t, self) for t in (self, target, weight)]
        unchanged = all(old is new for old, new in zip((self, target, weight), operands, strict=True))
        return NotImplemented if unchanged else aten.binary_cross_entropy(*operands, NONE)
    return reduced(aten.binary_cross_entropy(self, target, weight, NONE), reduction)


def binary_cross_entropy_with_logits(
    self: torch.Tensor,
    target: torch.Tensor,
    weight: torch.Tensor | None = None,
    pos_weight: torch.Tensor | None = None,
    reduction: int = MEAN,
) -> torch.Tensor:
    """(1 - y) * x - log(sigmoid(x)) * ((p - 1) * y + 1), each step rounded to the dtype of `target`, as eager's in-place steps are"""
    scaled = aten.log_sigmoid(self)
    if pos_weight is not None:
        scaled = (scaled * ((pos_weight - 1) * target + 1)).to(scaled.dtype)
    losses = ((1 - target) * self).to(target.dtype)
    losses = (losses - scaled).to(target.dtype)
    return reduced(losses if weight is None else (losses * weight).to(target.dtype), reduction)


def soft_margin_loss(self: torch.Tensor, target: torch.Tensor, reduction: int = MEAN) -> torch.Tensor:
    """log(1 + exp(-x * y)), each step rounded to the dtype of `self`, as eager's in-place steps are"""
    return reduced((-self * target).to(self.dtype).exp().log1p(), reduction)


def nll_loss_backward(
    grad_output: torch.Tensor,
    self: torch.Tensor,
    target: torch.Tensor,
    weight: torch.Tensor | None,
    reduction: int,
    ignore_index: Any,
    total_weight: torch.Tensor,
) -> torch.Tensor:
    """-weight[t] * g at each target t that is not ignored, 0.0 elsewhere; for the mean, g is divided by the total weight"""
    dim = 0 if self.dim() < 2 else 1
    target = (target[0] if self.dim() == 1 and target.dim() else target).unsqueeze(dim)
    counts = target != ignore_index
    at = torch.where(counts, target, 0)
    gradient = grad_output.unsqueeze(dim) if self.dim() > grad_output.dim() > 0 else grad_output
    gradient = gradient / total_weight if reduction == MEAN else gradient
    slopes = -gradient if weight is None else gradient * -weight[at]
    return torch.scatter(torch.zeros_like(self), dim, at, torch.where(counts, slopes, 0))


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
