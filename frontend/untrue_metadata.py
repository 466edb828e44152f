"""Operators of which PyTorch's tracer says other sizes or strides than its kernels give: graphs that depend on it run through FX."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import torch
from torch import fx
from torch.utils._python_dispatch import _disable_current_modes

from ..dialects.aten import TensorInfo
from ..dialects.aten_schema import Schema
from ..errors import UnsupportedGraph
from ..passes.memory_overlap import is_expanded

# What PyTorch has no meta function for is traced by running it on zeros: its sizes are those of zeros then.
_SIZED_BY_DATA = ("aten._unique.", "aten._unique2.", "aten.unique_dim.", "aten.unique_consecutive.")
_FFT = ("aten._fft_r2c.", "aten._fft_c2c.", "aten._fft_c2r.")


def check_metadata(schema: Schema, node: fx.Node, results: Sequence[TensorInfo]) -> None:
    """Raises `UnsupportedGraph` where the results of the call `node` may be other tensors than `results` says."""
    if schema.name.startswith(_SIZED_BY_DATA):
        raise UnsupportedGraph(f"{schema.name}: the sizes of its result depend on data")
    if not schema.name.endswith("_scatter.default"):
        return
    if any(map(is_expanded, results)):
        raise UnsupportedGraph(f"{schema.name} of an expanded tensor: PyTorch's tracer and its kernels give it different strides")
    target = getattr(node.args[0], "target", None)
    if str(target).startswith(_FFT) and not fft_strides_are_true():
        raise UnsupportedGraph(f"{schema.name} of {target}: PyTorch's tracer and its kernels give that different strides")


@functools.cache
def fft_strides_are_true() -> bool:
    """Whether the tracer knows how this build of PyTorch (with MKL or without) lays out a Fourier transform."""
    with _disable_current_modes():
        strides = [torch.ops.aten._fft_r2c(torch.zeros(2, 3, 4, device=device), [1], 0, True).stride() for device in ("cpu", "meta")]
    return strides[0] == strides[1]
