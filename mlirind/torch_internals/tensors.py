"""Properties of tensors and storages beyond their documented methods, and fast ways to make tensors."""

from __future__ import annotations

import operator
from collections.abc import Sequence

import torch

from .entries import needed, private


def _has_no_memory(tensor: torch.Tensor) -> bool:
    """Whether asking for the address of a tensor's memory fails, or gives none where there are elements."""
    try:
        return bool(tensor.numel() > 0 and tensor.data_ptr() == 0)
    except RuntimeError:
        return True


def _copy_each(targets: Sequence[torch.Tensor], sources: Sequence[torch.Tensor]) -> None:
    for target, source in zip(targets, sources, strict=True):
        target.copy_(source)


def _empty(device: str, sizes: Sequence[int], strides: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
    return torch.empty_strided(sizes, strides, dtype=dtype, device=device)


def _empty_cpu(sizes: Sequence[int], strides: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
    return _empty("cpu", sizes, strides, dtype)


def _empty_cuda(sizes: Sequence[int], strides: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
    return _empty("cuda", sizes, strides, dtype)


def _view(tensor: torch.Tensor, sizes: Sequence[int], strides: Sequence[int], offset: int) -> torch.Tensor:
    return tensor.detach().as_strided(sizes, strides, tensor.storage_offset() + offset)


needed("torch.UntypedStorage._cdata", "which tensors share memory")
_handle = operator.attrgetter("_cdata")
is_zerotensor = private(
    "torch.Tensor._is_zerotensor",
    "detects autograd's zero tensors, which have no memory",
    "a tensor without an address counts as one",
    _has_no_memory,
)
needed("torch.Tensor._version", "a tensor's version counter, to detect writes")
version_of = operator.attrgetter("_version")
is_view = private(
    "torch.Tensor._is_view", "saves views for backward without their base", "every saved tensor is detached", lambda tensor: True
)
is_functorch_wrapper = private(
    "torch._C._functorch.is_functorch_wrapped_tensor",
    "detects inputs that outlived a functorch transform",
    "a tensor without an address counts as one",
    _has_no_memory,
)
is_legacy_batch = private(
    "torch._C._functorch.is_legacy_batchedtensor",
    "detects batched gradients, whose backward runs operator by operator",
    "a tensor without an address counts as one",
    _has_no_memory,
)
unwrap_if_dead = private(
    "torch._C._functorch.unwrap_if_dead", "unwraps inputs that outlived a functorch transform", "graphs with such inputs run as captured"
)
foreach_copy = private("torch._foreach_copy_", "copies of many tensors in one launch", "one launch for each tensor", _copy_each)
empty_cpu = private(
    "torch._C._dynamo.guards._empty_strided_cpu",
    "allocates tensors in a fifth of the time",
    "torch.empty_strided allocates them",
    _empty_cpu,
)
empty_cuda = private(
    "torch._C._dynamo.guards._empty_strided_cuda",
    "allocates tensors in a fifth of the time",
    "torch.empty_strided allocates them",
    _empty_cuda,
)
view_of = private(
    "torch._C._dynamo.guards._reinterpret_tensor", "makes views that autograd does not track", "detach and as_strided make them", _view
)
use_count = private("torch._C._storage_Use_Count", "whether a tensor of a capture is still in use", "graphs on a GPU are not captured")


def storage_handle(storage: torch.UntypedStorage) -> int:
    """The address of the C++ object of a storage: one for all tensors that share memory."""
    handle: int = _handle(storage)
    return handle


def storage_id(tensor: torch.Tensor) -> int:
    """A number that identifies a tensor's storage among all that are alive."""
    handle: int = _handle(tensor.untyped_storage())
    return handle


def plain_tensor(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor, or an equal one that has memory, and neither the negative nor the conjugate bit."""
    return tensor.clone() if is_zerotensor(tensor) else tensor.resolve_neg().resolve_conj()
