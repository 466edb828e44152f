"""Calls of an operator that are wrong in one place: a dtype, a shape, an element, a dimension or another number, a word."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.testing._internal.opinfo.core import SampleInput
from torch.utils._pytree import tree_flatten, tree_unflatten

OTHER_DTYPES = (
    torch.float32,
    torch.bfloat16,
    torch.float16,
    torch.float64,
    torch.int64,
    torch.int32,
    torch.uint8,
    torch.bool,
    torch.complex64,
)
SOURCES = ("error_inputs", "dtype", "shape", "dim", "number", "element", "word")
BEYOND = 100  # more than any size or dimension of the samples


@dataclass
class Mutant:
    """`sample`: the call that is wrong; `right`: the one that it was made of, if any; `label`: what is wrong; `source`: of which
    kind that is, one of `SOURCES`."""

    sample: SampleInput
    right: SampleInput | None
    label: str
    source: str

    @property
    def needs_no_recompilation(self) -> bool:
        """Whether code that was compiled for symbolic sizes may take the wrong call as well as the right one."""
        return self.right is not None and self.source in ("shape", "number", "element")


def mutants(sample: SampleInput) -> Iterator[Mutant]:
    """The wrong calls that are made of a right one, always in the same order."""
    leaves, spec = tree_flatten((sample.input, tuple(sample.args), dict(sample.kwargs)))
    for number, leaf in enumerate(leaves):
        for source, label, wrong in _replacements(leaf):
            changed, args, kwargs = tree_unflatten([*leaves[:number], wrong, *leaves[number + 1 :]], spec)
            yield Mutant(SampleInput(changed, args=args, kwargs=kwargs), sample, f"leaf {number} {label}", source)


def error_samples(op: Any, device: str) -> Iterator[Mutant]:
    """The calls of which the database says that they raise."""
    for error in op.error_inputs(device) if op.error_inputs_func else ():
        yield Mutant(error.sample_input, None, "error_inputs", "error_inputs")


def source_of(mutant: Mutant, error: object) -> str:
    """The mutant's source; a number for which eager says that a dimension is out of range is a dim."""
    is_dim = mutant.source == "number" and isinstance(error, IndexError) and "Dimension" in str(error)
    return "dim" if is_dim else mutant.source


def _replacements(leaf: Any) -> Iterator[tuple[str, str, Any]]:
    """Source, label and value of what takes the place of an argument."""
    if isinstance(leaf, torch.Tensor):
        if leaf.layout == torch.strided and type(leaf) is torch.Tensor and not leaf.is_conj() and not leaf.is_neg():
            for source, wrong in (("dtype", _dtypes(leaf)), ("shape", _shapes(leaf)), ("element", _elements(leaf))):
                yield from ((source, label, tensor) for label, tensor in wrong)
    elif isinstance(leaf, bool):
        return
    elif isinstance(leaf, int):
        yield from (("number", f"is the number {n!r}", n) for n in (BEYOND, -BEYOND, -1, 0, 2.5, "1") if n != leaf)
    elif isinstance(leaf, float):
        yield from (("number", f"is the number {n!r}", n) for n in (-1.0, 0.0, 2.0, math.nan, "1") if n != leaf)
    elif isinstance(leaf, str):
        yield "word", "is 'unheard of'", "unheard of"


def _dtypes(tensor: torch.Tensor) -> Iterator[tuple[str, torch.Tensor]]:
    for dtype in OTHER_DTYPES:
        if dtype != tensor.dtype and not (tensor.dtype.is_complex and not dtype.is_complex):
            yield f"is {dtype}", tensor.detach().to(dtype)


def _shapes(tensor: torch.Tensor) -> Iterator[tuple[str, torch.Tensor]]:
    tensor = tensor.detach()
    yield "has one dimension more in front", tensor[None].clone()
    yield "has one dimension more behind", tensor[..., None].clone()
    for dim, size in enumerate(tensor.shape):
        yield f"has one element more in dimension {dim}", torch.cat([tensor, tensor.narrow(dim, 0, min(size, 1))], dim) if size else tensor
        yield f"has one element in dimension {dim}", tensor.narrow(dim, 0, min(size, 1)).clone()
        yield f"has no element in dimension {dim}", tensor.narrow(dim, 0, 0).clone()
        if size:
            yield f"lacks dimension {dim}", tensor.select(dim, 0).clone()


def _elements(tensor: torch.Tensor) -> Iterator[tuple[str, torch.Tensor]]:
    if not tensor.numel() or tensor.dtype == torch.bool or tensor.dtype.is_complex:
        return
    numbers: tuple[float, ...] = (BEYOND, -BEYOND, -1) if not tensor.is_floating_point() else (2.0, -1.0, math.nan)
    for number in numbers:
        if number >= 0 or tensor.dtype.is_signed:
            wrong = tensor.detach().clone()
            wrong[(-1,) * wrong.dim()] = number
            yield f"has an element {number}", wrong
