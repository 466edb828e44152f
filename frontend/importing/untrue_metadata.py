"""Operators for which PyTorch's tracer reports other sizes or strides than its kernels return. Graphs with such calls run through FX."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import torch
from torch import fx

from ...dialects.aten import TensorInfo
from ...dialects.aten_schema import Schema
from ...errors import UnsupportedGraph
from ...passes.analysis.memory_overlap import is_expanded
from ...torch_internals.fake_tensors import FakeTensorMode
from ...torch_internals.modes import without_dispatch_modes

# These have no meta function. The tracer runs them on zeros, and so reports the sizes for zeros.
_SIZED_BY_DATA = ("aten._unique.", "aten._unique2.", "aten.unique_dim.", "aten.unique_consecutive.")
# The tracer gives their results as tensors of float32.
_QUANTIZED = ("aten.quantize_per_tensor", "aten.quantize_per_channel")
_FFT = ("aten._fft_r2c.", "aten._fft_c2c.", "aten._fft_c2r.")


def check_metadata(schema: Schema, node: fx.Node, results: Sequence[TensorInfo]) -> None:
    """Raises `UnsupportedGraph` if the results of the call `node` may differ from `results`."""
    if schema.name.startswith(_SIZED_BY_DATA):
        raise UnsupportedGraph(f"{schema.name}: the sizes of its result depend on data")
    if schema.name.startswith(_QUANTIZED):
        raise UnsupportedGraph(f"{schema.name}: PyTorch's tracer does not know quantized tensors")
    if not schema.name.endswith("_scatter.default"):
        return
    if any(map(is_expanded, results)):
        raise UnsupportedGraph(f"{schema.name} of an expanded tensor: PyTorch's tracer and its kernels give it different strides")
    target = getattr(node.args[0], "target", None)
    if str(target).startswith(_FFT) and not fft_strides_are_true():
        raise UnsupportedGraph(f"{schema.name} of {target}: PyTorch's tracer and its kernels give that different strides")


def makes_quantized(node: fx.Node) -> bool:
    """Whether a call returns a quantized tensor, which no compiled part can take."""
    return str(node.target).startswith(_QUANTIZED)


def may_be_untrue(schema: Schema) -> bool:
    """Whether calls of an operator have to be checked."""
    return schema.name.startswith((*_SIZED_BY_DATA, *_QUANTIZED, *_FFT)) or schema.name.endswith("_scatter.default")


@functools.cache
def fft_strides_are_true() -> bool:
    """Whether the tracer knows the layout of a Fourier transform in this build of PyTorch (with MKL or without). The tracer uses a fake
    tensor: on the device `meta` the same function may return something else."""
    with without_dispatch_modes():
        real = torch.zeros(2, 4, 3)
        fake = FakeTensorMode().from_tensor(real)
        return _transformed(real) == _transformed(fake)


def _transformed(tensor: torch.Tensor) -> tuple[int, ...]:
    strides: tuple[int, ...] = torch.ops.aten._fft_r2c(tensor, [1], 0, True).stride()
    return strides
