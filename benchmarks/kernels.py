"""The small kernels that are timed: groups of operators that a fusing compiler finds in models."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F

Case = tuple[Callable[..., torch.Tensor], Callable[[], tuple[torch.Tensor, ...]]]


def gelu_scale_shift(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return F.gelu(x) * w + b


def softmax(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, -1)


def layer_norm(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return F.layer_norm(x, (x.shape[-1],), w, b)


def rms_norm_silu(x: torch.Tensor, w: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * w * F.silu(gate)


def sum_dim0(x: torch.Tensor) -> torch.Tensor:
    return x.sum(0)


def transpose_add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x + y.t()


def cross_entropy(x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return F.cross_entropy(x, target)


def rope(q: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    left, right = q.chunk(2, -1)
    return q * cos + torch.cat([-right, left], -1) * sin


def batch_norm_relu(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return F.relu(F.batch_norm(x, None, None, w, b, training=True))


def chain_64(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """64 elements, so that the time is the cost of a call."""
    z = (x * y + 1).tanh() - x.sigmoid()
    return (z * z + y.abs().sqrt()).clamp(0, 2) / (1 + x.square())


def _rows() -> torch.Tensor:
    return torch.randn(2048, 1024)


def _columns() -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randn(1024), torch.randn(1024)


KERNELS: dict[str, Case] = {
    "gelu*w+b": (gelu_scale_shift, lambda: (_rows(), *_columns())),
    "softmax": (softmax, lambda: (_rows(),)),
    "layer norm": (layer_norm, lambda: (_rows(), *_columns())),
    "RMSNorm*SiLU": (rms_norm_silu, lambda: (_rows(), _columns()[0], _rows())),
    "sum over dim 0": (sum_dim0, lambda: (torch.randn(4096, 1024),)),
    "transpose-add": (transpose_add, lambda: (torch.randn(1536, 1536), torch.randn(1536, 1536))),
    "cross entropy": (cross_entropy, lambda: (torch.randn(512, 8192), torch.randint(0, 8192, (512,)))),
    "rope": (rope, lambda: (torch.randn(4, 8, 512, 64), torch.randn(512, 64), torch.randn(512, 64))),
    "batch norm+ReLU": (batch_norm_relu, lambda: (torch.randn(16, 64, 32, 32), torch.randn(64), torch.randn(64))),
    "64-element chain": (chain_64, lambda: (torch.randn(64), torch.randn(64))),
}
