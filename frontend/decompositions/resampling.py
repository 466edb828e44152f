"""Resampling (`interpolate`) on the CPU: one operator of ATen, forward and backward, where PyTorch would decompose it into gathers.

`hardshrink` and `softshrink` stay whole in the same way: the decompositions round the number to the half type of the tensor."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Sequence
from typing import Any

import torch

from ...torch_internals.operators import suggest_memory_format
from ...torch_internals.python_kernels import Condition, kept_whole, set_meta

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
    backwards = [getattr(torch.ops.aten, f"{name}_backward").default for name in _NAMES]
    known = [set_meta(backward, _gradient if "linear" in str(backward) else _contiguous_gradient) for backward in backwards]
    whole: list[tuple[Any, Condition | None, None]] = [(packet.default, None, None) for packet in packets]
    decomposed = _is_empty if all(known) else _is_empty_or_symbolic
    for name in _SHRINKS:
        takes_symbols = set_meta(getattr(torch.ops.aten, f"{name}_backward").default, _pointwise_gradient)
        whole.append((getattr(torch.ops.aten, name).default, None if takes_symbols else _is_symbolic, None))
    vec = [(packet.vec, decomposed, functools.partial(_with_symbolic_sizes, packet) if all(known) else None) for packet in packets]
    return kept_whole([*vec, *whole])


def _gradient(gradient: torch.Tensor, output_size: Any, input_size: Sequence[Any], *_: Any, **__: Any) -> Any:
    """What the backward of a resampling by linear functions returns, for symbolic sizes: a tensor in the gradient's memory format.
    NotImplemented for other sizes."""
    if not _are_symbolic((*gradient.shape, *output_size, *input_size)):
        return NotImplemented
    return gradient.new_empty(input_size).to(memory_format=suggest_memory_format(gradient))


def _contiguous_gradient(gradient: torch.Tensor, output_size: Any, input_size: Sequence[Any], *_: Any, **__: Any) -> Any:
    """As `_gradient`, for resampling by other functions: the result is contiguous. PyTorch has a meta function in Python for images of two
    dimensions and nearest elements, which is not replaced."""
    return _gradient(gradient.contiguous(), output_size, input_size)


def _pointwise_gradient(gradient: torch.Tensor, self: torch.Tensor, *_: Any) -> Any:
    """What a pointwise backward returns, for symbolic sizes: a tensor like the product of its operands. NotImplemented for other sizes."""
    return gradient * self if _are_symbolic((*gradient.shape, *self.shape)) else NotImplemented


def _is_symbolic(tensor: torch.Tensor, *_: Any, **__: Any) -> bool:
    """Whether a tensor has symbolic sizes."""
    return _are_symbolic(tensor.shape)


def _are_symbolic(sizes: Sequence[Any]) -> bool:
    return any(isinstance(size, torch.SymInt) for size in sizes)


def _is_empty(image: torch.Tensor, *_: Any, **__: Any) -> bool:
    """Whether an image has no elements: the meta functions refuse it."""
    return any(isinstance(size, int) and size == 0 for size in image.shape)


def _is_empty_or_symbolic(image: torch.Tensor, output_size: Any = None, *_: Any, **__: Any) -> bool:
    """Whether a call is decomposed if gradients have no symbolic sizes: PyTorch's kernel refuses symbolic output sizes."""
    return _is_empty(image) or any(not isinstance(size, int) for size in output_size or ())


def _with_symbolic_sizes(packet: Any, image: torch.Tensor, output_size: Any, *rest: Any) -> Any:
    """The result of `packet.vec` for symbolic sizes, by a call of the overload that takes sizes and factors: PyTorch's kernel of `vec`
    would make constants of the sizes. NotImplemented for other sizes, and for what the kernel refuses. `rest`: whether corners are
    aligned, if the operator asks; factors."""
    *flags, factors = rest
    given, sizes = (output_size, factors), image.shape[2:]
    if not _are_symbolic((*sizes, *(output_size or ()))):
        return NotImplemented
    if (output_size is None) == (factors is None) or any(g is not None and len(g) != len(sizes) for g in given):
        return NotImplemented
    if output_size is None:
        output_size = [size * int(f) if f == int(f) else torch.sym_int(size * f) for size, f in zip(sizes, factors, strict=True)]
    return packet.default(image, output_size, *flags, *(factors or [None] * len(sizes)))
