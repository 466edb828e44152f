"""Whether a value may stand for another: the caller must see the same memory, and reads must see the same elements."""

from __future__ import annotations

from typing import Any

from torch_mlir import ir

from ...dialects import aten_ops
from ..patterns.engine.pattern_matching import Refused
from .alias_analysis import shared


def keep_memory(round_: Any, made: list[ir.Operation], replaced: list[ir.Operation], old: ir.Value, value: ir.Value) -> None:
    """Refuses if the caller would see other memory, or if something could be written before it is read through `value`.

    `value`, computed by the operations `made`, is to stand for `old`, a result of one of the operations `replaced`.
    """
    aliases, root = round_.aliases, _root(value, made)
    if isinstance(root, ir.OpResult) and root.owner in made:
        if aliases.escapes(old) and not _own_memory(round_, replaced, old):
            raise Refused("a result would not share memory as before")
        return
    if aliases.root(root) == aliases.root(old):
        return
    if aliases.escapes(old):
        raise Refused("a result would share memory with an input")
    if round_.timeline.written_between(root, round_.position(old.owner), round_.timeline.last_read(old)):
        raise Refused("an input is written while the result is used")


def keep_apart(round_: Any, made: list[ir.Operation], pairs: list[tuple[ir.Value, ir.Value]]) -> None:
    """Refuses if two results of the caller would share memory that they did not share before. `pairs`: replaced values, and the new
    ones."""
    known: dict[ir.Value, ir.Value] = {}
    for old, value in pairs:
        if isinstance(old.type, ir.NoneType) or not round_.aliases.escapes(old):
            continue
        other = known.setdefault(_root(value, made), old)
        if round_.aliases.root(other) != round_.aliases.root(old):
            raise Refused("two results would share memory")


def _own_memory(round_: Any, replaced: list[ir.Operation], old: ir.Value) -> bool:
    """Whether the replaced operations make the memory of `old`, and nothing else that the caller gets lies there."""
    root = round_.aliases.root(old)
    made = {r for op in replaced for r in op.results}
    others = [v for v in round_.aliases.returned if round_.aliases.root(v) == root and not round_.aliases.shows(v, old)]
    return root in made and not others


def _root(value: ir.Value, made: list[ir.Operation]) -> ir.Value:
    """The value whose memory this is, by the new operations."""
    while isinstance(value, ir.OpResult) and value.owner in made and aten_ops.is_operator(value.owner):
        sources = [source for result, source, _ in shared(value.owner.opview) if result == value]
        if not sources:
            return value
        value = sources[0]
    return value
