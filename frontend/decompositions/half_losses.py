"""Losses, gradients and cross products of half types, rounded at each step as PyTorch's kernels round; its decompositions round once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from ...lowering.emission.promotion import round_float
from .losses import MEAN, NONE, gradient_factor, is_half_dtype, reduced
from .pointwise_layouts import laid_out_like

aten = torch.ops.aten

_HALF = 0.5

_NEGATIVE_LIKELIHOODS = (aten.nll_loss_forward.default, aten.nll_loss2d_forward.default)

Decomposition = Callable[..., Any]


def half_loss_decompositions(table: dict[Any, Decomposition]) -> dict[Any, Decomposition]:
    """Decompositions by operator overload. For tensors of half types they compute in steps, most of them on the CPU only, for others as
    `table` does; that of `huber_loss` is used for all."""
    steps: dict[Any, Decomposition] = {
        aten.mse_loss.default: mse_loss,
        aten.mse_loss_backward.default: mse_loss_backward,
        aten.smooth_l1_loss.default: smooth_l1_loss,
        aten.huber_loss_backward.default: huber_loss_backward,
        aten.binary_cross_entropy_backward.default: binary_cross_entropy_backward,
        aten.glu_backward.default: glu_backward,
    }
    on_each_device: dict[Any, Decomposition] = {
        aten.soft_margin_loss_backward.default: soft_margin_loss_backward,
        aten.linalg_cross.default: linalg_cross,
    }
    halves = {o: _for_halves(function, table[o], cpu=True) for o, function in steps.items() if o in table}
    halves |= {o: _for_halves(function, table[o], cpu=False) for o, function in on_each_device.items() if o in table}
    sums = {operator: _unless_summed(table[operator]) for operator in _NEGATIVE_LIKELIHOODS if operator in table}
    return {**halves, **sums, aten.huber_loss.default: huber_loss}


def _unless_summed(otherwise: Decomposition) -> Decomposition:
    """A negative log likelihood that stays a call where its kernel adds the losses in a half type, in levels of partial sums."""

    @functools.wraps(otherwise)
    def decomposition(self: torch.Tensor, target: torch.Tensor, weight: torch.Tensor | None, reduction: int, ignore_index: Any) -> Any:
        if reduction != NONE and is_half_dtype(self.dtype) and self.device.type == "cpu":
            return NotImplemented
        return otherwise(self, target, weight, reduction, ignore_index)

    return decomposition


def _for_halves(steps: Decomposition, otherwise: Decomposition, *, cpu: bool) -> Decomposition:
    """`steps` for tensors of one half type, only on the CPU if `cpu`; `otherwise` for others."""

    def decomposition(*args: Any, **kwargs: Any) -> Any:
        tensors = [a for a in (*args, *kwargs.values()) if isinstance(a, torch.Tensor)]
        dtype = tensors[0].dtype
        halves = is_half_dtype(dtype) and all(t.dtype == dtype and (t.is_cpu or not cpu) for t in tensors)
        return (steps if halves else otherwise)(*args, **kwargs)

    return decomposition


def _rounded(number: Any, like: torch.Tensor) -> Any:
    """The number as an element of `like`'s dtype; one that depends on symbolic sizes as a tensor without dimensions, which keeps them."""
    if isinstance(number, torch.Tensor):
        return number
    if not isinstance(number, (int, float)):
        return torch.full((), number, dtype=torch.float32, device=like.device).to(like.dtype)
    return round_float(float(number), str(like.dtype).removeprefix("torch."))


def mse_loss(self: torch.Tensor, target: torch.Tensor, reduction: int = MEAN) -> torch.Tensor:
    """(x - y) ** 2"""
    difference = self - target
    return reduced(difference * difference, reduction)


def mse_loss_backward(grad_output: torch.Tensor, self: torch.Tensor, target: torch.Tensor, reduction: int) -> torch.Tensor:
    """2 / n * (x - y) * g"""
    return (self - target) * _rounded(gradient_factor(self, reduction, 2.0), self) * grad_output


def smooth_l1_loss(self: torch.Tensor, target: torch.Tensor, reduction: int = MEAN, beta: float = 1.0) -> torch.Tensor:
    """The kernel computes bfloat16 in float32 and rounds the losses, float16 it rounds at each step"""
    if self.dtype == torch.bfloat16:
        return reduced(_smooth_l1(self.float(), target.float(), beta).to(self.dtype), reduction)
    return reduced(_smooth_l1(self, target, beta), reduction)


def _smooth_l1(self: torch.Tensor, target: torch.Tensor, beta: float) -> torch.Tensor:
    """z - beta / 2 if z >= beta, else z ** 2 / (2 beta), for z = |x - y|"""
    size, limit = (self - target).abs(), _rounded(beta, self)
    return torch.where(size >= limit, size - _rounded(_HALF * limit, self), size * _HALF * size / limit)


def huber_loss(self: torch.Tensor, target: torch.Tensor, reduction: int = MEAN, delta: float = 1.0) -> torch.Tensor:
    """The kernel rounds bfloat16 at each step on the CPU, other half types once. Its losses have the dtype of x and are
    laid out as `empty_like(x)`"""
    dtype, stored = torch.result_type(self, target), self.dtype
    self, target = self.to(dtype), target.to(dtype)
    steps = dtype == torch.bfloat16 and self.device.type == "cpu"
    wide = is_half_dtype(dtype) and not steps
    losses = (_huber(self.float(), target.float(), delta) if wide else _huber(self, target, delta)).to(stored)
    return reduced(laid_out_like(losses, self) if reduction == NONE and losses.shape == self.shape else losses, reduction)


def _huber(self: torch.Tensor, target: torch.Tensor, delta: float) -> torch.Tensor:
    """delta * (z - delta / 2) if z >= delta, else z ** 2 / 2, for z = |x - y|"""
    size, limit = (self - target).abs(), _rounded(delta, self)
    return torch.where(size >= limit, (size - _rounded(_HALF * limit, self)) * limit, size * _HALF * size)


def huber_loss_backward(grad_output: torch.Tensor, self: torch.Tensor, target: torch.Tensor, reduction: int, delta: float) -> torch.Tensor:
    """-delta * g, (x - y) * g or delta * g, divided by n for the mean"""
    difference, limit, norm = self - target, _rounded(delta, self), _rounded(gradient_factor(self, reduction), self)
    slope = _rounded(norm * limit, self)
    above = torch.where(difference >= limit, grad_output * slope, difference * norm * grad_output)
    return torch.where(difference <= -limit, grad_output * -slope, above)


def soft_margin_loss_backward(grad_output: torch.Tensor, self: torch.Tensor, target: torch.Tensor, reduction: int) -> torch.Tensor:
    """-y * z / (1 + z) / n * g, for z = exp(-x * y)"""
    power = (-target * self).exp()
    return target * power * _rounded(-gradient_factor(self, reduction), self) / (power + 1) * grad_output


def binary_cross_entropy_backward(
    grad_output: torch.Tensor, self: torch.Tensor, target: torch.Tensor, weight: torch.Tensor | None = None, reduction: int = MEAN
) -> torch.Tensor:
    """g * (x - y) / max(x * (1 - x), 1e-12), times the weight; the small number is 0 in float16"""
    least = torch.full((), 1e-12, dtype=self.dtype, device=self.device)
    gradient = grad_output * (self - target) / torch.maximum((1 - self) * self, least)
    gradient = gradient if weight is None else gradient * weight
    return gradient / self.numel() if reduction == MEAN else gradient


def glu_backward(grad_output: torch.Tensor, self: torch.Tensor, dim: int) -> Any:
    """The sigmoid is rounded, and each half of the gradient once more"""
    if self.dim() == 0 or self.shape[dim] % 2:
        return NotImplemented
    first, second = self.split(self.shape[dim] // 2, dim)
    sigmoid = second.sigmoid()
    wide = sigmoid.float()
    through = ((1 - wide) * wide * first.float() * grad_output.float()).to(self.dtype)
    return torch.cat([sigmoid * grad_output, through], dim)


def linalg_cross(self: torch.Tensor, other: torch.Tensor, *, dim: int = -1) -> Any:
    """x[i + 1] * y[i + 2] - x[i + 2] * y[i + 1], the positions modulo 3"""
    if self.dim() != other.dim() or self.shape[dim] != 3 or other.shape[dim] != 3:
        return NotImplemented
    first, second = torch.broadcast_tensors(self, other)
    return first.roll(-1, dim) * second.roll(-2, dim) - first.roll(-2, dim) * second.roll(-1, dim)
