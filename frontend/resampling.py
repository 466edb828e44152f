"""Resampling (`interpolate`) on the CPU: one operator of ATen, forward and backward, where PyTorch would decompose it into gathers."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from typing import Any

import torch
from torch._C import DispatchKey

_NAMES = (
    *(f"{kind}{rank}d" for kind in ("upsample_nearest", "_upsample_nearest_exact") for rank in (1, 2, 3)),
    "upsample_linear1d",
    "upsample_bilinear2d",
    "upsample_trilinear3d",
    "upsample_bicubic2d",
)
# PyTorch decomposes them at these, before a backend's table of decompositions is asked.
_KEYS = (DispatchKey.Autograd, DispatchKey.CompositeImplicitAutograd)


def stays_whole(operator: Any) -> bool:
    """Whether an operator is better whole on the CPU: a kernel would gather or scatter single elements, twice as slow as ATen."""
    name = str(operator).split(".")[1]
    return name in _NAMES or name.endswith("_backward") and name.startswith(("upsample_", "_upsample_", "reflection_pad"))


@contextlib.contextmanager
def whole_resampling() -> Iterator[None]:
    """Graphs that are traced meanwhile have the operators; Dynamo's lock must be held, for the operators' tables change."""
    operators = [getattr(getattr(torch.ops.aten, name), overload) for name in _NAMES for overload in ("default", "vec")]
    before = [dict(operator.py_kernels) for operator in operators]
    try:
        for operator, kernels in zip(operators, before, strict=True):
            own = {}
            if operator._overloadname == "vec":
                own = dict.fromkeys(_KEYS, functools.partial(_whole_or_empty, operator, kernels[DispatchKey.Autograd]))
            _replace(operator, {**{key: kernel for key, kernel in kernels.items() if key not in _KEYS}, **own})
        yield
    finally:
        for operator, kernels in zip(operators, before, strict=True):
            _replace(operator, kernels)


def _replace(operator: Any, kernels: dict[Any, Any]) -> None:
    operator.py_kernels.clear()
    operator.py_kernels.update(kernels)
    operator._dispatch_cache.clear()


def _whole_or_empty(operator: Any, decomposed: Any, image: torch.Tensor, *rest: Any) -> torch.Tensor:
    """PyTorch's own way from `upsample_*.vec` to the overload with sizes, whose meta functions refuse what is empty."""
    if any(isinstance(size, int) and size == 0 for size in image.shape):
        return decomposed(image, *rest)
    return operator._op_dk(DispatchKey.CompositeImplicitAutograd, image, *rest)
