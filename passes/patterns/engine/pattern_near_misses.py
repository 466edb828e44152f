"""The nearest miss of a pattern that does not match, for the log: how many of its operators match, and the first that does not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from torch_mlir import ir

from ....dialects import aten_ops
from ....dialects.locations import at_position
from .pattern_conversion import block_of, commutes, is_open

# After this many operations the search stops, and the deepest match so far counts.
_STEPS = 20_000

_Values = dict[ir.Value, ir.Value]


@dataclass
class _Miss:
    """`matched`: operators of the graph, in the order of the search function. `wanted`: the search function's first operator that nothing
    matches. `found`: the operator in its place, and why it does not match."""

    matched: list[ir.Operation]
    wanted: ir.Operation
    found: ir.Operation | None = None
    reason: str = ""


def near_miss(search: ir.OpView, function: ir.OpView) -> str | None:
    """A sentence on where the longest match ends; None if all operators match, and the match was refused for another reason."""
    searching = _Searching(search, function)
    searching.extend(0, {}, [])
    if searching.complete:
        return None
    miss, total = searching.deepest, len(searching.wanted)
    assert miss is not None
    wanted = aten_ops.pytorch_name(miss.wanted)
    instead = f", found {_described(miss.found)}: {miss.reason}" if miss.found is not None else ", found none"
    if not miss.matched:
        return f"0 of {total} operators match: {wanted} is wanted{instead}"
    return f"{len(miss.matched)} of {total} operators match, the last is {_described(miss.matched[-1])}; then {wanted} is wanted{instead}"


def _described(op: ir.Operation) -> str:
    """An operation's name and position."""
    return (aten_ops.pytorch_name(op) if aten_ops.is_operator(op) else op.name) + at_position(op.location)


class _Searching:
    """Matches the operators of a search function one after the other, and keeps the longest match."""

    def __init__(self, search: ir.OpView, function: ir.OpView) -> None:
        self.wanted = [op.operation for op in block_of(search).operations if aten_ops.is_operator(op)]
        self.graph = [op.operation for op in block_of(function).operations]
        self.deepest: _Miss | None = None
        self.complete, self.steps = False, 0

    def extend(self, number: int, values: _Values, matched: list[ir.Operation]) -> None:
        """Matches the operators from `number` on. `values` of the graph stand for the search function's values so far."""
        if number == len(self.wanted):
            self.complete = True
            return
        wanted = self.wanted[number]
        miss = _Miss(matched, wanted)
        for found in self._candidates(wanted, values):
            self.steps += 1
            if self.complete or self.steps > _STEPS:
                break
            bound, reason = _match(wanted, found, values)
            if bound is not None:
                self.extend(number + 1, bound, [*matched, found])
            elif miss.found is None or (miss.found.name != wanted.name and found.name == wanted.name):
                miss.found, miss.reason = found, reason
        if self.deepest is None or len(matched) > len(self.deepest.matched):
            self.deepest = miss

    def _candidates(self, wanted: ir.Operation, values: _Values) -> Iterator[ir.Operation]:
        """The users of the last matched operand; if none is matched yet, all operators of the name."""
        operands = list(wanted.operands)
        known = [found for value, found in values.items() if value in operands]
        if not known:
            yield from (op for op in self.graph if op.name == wanted.name)
            return
        for use in known[-1].uses:
            if use.owner.operation.name != "func.return":
                yield use.owner.operation


def _match(wanted: ir.Operation, found: ir.Operation, values: _Values) -> tuple[_Values | None, str]:
    """The values with those of this operator, if it matches; else the reason why not."""
    if wanted.name != found.name:
        return None, "another operator"
    for name in wanted.attributes:
        if name in found.attributes and not is_open(wanted.attributes[name]) and wanted.attributes[name] != found.attributes[name]:
            return None, f"{name} is {found.attributes[name]}, want {wanted.attributes[name]}"
    operands = list(found.operands)
    for order in (operands, operands[::-1]) if commutes(wanted) else (operands,):
        bound = _bind(list(wanted.operands), order, values)
        if bound is not None:
            return bound | dict(zip(wanted.results, found.results, strict=False)), ""
    return None, "other operands"


def _bind(wanted: list[ir.Value], found: list[ir.Value], values: _Values) -> _Values | None:
    """The values with those of the operands; None if these differ."""
    if len(wanted) != len(found):
        return None
    bound = dict(values)
    for a, b in zip(wanted, found, strict=True):
        if aten_ops.is_number(a):
            number = a.owner.attributes["value"]
            if not aten_ops.is_number(b) or not (is_open(number) or number == b.owner.attributes["value"]):
                return None
        elif bound.setdefault(a, b) != b:
            return None
    return bound
