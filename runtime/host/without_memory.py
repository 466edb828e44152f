"""Tensors whose memory kernels can't read. Those of FakeTensorMode are refused, autograd's zeros get memory, and the negative and the
conjugate bit are materialized."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ...torch_internals.fake_tensors import FakeTensor, in_fake_mode
from ...torch_internals.tensors import is_zerotensor

_MESSAGE = (
    "a compiled function is called in FakeTensorMode, whose tensors have no memory that kernels could read or write: "
    "call it outside of the mode, or what it was compiled from, or compile it with the backend aot_eager"
)


def with_memory(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor, or an equal one that has memory. Raises RuntimeError for one of FakeTensorMode."""
    if isinstance(tensor, FakeTensor):
        raise RuntimeError(_MESSAGE)
    return tensor.clone() if is_zerotensor(tensor) else tensor


def refuse_fake(inputs: Sequence[Any]) -> None:
    """Raises RuntimeError in FakeTensorMode, or for its tensors."""
    if in_fake_mode() or any(isinstance(value, FakeTensor) for value in inputs):
        raise RuntimeError(_MESSAGE)
