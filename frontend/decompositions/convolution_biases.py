"""Biases of cuDNN's convolutions become operators of their own, as in eager: PyTorch adds the bias to what cuDNN returns, and sums its
gradient apart. Kernels fuse both with what surrounds them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from ...torch_internals.operators import is_cudnn_convolution

aten = torch.ops.aten


def convolution_bias_decompositions() -> dict[Any, Callable[..., Any]]:
    """The decompositions by operator overload; each leaves calls alone that cuDNN does not compute."""
    return {aten.convolution.default: convolution, aten.convolution_backward.default: convolution_backward}


def convolution(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, *rest: Any) -> Any:
    """convolution(x, w, b) -> convolution(x, w) + b[:, None, ...]"""
    if bias is None or not is_cudnn_convolution(x, weight, bias, *rest):
        return NotImplemented
    return aten.convolution.default(x, weight, None, *rest) + bias.view(-1, *[1] * (x.dim() - 2))


def convolution_backward(
    gradient: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, bias_sizes: Sequence[int] | None, *rest: Any
) -> Any:
    """convolution_backward(g, x, w) -> the gradients of x and w, and g.sum((0, 2, 3))"""
    *given, mask = rest
    if not mask[2] or bias_sizes is None or not is_cudnn_convolution(x, weight, None, *given):
        return NotImplemented
    bias = gradient.sum([0, *range(2, gradient.dim())])
    if not (mask[0] or mask[1]):
        return None, None, bias
    return *aten.convolution_backward.default(gradient, x, weight, None, *given, [mask[0], mask[1], False])[:2], bias
