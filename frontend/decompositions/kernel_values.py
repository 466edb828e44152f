"""Decompositions with the values of PyTorch's kernels, for operators whose decomposition in PyTorch computes other values or can't be
traced."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from ...dialects.dtypes import HALVES
from ...lowering.emission.promotion import round_float
from ...torch_internals.operators import suggest_memory_format
from .losses import gradient_factor, is_half_dtype

aten = torch.ops.aten


def kernel_value_decompositions() -> dict[Any, Callable[..., Any]]:
    """The decompositions by operator overload."""
    return {
        aten.take.default: take,
        aten.addr.default: addr,
        aten.mvlgamma.default: mvlgamma,
        aten.smooth_l1_loss_backward.default: smooth_l1_loss_backward,
        aten.native_dropout_backward.default: native_dropout_backward,
        aten._unsafe_masked_index.default: unsafe_masked_index,
    }


def take(self: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    """take(x, i) -> x.reshape(-1)[i]; the host does not read a 0-dim index"""
    return aten.index.Tensor(self.reshape(-1), [index])


def addr(self: torch.Tensor, vec1: torch.Tensor, vec2: torch.Tensor, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """addr(x, u, v) -> beta * x + (alpha * u) * v, in the kernel's order, laid out like x even where beta is 0"""
    if not self.is_floating_point() or not self.dtype == vec1.dtype == vec2.dtype:
        return NotImplemented
    dtype = str(self.dtype).removeprefix("torch.")
    if dtype in HALVES:
        beta, alpha = (round_float(float(number), dtype) for number in (beta, alpha))
    self = self.expand(vec1.shape[0], vec2.shape[0])
    column = (vec1 if alpha == 1 else vec1 * alpha)[:, None]
    if beta == 0:  # x's values are not read, but the kernel's iterator takes the result's layout from it
        return torch.where(torch.zeros_like(self, dtype=torch.bool), self, column * vec2)
    scaled = self if beta == 1 else self * beta
    return scaled + column * vec2 if dtype in HALVES else torch.addcmul(scaled, column, vec2)


def native_dropout_backward(grad_output: torch.Tensor, mask: torch.Tensor, scale: float) -> torch.Tensor:
    """g * mask * scale, rounded once; a mask that is not boolean takes part in type promotion"""
    gradient = grad_output * mask * scale
    return gradient if gradient.is_cpu else gradient.clone(memory_format=suggest_memory_format(grad_output))


def unsafe_masked_index(self: torch.Tensor, mask: torch.Tensor, indices: list[torch.Tensor | None], fill: Any) -> Any:
    """x at the indices where the mask is true, else the fill value. Indices out of range are clamped to the first or last element."""
    if any(isinstance(size, int) and size == 0 for size in self.shape):
        return NotImplemented  # there is no element to clamp to; ATen returns the fill value
    limits = zip(indices, self.shape, strict=False)
    clamped = [None if index is None else index.clamp(-size, size - 1) for index, size in limits]
    return aten._unsafe_index.Tensor(self, clamped).masked_fill(mask.logical_not(), fill)


def mvlgamma(self: torch.Tensor, p: int) -> torch.Tensor:
    """The sum of lgamma(x - i / 2) for i < p, and a constant; half types are rounded at each step"""
    dtype = self.dtype if self.is_floating_point() else torch.get_default_dtype()
    steps = torch.arange(0.5 - 0.5 * p, 0.5, 0.5, dtype=dtype, device=self.device)
    return (self.unsqueeze(-1) + steps).lgamma().sum(-1) + p * (p - 1) * 0.25 * math.log(math.pi)


def smooth_l1_loss_backward(
    grad_output: torch.Tensor, self: torch.Tensor, target: torch.Tensor, reduction: int, beta: float
) -> torch.Tensor:
    """The gradient of a loss that is quadratic below beta and linear above; NaN stays. Rounded as by the device's kernel."""
    dtype = torch.result_type(self, target)
    if is_half_dtype(dtype):
        return smooth_l1_loss_backward(grad_output.float(), self.float(), target.float(), reduction, beta).to(dtype)
    norm = gradient_factor(self, reduction)
    difference = self - target
    if self.device.type != "cpu":
        above = torch.where(difference > beta, norm * grad_output, norm * difference * grad_output / beta)
        return torch.where(difference < -beta, -norm * grad_output, above)
    slope = torch.where(difference.abs() >= beta, torch.where(difference > 0, 1.0, -1.0), difference / beta)
    return norm * slope * grad_output
