"""The kernels that are timed on a GPU, at sizes that occupy all of it, and the bytes that each must move."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from kernels import KERNELS, cross_entropy, layer_norm, softmax, sum_dim0

Tensors = tuple[torch.Tensor, ...]
Outputs = torch.Tensor | Tensors


def tensors_of(outputs: Outputs) -> Tensors:
    """A function's results as a tuple."""
    return (outputs,) if isinstance(outputs, torch.Tensor) else outputs


@dataclass(frozen=True)
class GpuCase:
    """A function and its inputs on the GPU."""

    name: str
    fn: Callable[..., Outputs]
    make_inputs: Callable[[], Tensors]

    def bytes(self, inputs: Tensors, outputs: Outputs) -> int:
        """The bytes that one call must move: every input is read once, every result written once."""
        return sum(t.numel() * t.element_size() for t in (*inputs, *tensors_of(outputs)))


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


# Reductions in both directions: gradients of norms and biases, at the sizes of GPT-2 (8 x 1024), ViT-B/16 (64 images), Llama and ResNet-50.


def layer_norm_backward(g: torch.Tensor, x: torch.Tensor, mean: torch.Tensor, rstd: torch.Tensor, w: torch.Tensor) -> Tensors:
    return torch.ops.aten.native_layer_norm_backward(g, x, [x.shape[-1]], mean, rstd, w, w, [True, True, True])  # type: ignore[no-any-return]


def cast_layer_norm_backward(g: torch.Tensor, x: torch.Tensor, mean: torch.Tensor, rstd: torch.Tensor, w: torch.Tensor) -> Tensors:
    """As autocast has it: the gradient is of a half type, the layer norm of float32."""
    return layer_norm_backward(g.float(), x, mean, rstd, w)


def gelu_and_bias_gradient(g: torch.Tensor, x: torch.Tensor) -> Tensors:
    gradient = torch.ops.aten.gelu_backward(g, x, approximate="tanh")
    return gradient, gradient.sum(0)


def rms_norm_backward(g: torch.Tensor, x: torch.Tensor, rstd: torch.Tensor, w: torch.Tensor) -> Tensors:
    wide, rows = x.float() * rstd, (g * w).float()
    gradient = rstd * (rows - wide * (rows * wide).mean(-1, keepdim=True))
    return gradient.to(x.dtype), (g * wide.to(x.dtype)).sum(0)


def batch_norm_backward(g: torch.Tensor, x: torch.Tensor, w: torch.Tensor, mean: torch.Tensor, rstd: torch.Tensor) -> Tensors:
    every = [True, True, True]
    return torch.ops.aten.native_batch_norm_backward(g, x, w, None, None, mean, rstd, True, 1e-5, every)  # type: ignore[no-any-return]


def _rows(rows: int, columns: int, dtype: torch.dtype, wide: torch.dtype | None = None) -> Tensors:
    """A gradient, what was normalized, mean, rstd and weight; `wide`: the dtype of all but the gradient."""
    wide = wide or dtype
    x = _random(rows, columns, dtype=wide)
    mean = x.float().mean(-1, keepdim=True)
    rstd = torch.rsqrt(x.float().var(-1, keepdim=True) + 1e-5)
    return _random(rows, columns, dtype=dtype), x, mean, rstd, _random(columns, dtype=wide)


def _images(samples: int, channels: int, size: int, layout: torch.memory_format) -> Tensors:
    g, x = (_random(samples, channels, size, size, dtype=torch.bfloat16).contiguous(memory_format=layout) for _ in range(2))
    variance, mean = torch.var_mean(x.float(), (0, 2, 3))
    return g, x, _random(channels), mean, torch.rsqrt(variance + 1e-5)


def _without_mean(inputs: Tensors) -> Tensors:
    g, x, _, rstd, w = inputs
    return g, x, rstd, w


def _gradients() -> list[GpuCase]:
    bf16, f32 = torch.bfloat16, torch.float32
    layouts = {"": torch.contiguous_format, " channels-last": torch.channels_last}
    batch_norms = [(c, *layout) for c in (64, 256) for layout in layouts.items()]
    return [
        GpuCase("layer norm backward 8192x768 bf16", layer_norm_backward, lambda: _rows(8192, 768, bf16)),
        GpuCase("layer norm backward 8192x768 f32", layer_norm_backward, lambda: _rows(8192, 768, f32)),
        GpuCase("layer norm backward 12608x768 autocast", cast_layer_norm_backward, lambda: _rows(12608, 768, bf16, f32)),
        GpuCase("RMSNorm backward 8192x2048 bf16", rms_norm_backward, lambda: _without_mean(_rows(8192, 2048, bf16))),
        GpuCase("bias gradient 8192x768 bf16", sum_dim0, lambda: (_random(8192, 768, dtype=bf16),)),
        GpuCase("bias gradient 8192x3072 bf16", sum_dim0, lambda: (_random(8192, 3072, dtype=bf16),)),
        GpuCase("bias gradient 8192x768 f32", sum_dim0, lambda: (_random(8192, 768),)),
        GpuCase(
            "gelu and bias gradient 8192x3072 bf16", gelu_and_bias_gradient,
            lambda: (_random(8192, 3072, dtype=bf16), _random(8192, 3072, dtype=bf16)),
        ),
        *[
            GpuCase(f"batch norm backward 64x{c}x56x56 bf16{name}", batch_norm_backward, partial(_images, 64, c, 56, layout))
            for c, name, layout in batch_norms
        ],
    ]  # fmt: skip


_DTYPES = (torch.float32, torch.bfloat16)
CASES = _plain() + _gradients() + [case for dtype in _DTYPES for shape in SHAPES for case in _sweep(*shape, dtype)]
# Rows that fit in no cache: 17 GB of traffic in f32.
CASES += [case for dtype in _DTYPES for case in _sweep(16384, 131072, dtype) if case.name.startswith("softmax")]
