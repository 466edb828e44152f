"""PyTorch's holder of compiled eager operators (torch/csrc/inductor/aoti_eager): a kernel that asks Python for a library for each new kind
of call, and runs it. Importing this module imports the part of PyTorch that it asks."""

from __future__ import annotations

from collections.abc import Callable

import torch

from .entries import private
from .operators import has_kernel

_HOLDER, _NONE = "PyTorch's holder runs operators that are compiled in eager mode", "mlirind.register_eager raises"

register_backend: Callable[..., None] | None = private("torch._inductor.aoti_eager.register_aoti_compile_backend", _HOLDER, _NONE)
_impl = private("torch.library.Library._impl_with_aoti_compile", _HOLDER, _NONE)
_dispatch_keys = private("torch._C._dispatch_keys", "the holder compares a tensor's dispatch keys", _NONE)


def holder_exists() -> bool:
    """Whether this PyTorch has the holder, and takes another compiler for it."""
    return None not in (register_backend, _impl, _dispatch_keys)


def hold(library: torch.library.Library, operator: str, device_key: str) -> None:
    """Makes the holder the kernel of an operator ("add.Tensor") for a dispatch key ("CPU")."""
    _impl(library, operator, device_key)


def key_set(tensor: torch.Tensor) -> int:
    """A tensor's dispatch keys, as a number; 0 if they can't be asked for."""
    return 0 if _dispatch_keys is None else int(_dispatch_keys(tensor).raw_repr())


def is_composite(operator: torch._ops.OpOverload) -> bool:
    """Whether an operator is made of others at every device, with their gradients."""
    return bool(has_kernel(operator.name(), "CompositeImplicitAutograd"))
