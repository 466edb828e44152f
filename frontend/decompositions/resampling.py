"""Resampling (`interpolate`) on the CPU: one operator of ATen, forward and backward, where PyTorch would decompose it into gathers.

`hardshrink` and `softshrink` stay whole in the same way: the decompositions round the number to the half type of the tensor."""

from __future__ import annotations

import contextlib
from typing import Any

import torch

from ...torch_internals.python_kernels import kept_whole

_NAMES = (
    *(f"{kind}{rank}d" for kind in ("upsample_nearest", "_upsample_nearest_exact") for rank in (1, 2, 3)),
    "upsample_linear1d",
    "upsample_bilinear2d",
    "upsample_trilinear3d",
    "upsample_bicubic2d",
)
_SHRINKS = ("hardshrink", "softshrink")


def stays_whole(operator: Any) -> bool:
    """Whether an operator is faster undecomposed on the CPU: a kernel would gather or scatter single elements, twice as slow as ATen."""
    name = str(operator).split(".")[1]
    return name in _NAMES or name.endswith("_backward") and name.startswith(("upsample_", "_upsample_", "reflection_pad"))


def whole_resampling() -> contextlib.AbstractContextManager[None]:
    """A context in which resampling operators and shrinks on CPU tensors are not decomposed while this thread traces; other threads are not
    affected."""
    packets = [getattr(torch.ops.aten, name) for name in _NAMES]
    shrinks = [getattr(torch.ops.aten, name) for name in _SHRINKS]
    return kept_whole([(packet.vec, _is_decomposed) for packet in packets] + [(packet.default, None) for packet in (*packets, *shrinks)])


def _is_decomposed(image: torch.Tensor, output_size: Any = None, *_: Any, **__: Any) -> bool:
    """Whether a call with sizes or factors (`vec`) is decomposed. The meta functions of the overload that it calls refuse an empty image,
    and its kernel refuses symbolic output sizes."""
    is_empty = any(isinstance(size, int) and size == 0 for size in image.shape)
    return is_empty or any(not isinstance(size, int) for size in output_size or ())
