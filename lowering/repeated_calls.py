"""Kernels of repeated calls: a call that equals an earlier one of the same function gets copies of that one's kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch_mlir import ir

from ..passes.analysis.inplace_rules import MARK
from ..passes.analysis.node_identity import MERGED, NODE, REGION
from ..passes.analysis.saved_values import BACKWARD
from ..passes.value_names import NAMES, NUMBER
from .rules.registry import LoweredCall

# Attributes that no rule reads: they say which nodes a call stands for.
_UNREAD = frozenset({NODE, MERGED, REGION, BACKWARD, NUMBER})
# An operand of a call, or result `number` of its kernel `kernel`: (None, operand) or (kernel, number).
_Source = tuple[int | None, int]


@dataclass(frozen=True)
class _Lowered:
    """The kernels of a call: each with the sources of its operands. `values`: what replaces the call's results."""

    kernels: list[tuple[ir.Operation, list[_Source]]]
    values: list[_Source | None]


class RepeatedCalls:
    """The lowered calls of one function. Rules read of a call its arguments, the types of its tensors and which results are used; calls
    that are equal in these have equal kernels. Calls that write in place, or whose kernels rely on conditions, are not kept."""

    def __init__(self) -> None:
        self._known: dict[object, _Lowered] = {}

    def key(self, op: ir.Operation) -> object:
        """Equal for calls with equal kernels; None for a call that is not kept."""
        attributes = tuple([(name, value) for name, value in op.attributes.items() if name not in _UNREAD])
        if any([name == MARK for name, _ in attributes]):
            return None
        operands = list(op.operands)
        numbers: dict[ir.Value, int] = {}
        given = tuple([(numbers.setdefault(v, len(numbers)), v.type, _number(v)) for v in operands])
        results = tuple([(r.type, next(iter(r.uses), None) is not None) for r in op.results])
        return op.name, attributes, given, results

    def copied(self, key: object, op: ir.Operation) -> list[ir.Value | None] | None:
        """Copies of the kernels of an equal call, in front of `op`: what replaces its results. None if there was no such call."""
        known = self._known.get(key)
        if known is None:
            return None
        ip, location, operands = ir.InsertionPoint(op), op.location, list(op.operands)
        made: list[Sequence[ir.Value]] = []
        for kernel, sources in known.kernels:
            copy = kernel.clone(ip=ip)
            for n, (number, position) in enumerate(sources):
                copy.operands[n] = operands[position] if number is None else made[number][position]
            if NAMES in copy.attributes:
                del copy.attributes[NAMES]
            _set_locations(copy, location)
            made.append(list(copy.results))
        return [None if value is None else operands[value[1]] if value[0] is None else made[value[0]][value[1]] for value in known.values]

    def keep(self, key: object, call: LoweredCall, values: Sequence[ir.Value | None]) -> None:
        """Records the kernels of a call, before it is erased."""
        if call.required:
            return
        sources: dict[ir.Value, _Source] = {operand: (None, n) for n, operand in reversed(list(enumerate(call.op.operands)))}
        sources.update((r, (number, n)) for number, kernel in enumerate(call.kernels) for n, r in enumerate(kernel.results))
        used = [*(v for kernel in call.kernels for v in kernel.operands), *(v for v in values if v is not None)]
        if not call.kernels or any(v not in sources for v in used):
            return
        kernels = [(kernel, [sources[v] for v in kernel.operands]) for kernel in call.kernels]
        self._known[key] = _Lowered(kernels, [None if v is None else sources[v] for v in values])


def _number(value: ir.Value) -> ir.Attribute | None:
    """The number that an operand is, if it is one."""
    made = value.owner if isinstance(value, ir.OpResult) else None
    return made.attributes["value"] if made is not None and made.name == "aten.number" else None


def _set_locations(kernel: ir.Operation, location: ir.Location) -> None:
    kernel.location = location
    block = kernel.regions[0].blocks[0]
    for argument in block.arguments:
        argument.set_location(location)
    for inner in block.operations:
        inner.operation.location = location
