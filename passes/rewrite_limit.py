"""Numbers passes and rewrites in the order in which they happen, and stops after a number: bisection then finds the one that makes a result
wrong, as with LLVM's `-opt-bisect-limit`.

A pass is one number, and so is each thing that it does: a call that is replaced, folded, merged or erased, a match of a pattern, a write
in place, an operator that becomes kernels, two kernels that are fused, a buffer that reuses memory. What comes after the limit does not
happen: the operator stays, the kernels stay apart, an operator without kernels is a call of ATen. Steps that every graph needs have no
number.
"""

from __future__ import annotations

import contextlib
import logging
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torch_mlir import ir

from ..dialects import aten_ops
from ..dialects.locations import at_position
from ..dialects.narrowing import text

log = logging.getLogger(__name__)

LIMIT_REACHED = "the limit of rewrites is reached"  # why a pass leaves something as it is

# Steps that always run, because later ones need their results. Within `convert-aten-to-loop` each operator has a number.
NEEDED = frozenset({
    "lower-matmul", "refresh-metadata", "convert-aten-to-loop", "convert-aten-to-proved-loop", "convert-to-host", "normalize-kernels",
    "require-bounds", "convert-host-to-llvm", "convert-loop-to-cpu", "convert-cpu-to-llvm", "lower-loop-to-tt",
})  # fmt: skip


@dataclass(frozen=True)
class RewriteEvent:
    """A numbered event. `what`: what happened, empty for the pass itself; `where`: the operation and the user's line."""

    number: int
    step: str
    what: str = ""
    where: str = ""

    def __str__(self) -> str:
        done = f": {self.what}{' of ' * bool(self.where)}{self.where}" if self.what else ""
        return f"({self.number}) {self.step}{done}"


@dataclass
class Numbering:
    """Counts up from 1. `limit`: the last number that happens; None: all do. `last`: the event with the number of the limit, or the last
    one before it."""

    limit: int | None
    count: int = 0
    step: str = ""
    last: RewriteEvent | None = None
    tells: bool = False  # whether the last event is printed to stderr
    folder: str | None = None  # where the module before the event with the number of the limit is written
    keep: bool = False  # whether `events` gets all that happened
    events: list[RewriteEvent] = field(default_factory=list)

    def allows(self, what: str, op: ir.OpView | ir.Operation | None) -> bool:
        """Counts one event; whether it happens."""
        self.count += 1
        if self.limit is not None and self.count > self.limit:
            return False
        if self.keep or self.count == self.limit:
            self.last = RewriteEvent(self.count, self.step, what, operation_at_line(op) if op is not None else "")
            if self.keep:
                self.events.append(self.last)
            log.info("rewrite %s", self.last)
            if self.tells and self.count == self.limit:
                print(f"rewrite limit: {self.last}", file=sys.stderr, flush=True)
                self._write(op)
        return True

    def _write(self, op: ir.OpView | ir.Operation | None) -> None:
        """Writes the module of `op` before the rewrite; the pass may be at work in it."""
        if self.folder is None or op is None:
            return
        module = op.operation
        while module.parent is not None:
            module = module.parent.operation
        path = Path(self.folder) / "before_rewrite.mlir"
        path.write_text(f"// before rewrite {self.last}\n{module.get_asm(enable_debug_info=True)}\n")
        print(f"the module before it: {path}", file=sys.stderr, flush=True)


_active: Numbering | None = None  # a compilation holds the lock of the MLIR context
_of_process: dict[int, Numbering] = {}


def may_rewrite(what: str, op: ir.OpView | ir.Operation | None = None) -> bool:
    """Whether a pass may do what it is about to do with `op`; counts it. True without a limit."""
    return _active is None or _active.allows(what, op)


def may_run(step: str, module: ir.Module | None = None) -> bool:
    """Whether a pass may run on a module; counts it, unless it is needed. `may_rewrite` counts for this pass from now on."""
    if _active is None:
        return True
    _active.step = step
    return step in NEEDED or step.startswith("verify-") or _active.allows("", None if module is None else module.operation)


@contextlib.contextmanager
def numbered(numbering: Numbering | None) -> Iterator[None]:
    """Inside, passes and rewrites count in `numbering`; None changes nothing."""
    global _active
    if numbering is None:
        yield
        return
    before, _active = _active, numbering
    try:
        yield
    finally:
        _active = before


@contextlib.contextmanager
def unnumbered() -> Iterator[None]:
    """Inside, passes run on another module than a graph: all that they do happens, and nothing of it counts."""
    global _active
    before, _active = _active, None
    try:
        yield
    finally:
        _active = before


def process_numbering(limit: int | None, folder: str | None = None) -> Numbering | None:
    """The numbering of all graphs that this process compiles with this limit; None without a limit. `folder`: where the module before the
    last rewrite is written."""
    if limit is None or _active is not None:
        return None
    return _of_process.setdefault(limit, Numbering(limit, tells=True, folder=folder))


def operation_at_line(op: ir.OpView | ir.Operation) -> str:
    """An operation's name and the user's line."""
    return f"{_name(op.operation)}{at_position(op.location)}"


def _name(op: Any) -> str:
    if op.name == "loop.kernel" and "kernel_name" in op.attributes:
        return f"kernel {text(op.attributes['kernel_name'])}"
    if op.name == "host.launch":
        return f"kernel {text(op.attributes['kernel'])}"
    if op.name == "host.call":
        return text(op.attributes["target"])
    return aten_ops.pytorch_name(op) if aten_ops.is_operator(op) else str(op.name)
