"""Matches of patterns that are text, and the operations that replace them: those of the pattern's replacement, with this match's sizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from torch_mlir import ir

from ....dialects import aten, aten_ops, aten_values
from ....dialects.aten import Size, TensorInfo
from ....dialects.lazy import sympy
from ....dialects.narrowing import AnyOp, maker
from ....errors import UserPassFailed
from ...analysis.refused import Refused
from ...refresh_metadata import set_types
from .candidates import Candidate
from .new_operations import NewOperations
from .pattern_conversion import block_of, is_open
from .pattern_matching import Match, compare_match, substitute_size

if TYPE_CHECKING:
    from .pattern_rewriting import Round


@dataclass(eq=False)
class TextCandidate(Candidate):
    """A match of a pattern."""

    match: Match

    @property
    def name(self) -> str:
        return self.match.name

    @property
    def operations(self) -> list[ir.Operation]:
        return self.match.operations

    @property
    def exclusive(self) -> dict[str, ir.Value]:
        return {name: self.match.inputs[name] for name in self.match.parsed.pattern.exclusive}

    def compare(self, equal: Callable[[Size, Size], bool]) -> None:
        compare_match(self.match, equal)

    def results(self) -> list[ir.Value]:
        return self.match.results()

    def accepted(self) -> bool:
        """What the pattern's check returns. Raises UserPassFailed if it raises."""
        check = self.match.parsed.pattern.check
        try:
            return check is None or bool(check(self.match))
        except Exception as error:
            hint = ": a size that is not known is an expression, check isinstance(size, int) first" if "Relational" in str(error) else ""
            raise UserPassFailed(f"pattern {self.name!r}: its extra_check raised {type(error).__name__}: {error}{hint}") from error

    def replacement(self, round_: Round) -> NewOperations:
        return _TextOperations(round_, self)


class _TextOperations(NewOperations):
    """Copies of the operations in a pattern's replacement; its outputs are values of the text."""

    def __init__(self, round_: Round, candidate: TextCandidate) -> None:
        self.match = candidate.match
        block = block_of(self.match.parsed.replace)
        super().__init__(round_, candidate, list(list(block.operations)[-1].operands))
        self.values: dict[ir.Value, ir.Value] = dict(zip(block.arguments, self.match.inputs.values(), strict=False))
        self.device = next((TensorInfo.of(v.type).device for v in self.match.inputs.values() if TensorInfo.of(v.type).rank), "cpu")

    def value(self, output: ir.Value, before: AnyOp) -> ir.Value:
        if output not in self.values:
            template = maker(output)
            for operand in template.operands:
                self.value(operand, before)
            self._operation(template)
        found = self.values[output]
        self.available(found, before)
        return found

    def _operation(self, template: AnyOp) -> None:
        attributes = {n: self._attribute(template.attributes[n], n, template) for n in template.attributes}
        operands = [self.values[v] for v in template.operands]
        types = [r.type for r in template.results]
        op = ir.Operation.create(template.name, results=types, operands=operands, attributes=attributes)
        self.made.append(op)
        if aten_ops.is_operator(op):
            set_types(op, self.round.inference)
        self.values.update(zip(template.results, op.results, strict=True))

    def _attribute(self, attribute: ir.Attribute, name: str, template: AnyOp) -> ir.Attribute:
        if not is_open(attribute):
            return attribute
        if isinstance(attribute, ir.ArrayAttr):
            return ir.ArrayAttr.get([self._attribute(a, name, template) for a in attribute])
        if isinstance(attribute, aten.Enum):
            return aten.Enum.get(ir.StringAttr.get("device"), ir.StringAttr.get(self.device))
        value = self._number(aten.size_of(attribute))
        if template.name == "aten.number":
            return aten_values.encode_number(value)
        argument = next(a for a in aten_ops.schema(template).arguments if a.name == name)
        return aten_values.encode(value, argument)

    def _number(self, expression: Any) -> Any:
        names = {str(s) for s in expression.free_symbols}
        if not names & set(self.match.parsed.scalars):
            return substitute_size(expression, self.match.sizes)
        if expression.is_Symbol:
            return self.match.scalars[str(expression)]
        values = {**self.match.sizes, **self.match.scalars}
        given = [values[n] for n in sorted(names)]
        if not all(isinstance(v, (int, float)) for v in given):
            raise Refused(f"{expression} of symbolic numbers")
        try:
            return float(sympy.lambdify(sorted(names), expression, "math")(*given))
        except (ZeroDivisionError, OverflowError, ValueError) as error:
            raise Refused(f"{expression}: {error}") from error
