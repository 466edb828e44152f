"""Facts about the integers that a kernel's body computes: index expressions, intervals, and what conditions imply."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from torch_mlir import ir

from ...dialects.narrowing import text
from ...dialects.size_bounds import UNKNOWN, Interval
from ..index import index_expr as ie
from ..index.index_expr import Atom, IndexExpr
from ..index.index_substitution import substitute
from ..kernel.kernel_body import BodyStep, KernelBody, Ref
from .inequalities import divided_interval, number_interval

# Predicates of arith.cmpi: eq, ne, then lt, le, gt, ge for signed integers, then the same four for unsigned ones.
EQUAL, NOT_EQUAL, FIRST_SIGNED, FIRST_UNSIGNED = 0, 1, 2, 6
# Sizes multiplied by a number below this are assumed to fit in 64 bits.
SMALL = 2**20
_OPPOSITE = {0: 1, 1: 0, 2: 5, 3: 4, 4: 3, 5: 2, 6: 9, 7: 8, 8: 7, 9: 6}
_SAME = ("arith.index_cast", "arith.extsi", "arith.trunci", "arith.index_castui", "arith.extui")
_ARITHMETIC: dict[str, Callable[[IndexExpr, IndexExpr], IndexExpr]] = {
    "arith.addi": lambda a, b: a + b,
    "arith.subi": lambda a, b: a - b,
    "arith.muli": lambda a, b: a * b,
}
_LOWER, _HIGHER = ("arith.minsi", "arith.minui"), ("arith.maxsi", "arith.maxui")


class IndexValues:
    """The integers of one kernel. An integer that can't be expressed by others becomes a variable `value(n)`; its casts share that
    variable. `of_atom`: the interval of a dimension or symbol."""

    def __init__(self, kernel: KernelBody, of_atom: Callable[[Atom], Interval]) -> None:
        self.kernel, self._of_atom = kernel, of_atom
        self.variables: list[tuple[BodyStep, int]] = []
        self._exprs: dict[Any, IndexExpr] = {}
        self._intervals: dict[Atom, Interval] = {}

    # Expressions.
    def resolved(self, expr: IndexExpr) -> IndexExpr:
        """An index expression of the body, rewritten over dimensions, symbols and this table's variables."""
        if not any(v[0] == "v" for v in expr.variables()):
            return expr
        return substitute(expr, lambda a: self.expr(self.kernel.values[a[1]]) if a[0] == "v" else None, None)

    def expr(self, ref: Ref) -> IndexExpr:
        """An integer of the body as an expression."""
        if isinstance(ref, IndexExpr):
            return self.resolved(ref)
        found = self._exprs.get(ref)
        if found is None:
            found = self._exprs[ref] = self._expr(*ref)
        return found

    def _expr(self, step: BodyStep, number: int) -> IndexExpr:
        limits = _limits(step, number)
        if step.name == "arith.constant" and limits is not None:
            return ie.const(_constant(step))
        if step.name in _SAME and _is_integer(step.operands[0]):
            inner = self.expr(step.operands[0])
            if self._fits(inner, limits) and (not step.name.endswith("ui") or self.interval(inner)[0] >= 0):
                return inner
        if step.name in _ARITHMETIC:
            computed = _ARITHMETIC[step.name](*map(self.expr, step.operands))
            if self._fits(computed, limits):
                return computed
        if step.name in ("arith.floordivsi", "arith.divsi", "arith.divui", "arith.remsi", "arith.remui"):
            divided = self._divided(step)
            if divided is not None:
                return divided
        self.variables.append((step, number))
        return ie.value(len(self.variables) - 1)

    def _divided(self, step: BodyStep) -> IndexExpr | None:
        """A quotient or remainder with a non-negative dividend and a positive constant divisor; None for others."""
        x, c = map(self.expr, step.operands)
        if c.constant is None or c.constant < 1 or (self.interval(x)[0] < 0 and step.name != "arith.floordivsi"):
            return None
        return ie.floordiv(x, c, None) if "div" in step.name else ie.mod(x, c, None)

    def _fits(self, expr: IndexExpr, limits: Interval | None) -> bool:
        """Whether an expression never overflows `limits`. Sizes, dimensions and small multiples of them are assumed to fit in 64 bits."""
        if limits is None:
            return False
        low, high = self.interval(expr)
        if limits[0] <= low and high <= limits[1]:
            return True
        only_sizes = not any(v[0] == "v" for v in expr.variables())
        return limits[1] == 2**63 - 1 and only_sizes and all(abs(k) < SMALL for m, k in expr.terms if m)

    # Numbers.
    def interval(self, expr: IndexExpr) -> Interval:
        """The interval of an expression."""
        return number_interval(expr, self.atom_interval)

    def atom_interval(self, atom: Atom) -> Interval:
        """The interval of an atom."""
        if atom[0] != "v":
            divided = atom[0] in "/%"
            return divided_interval(atom[0], *map(self.interval, atom[1:])) if divided else self._of_atom(atom)
        if atom not in self._intervals:
            step, number = self.variables[atom[1]]
            self._intervals[atom] = _limits(step, number) or UNKNOWN  # a placeholder: no value of a body depends on itself
            self._intervals[atom] = self._variable_interval(step, number)
        return self._intervals[atom]

    def _variable_interval(self, step: BodyStep, number: int) -> Interval:
        limits = _limits(step, number)
        if limits is None:
            return UNKNOWN
        rule = _INTERVALS.get(step.name)
        found = rule(self, step, number) if rule else UNKNOWN
        return (max(found[0], limits[0]), min(found[1], limits[1])) if found[0] <= limits[1] and found[1] >= limits[0] else limits

    def operands(self, step: BodyStep) -> list[Interval]:
        """The intervals of a step's operands."""
        return [self.interval(self.expr(ref)) if _is_integer(ref) else UNKNOWN for ref in step.operands]

    # Conditions.
    def facts(self, ref: Ref | None, holds: bool = True) -> list[IndexExpr]:
        """Expressions that are >= 0 where the condition `ref` is true (`holds`), or where it is false (not `holds`)."""
        if ref is None or isinstance(ref, IndexExpr):
            return []
        step = ref[0]
        if step.name == "arith.constant":
            return [] if bool(_constant(step)) == holds else [ie.MINUS_ONE]
        if step.name == ("arith.andi" if holds else "arith.ori"):
            return [f for operand in step.operands for f in self.facts(operand, holds)]
        if step.name == "arith.xori":
            return self._flipped(step, holds)
        if step.name == "arith.select":
            return self._chosen(step, holds)
        return self._compared(step, holds) if step.name == "arith.cmpi" else []

    def _flipped(self, step: BodyStep, holds: bool) -> list[IndexExpr]:
        for one, other in (step.operands, step.operands[::-1]):
            if isinstance(one, tuple) and one[0].name == "arith.constant":
                return self.facts(other, holds != bool(_constant(one[0])))
        return []

    def _chosen(self, step: BodyStep, holds: bool) -> list[IndexExpr]:
        """select(c, x, false) is true only if c and x are; select(c, true, x) is false only if c and x are."""
        condition, then, otherwise = step.operands
        if self.facts(otherwise, holds) == [ie.MINUS_ONE]:
            return self.facts(condition, True) + self.facts(then, holds)
        if self.facts(then, holds) == [ie.MINUS_ONE]:
            return self.facts(condition, False) + self.facts(otherwise, holds)
        return []

    def _compared(self, step: BodyStep, holds: bool) -> list[IndexExpr]:
        if not all(_is_integer(ref) for ref in step.operands):
            return []
        predicate = _attribute(step, "predicate").value
        predicate = predicate if holds else _OPPOSITE[predicate]
        a, b = map(self.expr, step.operands)
        if predicate >= FIRST_UNSIGNED:
            return self._unsigned(predicate, a, b)
        if predicate == EQUAL:
            return [a - b, b - a]
        return [] if predicate == NOT_EQUAL else [_difference(predicate - FIRST_SIGNED, a, b)]

    def _unsigned(self, predicate: int, a: IndexExpr, b: IndexExpr) -> list[IndexExpr]:
        """Facts of an unsigned comparison: if the larger side is >= 0 as a signed number, so is the smaller one, and the signed comparison
        holds too."""
        kind = predicate - FIRST_UNSIGNED
        lower, larger = (a, b) if kind < 2 else (b, a)
        return [lower, _difference(kind, a, b)] if self.interval(larger)[0] >= 0 else []

    def cases(self, atom: Atom) -> list[tuple[IndexExpr, list[IndexExpr]]]:
        """The two values of a select, minimum or maximum, each with the facts that hold if it is chosen; empty for other variables."""
        step, _ = self.variables[atom[1]]
        if step.name == "arith.select":
            condition, then, otherwise = step.operands
            return [(self.expr(then), self.facts(condition, True)), (self.expr(otherwise), self.facts(condition, False))]
        if step.name in _LOWER + _HIGHER:
            a, b = map(self.expr, step.operands)
            if step.name.endswith("ui") and min(self.interval(a)[0], self.interval(b)[0]) < 0:
                return []
            return [(a, [b - a]), (b, [a - b])] if step.name in _LOWER else [(a, [a - b]), (b, [b - a])]
        return []

    def dims(self, expr: IndexExpr, mask: Ref | None) -> set[int]:
        """The dimensions that an access at `expr` under `mask` depends on."""
        exprs, _ = self._needed(expr, mask)
        return {v[1] for e in exprs for v in e.variables() if v[0] == "d"}

    def is_read(self, expr: IndexExpr) -> bool:
        """Whether an index depends on a load."""
        return any(step.name == "loop.load" for step in self._needed(expr, None)[1])

    def _needed(self, expr: IndexExpr, mask: Ref | None) -> tuple[list[IndexExpr], set[BodyStep]]:
        """The index expressions and steps that an access at `expr` under `mask` depends on."""
        exprs, seen = [expr], set()
        waiting: list[Ref] = [mask] if mask is not None else []
        waiting += [self.variables[v[1]] for v in expr.variables() if v[0] == "v"]
        while waiting:
            ref = waiting.pop()
            if isinstance(ref, IndexExpr):
                exprs.append(ref)
                waiting += [self.kernel.values[v[1]] for v in ref.variables() if v[0] == "v"]
            elif ref[0] not in seen:
                seen.add(ref[0])
                waiting += [*self.kernel.all_uses(ref[0]), *ref[0].coords]
        return exprs, seen


def _difference(kind: int, a: IndexExpr, b: IndexExpr) -> IndexExpr:
    """The expression that is >= 0 exactly where a < b (`kind` 0), a <= b (1), a > b (2) or a >= b (3)."""
    return (b - a - 1, b - a, a - b - 1, a - b)[kind]


def _constant(step: BodyStep) -> int:
    return int(_attribute(step, "value").value)


def _attribute(step: BodyStep, name: str) -> Any:
    return step.origin.attributes[name] if step.created is None else step.created[1][name]


def _type(step: BodyStep, number: int) -> ir.Type:
    return step.created[0] if step.created is not None else step.origin.results[number].type


def _limits(step: BodyStep, number: int) -> Interval | None:
    """The least and greatest signed integer of a step's result; None for floats."""
    type_ = _type(step, number)
    width = type_.width if isinstance(type_, ir.IntegerType) else 64 if isinstance(type_, ir.IndexType) else 0
    return (-(2 ** (width - 1)), 2 ** (width - 1) - 1) if width else None


def _is_integer(ref: Ref) -> bool:
    return isinstance(ref, IndexExpr) or isinstance(_type(*ref), (ir.IntegerType, ir.IndexType))


def _select_interval(values: IndexValues, step: BodyStep, number: int) -> Interval:
    (a, b), (c, d) = values.operands(step)[1:]
    return min(a, c), max(b, d)


def _extremum(choose: Callable[..., Any]) -> Callable[[IndexValues, BodyStep, int], Interval]:
    return lambda values, step, number: tuple(choose(*ends) for ends in zip(*values.operands(step), strict=True))


def _extended(values: IndexValues, step: BodyStep, number: int) -> Interval:
    """The interval of an unsigned cast of a possibly negative integer: every unsigned number of the source's width."""
    operand = step.operands[0]
    limits = None if isinstance(operand, IndexExpr) else _limits(*operand)
    return UNKNOWN if limits is None else (0, limits[1] * 2 + 1)


def _remainder(values: IndexValues, step: BodyStep, number: int) -> Interval:
    """The interval of a remainder, if the divisor is positive."""
    (low, _), (least, most) = values.operands(step)
    if least < 1:
        return UNKNOWN
    return (0 if low >= 0 or step.name.endswith("ui") else 1 - most, most - 1)


def _below_both(values: IndexValues, step: BodyStep, number: int) -> Interval:
    """The interval of an unsigned minimum or a bitwise and: at most each non-negative operand."""
    highs = [high for low, high in values.operands(step) if low >= 0]
    return (0, min(highs)) if highs else UNKNOWN


def _combined(values: IndexValues, step: BodyStep, number: int) -> Interval:
    """The interval of a reduction that selects one of its operands' elements. An empty reduction returns its identity instead."""
    kind = text(step.origin.attributes["kind"])
    filled = all(values.interval(values.kernel.extents[d])[0] >= 1 for d in step.dims)
    if filled and kind in ("max", "min", "argmax", "argmin"):
        return values.operands(step)[number]
    return UNKNOWN


_INTERVALS: dict[str, Callable[[IndexValues, BodyStep, int], Interval]] = {
    "arith.select": _select_interval,
    "arith.minsi": _extremum(min),
    "arith.maxsi": _extremum(max),
    "arith.extui": _extended,
    "arith.index_castui": _extended,
    "arith.remsi": _remainder,
    "arith.remui": _remainder,
    "arith.andi": _below_both,
    "arith.minui": _below_both,
    "loop.reduce": _combined,
    "loop.scan": _combined,
}


def variables_of(exprs: Sequence[IndexExpr]) -> Iterator[Atom]:
    """The variables `value(n)` in expressions, each once."""
    yield from dict.fromkeys(v for e in exprs for v in sorted(e.variables()) if v[0] == "v")
