"""Turns off, in one thread, decompositions in Python that PyTorch registers as kernels of operators.

Such a decomposition is in the operator's table of Python kernels under a dispatch key, and runs before a backend's table of decompositions
is used. It is wrapped once in a process: the wrapper calls it, except in a thread that wants to keep the operator.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .entries import private
from .operators import has_kernel

_PURPOSE, _WITHOUT = "keeps resampling operators whole on the CPU", "they are decomposed into gathers"
_autograd = private("torch._C.DispatchKey.Autograd", _PURPOSE, _WITHOUT)
_composite = private("torch._C.DispatchKey.CompositeImplicitAutograd", _PURPOSE, _WITHOUT)
_meta = private("torch._C.DispatchKey.Meta", "symbolic sizes of gradients of resampling", "such training is compiled once for each size")
_kernels = private("torch.ops.aten.upsample_nearest1d.vec.py_kernels", _PURPOSE, _WITHOUT, probe=lambda table: isinstance(table, dict))
_cache = private("torch.ops.aten.upsample_nearest1d.vec._dispatch_cache", _PURPOSE, _WITHOUT, probe=lambda table: table.clear is not None)
_at_key = private("torch.ops.aten.upsample_nearest1d.vec._op_dk", _PURPOSE, _WITHOUT)
_is_known = None not in (has_kernel, _autograd, _composite, _kernels, _cache, _at_key)

_lock = threading.Lock()
_wrapped: set[Any] = set()
_thread = threading.local()

Condition = Callable[..., bool]
Kernel = Callable[..., Any]


@contextlib.contextmanager
def kept_whole(operators: Sequence[tuple[Any, Condition | None, Kernel | None]]) -> Iterator[None]:
    """A context in which this thread's traced calls of these operators on the CPU are not decomposed, except calls whose arguments fulfil
    the operator's condition. The third function, if there is one, is called instead of PyTorch's; it may return NotImplemented."""
    if _is_known:
        _wrap(operators)
    before: frozenset[Any] = getattr(_thread, "whole", frozenset())
    _thread.whole = frozenset(operator for operator, *_ in operators)
    try:
        yield
    finally:
        _thread.whole = before


def set_meta(operator: Any, result: Kernel) -> bool:
    """Makes `result` the meta function of an operator of which PyTorch has one in C++, for fixed sizes. It may return NotImplemented. It is
    called in traces with PyTorch's Python dispatcher, in threads within `kept_whole`. Returns whether the operator takes symbolic sizes."""
    if not _is_known or _meta is None:
        return False
    with _lock:
        if operator not in _wrapped and _meta not in operator.py_kernels:
            _wrapped.add(operator)
            operator.py_kernels[_meta] = _meta_wrapper(operator, result)
            operator._dispatch_cache.clear()
    return True


def _meta_wrapper(operator: Any, result: Kernel) -> Kernel:
    def run(*args: Any, **kwargs: Any) -> Any:
        made = result(*args, **kwargs) if getattr(_thread, "whole", ()) else NotImplemented
        return operator._op_dk(_meta, *args, **kwargs) if made is NotImplemented else made

    return run


def _wrap(operators: Sequence[tuple[Any, Condition | None, Kernel | None]]) -> None:
    with _lock:
        for operator, decomposed, instead in operators:
            if operator not in _wrapped:
                _wrapped.add(operator)
                _wrap_kernels(operator, decomposed, instead)


def _wrap_kernels(operator: Any, decomposed: Condition | None, instead: Kernel | None) -> None:
    """Wraps the decompositions of an operator. A key without a Python kernel needs none: the operator is not decomposed there."""
    for key in (_autograd, _composite):
        if key in operator.py_kernels:
            operator.py_kernels[key] = _wrapper(operator, key, operator.py_kernels[key], decomposed, instead)
    operator._dispatch_cache.clear()


def _wrapper(operator: Any, key: Any, kernel: Kernel, decomposed: Condition | None, instead: Kernel | None) -> Kernel:
    is_composite = has_kernel(operator.name(), "CompositeImplicitAutograd")

    @functools.wraps(kernel)
    def run(*args: Any, **kwargs: Any) -> Any:
        if operator not in getattr(_thread, "whole", ()) or (decomposed is not None and decomposed(*args, **kwargs)):
            return kernel(*args, **kwargs)
        result = NotImplemented if instead is None else instead(*args, **kwargs)
        if result is not NotImplemented:
            return result
        if is_composite:
            return operator._op_dk(_composite, *args, **kwargs)
        return NotImplemented if key == _composite else operator._op_dk(_autograd, *args, **kwargs)

    return run
