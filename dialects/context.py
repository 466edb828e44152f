"""The MLIR context that everything runs in: one at a time, single-threaded, under a lock, with all dialects loaded."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from torch_mlir import ir
from torch_mlir._mlir_libs import _mlir

from ..collector import paused_collector
from . import aten, aten_ops, host, loop, tt

# If no module is found for a namespace, every op that Python touches pays for a failed import.
_mlir.globals.append_dialect_search_prefix(__package__)

# A context never frees types and locations; after this many uses it is replaced by a new one.
USES_PER_CONTEXT = 64

_lock = threading.RLock()
_current: ir.Context | None = None
_uses = 0
_depth = 0
_owner = 0  # the thread that is in the context


def new_context() -> ir.Context:
    """A context with the `aten` dialect, its operators included, `loop`, `host` and `tt`."""
    context = ir.Context()
    context.enable_multithreading(False)
    with context, ir.Location.unknown():
        aten.Aten.load()
        loop.Loop.load()
        host.Host.load()
        tt.Tt.load()
    aten_ops.load(context)
    return context


@contextlib.contextmanager
def compile_context() -> Iterator[ir.Context]:
    """Enters the process's context (and an unknown location) under its lock; nested uses share it. Pauses Python's collector."""
    global _current, _uses, _depth, _owner
    with _lock:
        if _current is None or (_uses >= USES_PER_CONTEXT and _depth == 0):
            _current, _uses = new_context(), 0
        _uses += not _depth
        _depth += 1
        _owner = threading.get_ident()
        try:
            with paused_collector(), _current, ir.Location.unknown():
                yield _current
        finally:
            _depth -= 1
            _owner = _owner if _depth else 0


def is_compiling() -> bool:
    """Whether this thread is in `compile_context()`, so that another thread would wait for it there."""
    return _owner == threading.get_ident()
