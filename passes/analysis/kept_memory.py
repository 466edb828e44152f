"""Whether a value may replace another: the caller must see the same memory, and reads must see the same elements."""

from __future__ import annotations

from typing import Protocol

from torch_mlir import ir

from ...dialects import aten_ops
from ...dialects.narrowing import AnyOp, maker
from .alias_analysis import Aliases, Timeline, shared
from .refused import Refused


class RoundAnalyses(Protocol):
    """The analyses of a function in one round of rewriting (`pattern_rewriting.Round`)."""

    block: ir.Block
    aliases: Aliases
    timeline: Timeline

    def position(self, op: AnyOp) -> int:
        """The position of an operation before the round."""


def keep_memory(analyses: RoundAnalyses, made: list[ir.Operation], replaced: list[ir.Operation], old: ir.Value, value: ir.Value) -> None:
    """Raises `Refused` if the caller would see other memory, or if something could be written before it is read through `value`.

    `value`, computed by the operations `made`, is to replace `old`, a result of one of the operations `replaced`.
    """
    aliases, root = analyses.aliases, _root(value, made)
    if isinstance(root, ir.OpResult) and root.owner in made:
        if aliases.escapes(old) and not _own_memory(analyses, replaced, old):
            raise Refused("a result would not share memory as before")
        return
    if aliases.root(root) == aliases.root(old):
        return
    if aliases.escapes(old):
        raise Refused("a result would share memory with an input")
    if analyses.timeline.written_between(root, analyses.position(maker(old)), analyses.timeline.last_read(old)):
        raise Refused("an input is written while the result is used")


def keep_apart(analyses: RoundAnalyses, made: list[ir.Operation], pairs: list[tuple[ir.Value, ir.Value]]) -> None:
    """Raises `Refused` if two results of the caller would share memory that they did not share before. `pairs`: replaced values, and the
    new ones."""
    known: dict[ir.Value, ir.Value] = {}
    for old, value in pairs:
        if isinstance(old.type, ir.NoneType) or not analyses.aliases.escapes(old):
            continue
        other = known.setdefault(_root(value, made), old)
        if analyses.aliases.root(other) != analyses.aliases.root(old):
            raise Refused("two results would share memory")


def _own_memory(analyses: RoundAnalyses, replaced: list[ir.Operation], old: ir.Value) -> bool:
    """Whether the replaced operations make the memory of `old`, and nothing else that the caller gets lies there."""
    root = analyses.aliases.root(old)
    made = {r for op in replaced for r in op.results}
    others = [v for v in analyses.aliases.returned if analyses.aliases.root(v) == root and not analyses.aliases.shows(v, old)]
    return root in made and not others


def _root(value: ir.Value, made: list[ir.Operation]) -> ir.Value:
    """The value that owns the memory of `value`, following the views among the new operations."""
    while isinstance(value, ir.OpResult) and value.owner in made and aten_ops.is_operator(value.owner):
        sources = [source for result, source, _ in shared(value.owner.opview) if result == value]
        if not sources:
            return value
        value = sources[0]
    return value
