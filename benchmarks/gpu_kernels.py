"""The kernels that are timed on a GPU, at sizes that occupy all of it, and the bytes that each must move."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from kernels import KERNELS, cross_entropy, layer_norm, softmax, sum_dim0

Tensors = tuple[torch.Tensor, ...]


@dataclass(frozen=True)
class GpuCase:
    """A function and its inputs on the GPU."""

    name: str
    fn: Callable[..., torch.Tensor]
    make_inputs: Callable[[], Tensors]

    def bytes(self, inputs: Tensors, output: torch.Tensor) -> int:
        """The bytes that one call must move: every input is read once, every result written once."""
        return sum(t.numel() * t.element_size() for t in (*inputs, output))


def rms_norm(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    wide = x.float()
    return (wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + 1e-6)).to(x.dtype) * w


SHAPES = [(32, 262144), (512, 65536), (4096, 8192), (16384, 2048), (131072, 256), (262144, 32)]


def _random(*sizes: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(sizes, device="cuda", dtype=dtype)


def _sweep(rows: int, columns: int, dtype: torch.dtype) -> list[GpuCase]:
    label = f"{rows}x{columns} {'bf16' if dtype == torch.bfloat16 else 'f32'}"

    def x() -> torch.Tensor:
        return _random(rows, columns, dtype=dtype)

    def vector() -> torch.Tensor:
        return _random(columns, dtype=dtype)

    return [
        GpuCase(f"softmax {label}", softmax, lambda: (x(),)),
        GpuCase(f"RMSNorm {label}", rms_norm, lambda: (x(), vector())),
        GpuCase(f"layer norm {label}", layer_norm, lambda: (x(), vector(), vector())),
        GpuCase(f"cross entropy {label}", cross_entropy, lambda: (x(), torch.randint(columns, (rows,), device="cuda"))),
        GpuCase(f"column sums {label}", sum_dim0, lambda: (x(),)),
        GpuCase(f"row sums {label}", lambda x: x.sum(1), lambda: (x(),)),
    ]


def _plain() -> list[GpuCase]:
    """The kernels of `kernels.py` with about 64 times as many rows."""
    fn = {name: case[0] for name, case in KERNELS.items()}
    rows = (16384, 4096)
    return [
        GpuCase("gelu*w+b", fn["gelu*w+b"], lambda: (_random(*rows), _random(rows[1]), _random(rows[1]))),
        GpuCase("gelu*w+b bf16", fn["gelu*w+b"], lambda: tuple(_random(*s, dtype=torch.bfloat16) for s in (rows, rows[1:], rows[1:]))),
        GpuCase("RMSNorm*SiLU", fn["RMSNorm*SiLU"], lambda: (_random(*rows), _random(rows[1]), _random(*rows))),
        GpuCase("transpose-add", fn["transpose-add"], lambda: (_random(8192, 8192), _random(8192, 8192))),
        GpuCase("rope", fn["rope"], lambda: (_random(16, 32, 2048, 64), _random(2048, 64), _random(2048, 64))),
        GpuCase("batch norm+ReLU", fn["batch norm+ReLU"], lambda: (_random(128, 256, 56, 56), _random(256), _random(256))),
        GpuCase("64-element chain", fn["64-element chain"], lambda: (_random(64), _random(64))),
    ]


_DTYPES = (torch.float32, torch.bfloat16)
CASES = _plain() + [case for dtype in _DTYPES for shape in SHAPES for case in _sweep(*shape, dtype)]
# Rows that fit in no cache: 17 GB of traffic in f32.
CASES += [case for dtype in _DTYPES for case in _sweep(16384, 131072, dtype) if case.name.startswith("softmax")]
