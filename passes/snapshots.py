"""Keeps a module as text after each step, so that checks can evaluate it later. Nothing is kept unless `keep_snapshots` asks."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from torch_mlir import ir

from .pipeline import CPU, GPU, NATIVE_BODY, NATIVE_HOST


@dataclass(frozen=True)
class Snapshot:
    """A module after a step; `text` has locations."""

    step: str
    text: str = field(repr=False)


_ON_CODE = {*NATIVE_HOST, *NATIVE_BODY, *CPU, *GPU}
_keepers: list[list[Snapshot] | None] = []  # a compilation holds the lock of the MLIR context


@contextlib.contextmanager
def keep_snapshots(wanted: bool) -> Iterator[list[Snapshot]]:
    """A list that receives a snapshot for each step inside; it stays empty unless `wanted`. Only the innermost list gets one."""
    kept: list[Snapshot] = []
    if not wanted:
        yield kept
        return
    _keepers.append(kept)
    try:
        yield kept
    finally:
        _keepers.pop()


@contextlib.contextmanager
def without_snapshots() -> Iterator[None]:
    """Inside, passes run on another module than the graph, so no list gets what they make."""
    _keepers.append(None)
    try:
        yield
    finally:
        _keepers.pop()


def take_snapshot(step: str, module: ir.Module) -> None:
    """Keeps the module as it is after a step on a graph; kernels' code is not kept."""
    kept = _keepers[-1] if _keepers else None
    if kept is not None and step not in _ON_CODE:
        kept.append(Snapshot(step, module.operation.get_asm(enable_debug_info=True)))
