"""Tensors whose memory kernels can't read: those of FakeTensorMode are refused, autograd's zeros get some; the negative and the conjugate
bit become values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor

_MESSAGE = (
    "a compiled function is called in FakeTensorMode, whose tensors have no memory that kernels could read or write: "
    "call it outside of the mode, or what it was compiled from, or compile it with the backend aot_eager"
)


def with_memory(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor, or its like that has memory; RuntimeError for one of FakeTensorMode."""
    if isinstance(tensor, FakeTensor):
        raise RuntimeError(_MESSAGE)
    return tensor.clone() if tensor._is_zerotensor() else tensor


def plain(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor, or its like that has memory and no bits."""
    return tensor.clone() if tensor._is_zerotensor() else tensor.resolve_neg().resolve_conj()


def refuse_fake(inputs: Sequence[Any]) -> None:
    """RuntimeError in FakeTensorMode, or for its tensors."""
    mode = torch._C._get_dispatch_mode(torch._C._TorchDispatchModeKey.FAKE)
    if mode is not None or any(isinstance(value, FakeTensor) for value in inputs):
        raise RuntimeError(_MESSAGE)
