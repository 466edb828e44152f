"""Python's cyclic garbage collector during a compilation."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def paused_collector() -> Iterator[None]:
    """Pauses the collector within the `with` block, if it was on. A compilation makes many small objects that stay alive; each collection
    would walk them and all of torch's objects. That took up to a third of the time of tracing, partition and passes."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
