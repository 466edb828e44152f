"""Tensors without memory, on which PyTorch traces."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

import torch

from .entries import needed, private
from .modes import without_dispatch_modes
from .trees import tree_leaves


class _Nothing:
    """A class without instances: it stands for a tensor class that this PyTorch lacks."""


FakeTensor = needed("torch._subclasses.fake_tensor.FakeTensor", "the tensors of a graph that is compiled", _Nothing)
FakeTensorMode = needed("torch._subclasses.fake_tensor.FakeTensorMode", "the types of results, from PyTorch's meta functions", _Nothing)


def _mode_of(values: Iterable[Any]) -> Any:
    return next((value.fake_mode for value in tree_leaves(list(values)) if isinstance(value, FakeTensor)), None)


def _is_traceable_subclass(tensor: Any) -> bool:
    return type(tensor) is not torch.Tensor and hasattr(type(tensor), "__tensor_flatten__")


detect_fake_mode = private(
    "torch._guards.detect_fake_mode", "the FakeTensorMode of a graph", "it is taken from the graph's first fake tensor", _mode_of
)
unset_fake_temporarily = private(
    "torch._subclasses.fake_tensor.unset_fake_temporarily",
    "times kernels on real memory during a compilation",
    "all dispatch modes are disabled meanwhile",
    without_dispatch_modes,
)
is_traceable_wrapper_subclass = private(
    "torch.utils._python_dispatch.is_traceable_wrapper_subclass",
    "tensor subclasses are refused",
    "subclasses with a method __tensor_flatten__ are refused",
    _is_traceable_subclass,
)
_without_cache = private(
    "torch._subclasses.fake_tensor.disable_fake_tensor_cache",
    "where copies of tensors that begin inside their storages begin: PyTorch's cache of fake results forgets it",
    "custom operators and `as_strided` on such copies may take other elements, as with aot_eager",
    probe=lambda context: callable(FakeTensorMode.dispatch),
)
_get_mode = private(
    "torch._C._get_dispatch_mode", "whether a compiled function is called in FakeTensorMode", "a new tensor's type is checked"
)
_keys = private("torch._C._TorchDispatchModeKey", "the key of FakeTensorMode", "a new tensor's type is checked")


def in_fake_mode() -> bool:
    """Whether the thread is in FakeTensorMode."""
    if _get_mode is None or _keys is None:
        return isinstance(torch.empty(0), FakeTensor)
    return _get_mode(_keys.FAKE) is not None


def fake_mode_or_no_grad(values: Iterable[Any]) -> contextlib.AbstractContextManager[Any]:
    """A context: the mode of the first fake tensor among values; if there is none, `no_grad`."""
    mode: contextlib.AbstractContextManager[Any] = detect_fake_mode(tree_leaves(list(values))) or torch.no_grad()
    return mode


# Operators whose results have the storage offset of `self`: they copy its whole storage.
_STORAGE_COPIES = frozenset({
    torch.ops.aten.copy.default, torch.ops.aten.select_scatter.default, torch.ops.aten.slice_scatter.default,
    torch.ops.aten.diagonal_scatter.default, torch.ops.aten.as_strided_scatter.default,
})  # fmt: skip


@contextlib.contextmanager
def true_offsets(values: Iterable[Any]) -> Iterator[None]:
    """A context in which fake copies of whole storages have the storage offset that the kernels' results have, in the mode of the first
    fake tensor among values. PyTorch's cache of fake results gives offset 0 to a copy that it has seen before, so the cache is not used for
    copies."""
    mode = detect_fake_mode(tree_leaves(list(values)))
    if mode is None or _without_cache is None or "dispatch" in vars(mode):
        yield
        return
    dispatch = mode.dispatch

    def without_cache_for_copies(func: Any, *args: Any, **kwargs: Any) -> Any:
        with _without_cache(mode) if func in _STORAGE_COPIES else contextlib.nullcontext():
            return dispatch(func, *args, **kwargs)

    mode.dispatch = without_cache_for_copies
    try:
        yield
    finally:
        del mode.dispatch
