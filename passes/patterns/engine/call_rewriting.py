"""Applies a Python function to one call. Its value replaces the call's result if the caller can't see the difference."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from torch_mlir import ir

from ....dialects import aten_ops
from ....errors import UserPassFailed
from ...analysis.kept_memory import RoundAnalyses, keep_memory
from ...analysis.node_identity import NODE, inherit
from ...analysis.refused import Refused
from ...rewrite_limit import LIMIT_REACHED, may_rewrite
from .pattern_log import tell
from .pattern_set import Rewrite

log = logging.getLogger(__name__)


def replace_call(op: ir.Operation, rewrite: Rewrite, before: set[ir.Value], analyse: Callable[[], RoundAnalyses]) -> None:
    """Lets a function replace the first result of a call.

    `before`: the first results of the existing operations, kept up to date; `analyse()` returns the analyses of the graph as it is now.
    Raises UserPassFailed if the function raises, or returns a value that can't replace the result.
    """
    name = aten_ops.pytorch_name(op)
    try:
        with ir.InsertionPoint(op), op.location:
            value = rewrite.run(op)
    except Exception as error:
        raise UserPassFailed(f"the rewrite of {name} raised {type(error).__name__}: {error}") from error
    old = op.results[0]
    if value is None or (isinstance(value, ir.Value) and value == old):
        return
    _check(name, value, old)
    round_ = analyse()
    made = [n.operation for n in round_.block.operations if len(n.operation.results) and n.operation.results[0] not in before]
    if isinstance(value, ir.OpResult) and round_.position(value.owner) > round_.position(op):
        raise UserPassFailed(f"the rewrite of {name} gives a value that is computed after the call: make it, or take one from before")
    try:
        if any(next(iter(r.uses), None) for r in list(op.results)[1:]):
            raise Refused("another result is used")
        keep_memory(round_, made, [op], old, value)
        if not may_rewrite("replacement", op):
            raise Refused(LIMIT_REACHED)
    except Refused as reason:
        tell(log, f"rewrite of {name} refused: {reason}")
        for new in reversed(made):
            new.erase()
        return
    for new in made:
        if aten_ops.is_operator(new) and NODE not in new.attributes:
            inherit(new, op)
    if any(v == old for new in made for v in new.operands):
        op.move_before(made[0])
    before.update(new.results[0] for new in made)
    old.replace_all_uses_except(value, made)
    if not any(next(iter(r.uses), None) for r in op.results):
        before.discard(old)
        op.erase()


def _check(name: str, value: Any, old: ir.Value) -> None:
    if not isinstance(value, ir.Value):
        raise UserPassFailed(f"the rewrite of {name} gives {value!r}: return a value of the graph (`operation.results[0]`), or None")
    if value.type != old.type:
        raise UserPassFailed(f"the rewrite of {name} gives {value.type} for {old.type}: return a value of the result's type")
