"""A replacement as a graph of calls that are made when a result needs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from torch_mlir import ir

from ....dialects import aten_ops
from ....dialects.narrowing import AnyOp
from ...refresh_metadata import set_types
from .candidates import Candidate
from .new_operations import NewOperations

if TYPE_CHECKING:
    from .pattern_rewriting import Round


@dataclass(frozen=True, eq=False)
class PlannedCall:
    """A call of an operator, by PyTorch's name. Arguments may be values of the graph, and calls, which stand for their first results."""

    name: str
    arguments: Mapping[str, Any]
    results: int = 1

    def result(self, number: int) -> PlannedResult:
        """One of several results."""
        return PlannedResult(self, number)


@dataclass(frozen=True)
class PlannedResult:
    """A result of a planned call."""

    call: PlannedCall
    number: int


Planned = ir.Value | PlannedCall | PlannedResult


class PlannedOperations(NewOperations):
    """The operations of planned calls, each made once. `like`: a type that results have until theirs are inferred."""

    def __init__(self, round_: Round, candidate: Candidate, outputs: Sequence[Planned], like: ir.Type) -> None:
        super().__init__(round_, candidate, outputs)
        self.like = like
        self.calls: dict[PlannedCall, ir.Operation] = {}

    def value(self, output: Planned, before: AnyOp) -> ir.Value:
        if isinstance(output, ir.Value):
            self.available(output, before)
            return output
        call, number = (output, 0) if isinstance(output, PlannedCall) else (output.call, output.number)
        if call not in self.calls:
            arguments = {n: self.value(a, before) if isinstance(a, Planned) else a for n, a in call.arguments.items()}
            op = self.calls[call] = aten_ops.create(call.name, arguments, [self.like] * call.results)
            self.made.append(op)
            set_types(op, self.round.inference)
        return self.calls[call].results[number]
