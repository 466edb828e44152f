"""The proof, for each access of a kernel, that it stays within its buffer."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from torch_mlir import ir

from ...dialects.aten import TensorInfo, symbols_of
from ...dialects.requirements import Condition, at_least, requirements, symbol_sources, without_true
from ...dialects.size_bounds import Interval, symbol_ranges
from ...dialects.size_hints import evaluated, size_hints
from ...dialects.symbolic_floats import is_float_expression
from ..index import index_expr as ie
from ..index import index_maps
from ..index.index_expr import Atom, IndexExpr
from ..index.index_substitution import substitute
from ..kernel.kernel_body import BodyStep, KernelBody
from .index_values import IndexValues, variables_of
from .inequalities import Proof, SymbolFacts

# The kinds of proof: by sizes alone; by a mask in the body, for an index that is read from memory; by a requirement of the graph; by a
# requirement that must be added; none.
STATIC, MASKED, REQUIRED, REQUIRABLE, REFUSED = "proved", "checked", "required", "to be required", "refused"
# The most selects, minima and maxima of an index for which a proof tries both cases.
CHOICES = 6


@dataclass
class Facts:
    """Facts about a graph's symbols: `bare` without its requirements, `full` with them. `equal`: symbols that equal another expression.
    `hints`: the symbols' values while tracing. `asked`: symbols that can be read from the inputs before a call."""

    bare: SymbolFacts
    full: SymbolFacts
    equal: Mapping[str, IndexExpr]
    hints: Mapping[str, int]
    asked: Collection[str]

    @staticmethod
    def of(function: ir.OpView | ir.Operation, more: Sequence[Condition] = ()) -> Facts:
        """The facts of a graph function. `more`: requirements that will be added to it."""
        ranges, equal, facts = symbol_ranges(function), {}, []
        for condition in [*requirements(function), *more]:
            facts += _facts_of(condition)
            if getattr(condition, "rel_op", "") == "==" and condition.lhs.is_Symbol:
                equal[condition.lhs.name] = index_maps.from_size(condition.rhs)
        return Facts(SymbolFacts(ranges), SymbolFacts(ranges, facts), equal, size_hints(function), symbol_sources(function).keys())

    def may_be_required(self, goal: IndexExpr) -> bool:
        """Whether `goal` >= 0 can become a requirement: it held while tracing, and all its symbols can be read from the inputs."""
        size = index_maps.to_size(goal)
        names = {s.name for s in symbols_of([size])}
        return names.issubset(self.asked) and evaluated(size, self.hints) >= 0


def _facts_of(condition: Condition) -> list[IndexExpr]:
    """Expressions that are >= 0 if a condition on sizes holds."""
    if getattr(condition, "rel_op", "!=") == "!=" or any(map(is_float_expression, condition.args)):
        return []
    difference = index_maps.from_size(condition.lhs) - index_maps.from_size(condition.rhs)
    return {
        "==": [difference, difference * -1], ">=": [difference], ">": [difference - 1], "<=": [difference * -1], "<": [difference * -1 - 1],
    }[condition.rel_op]  # fmt: skip


@dataclass
class Findings:
    """The result of proofs: the number of accesses by kind, the conditions on sizes that they need, and the refused accesses with
    reasons."""

    counts: Counter[str] = field(default_factory=Counter)
    conditions: list[Condition] = field(default_factory=list)
    refused: list[tuple[BodyStep, str]] = field(default_factory=list)

    def add(self, other: Findings) -> None:
        """Adds the findings of another kernel."""
        self.counts += other.counts
        self.conditions += other.conditions
        self.refused += other.refused


@dataclass(frozen=True)
class Extent:
    """The number of values that an index of a buffer may have. It is right only if all sizes in `positive` are > 0."""

    count: IndexExpr
    positive: tuple[IndexExpr, ...] = ()


class Accesses:
    """The accesses of one kernel and their proofs."""

    def __init__(self, kernel: KernelBody, facts: Facts) -> None:
        self.kernel, self.facts = kernel, facts
        self.extents = list(kernel.extents)
        self.values = IndexValues(kernel, self._atom_interval)
        self._never_empty = frozenset(d for d, e in enumerate(self.extents) if facts.bare.interval_of(e)[0] >= 1)
        self._proved: set[tuple[IndexExpr, Extent, frozenset[int]]] = set()

    def _atom_interval(self, atom: Atom) -> Interval:
        if atom[0] == "s":
            return self.facts.bare.interval(atom[1])
        return 0, max(self.values.interval(self.extents[atom[1]])[1] - 1, 0)

    def findings(self, inputs: Sequence[Sequence[Extent] | None], outputs: Sequence[Sequence[Extent]]) -> Findings:
        """Proves all accesses. `inputs`, `outputs`: for each buffer, the extent of each index; None: its loads need no proof."""
        found = Findings()
        for step in self.kernel.steps:
            if step.buffer < 0:
                continue
            extents = (inputs if step.name == "loop.load" else outputs)[step.buffer]
            if extents is None:
                continue
            used = self._never_empty_at(step)
            kinds = [self._prove(step, used, coord, extent, found) for coord, extent in zip(step.coords, extents, strict=True)]
            found.counts[max(kinds, key=_STRENGTH.index, default=STATIC)] += 1
        return found

    def _never_empty_at(self, step: BodyStep) -> frozenset[int]:
        """The dimensions that are not empty where an access runs. Hoisting takes it out of loops, even empty ones, that it does not use."""
        if len(self._never_empty) == len(self.extents):
            return self._never_empty
        return self._never_empty.union(*(self.values.dims(self.values.resolved(c), step.mask) for c in step.coords))

    def _prove(self, step: BodyStep, used: frozenset[int], coord: IndexExpr, extent: Extent, found: Findings) -> str:
        """The kind of proof that one index is within its extent. `used`: the dimensions that are not empty."""
        if self._is_plain(coord, extent) or (coord, extent, used) in self._proved:
            return STATIC
        if any(self.extents[d] == ie.ZERO for d in used):  # the access never runs
            return STATIC
        index = self.values.resolved(coord)
        goals = [index, extent.count - 1 - index, *(size - 1 for size in extent.positive)]
        masked = self.values.facts(step.mask)
        for kind, symbols, facts in ((STATIC, self.facts.bare, []), (MASKED, self.facts.bare, masked), (REQUIRED, self.facts.full, masked)):
            if (kind == MASKED and not masked) or (kind == REQUIRED and not symbols.facts):
                continue
            if all(_Goal(self, symbols, used, goal, facts).holds() for goal in goals):
                if kind == STATIC:
                    self._proved.add((coord, extent, used))
                return STATIC if kind == MASKED and not self.values.is_read(index) else kind
        return self._remaining(step, index, extent, [_Goal(self, self.facts.full, used, goal, masked) for goal in goals], found)

    def _is_plain(self, coord: IndexExpr, extent: Extent) -> bool:
        """Whether intervals of numbers alone prove the index; a fast path."""
        if extent.count.constant is None or extent.positive or any(v[0] == "v" for v in coord.variables()):
            return False
        low, high = self.values.interval(coord)
        return low >= 0 and high < extent.count.constant and len(self._never_empty) == len(self.extents)

    def _remaining(self, step: BodyStep, index: IndexExpr, extent: Extent, goals: Sequence[_Goal], found: Findings) -> str:
        """Handles an index without a proof: records the conditions on sizes that would prove it, or refuses the access."""
        conditions: list[IndexExpr] = []
        for goal in goals:
            needed = goal.needs()
            if needed is None:
                what = f"index {index!r} is not proved to lie within the {extent.count!r} elements of buffer {step.buffer}"
                found.refused.append((step, what))
                return REFUSED
            conditions += needed
        found.conditions += without_true(at_least(index_maps.to_size(c), 0) for c in conditions)
        return REQUIRABLE


class _Goal:
    """Proves that `goal` is >= 0 if all `facts` are. `left`: expressions over symbols; if one of them is >= 0, so is the goal."""

    def __init__(
        self, accesses: Accesses, symbols: SymbolFacts, used: Collection[int], goal: IndexExpr, facts: Sequence[IndexExpr]
    ) -> None:
        self.accesses, self.symbols, self.used = accesses, symbols, used
        self.goal, self.facts = goal, list(facts)
        self.left: list[IndexExpr] = []

    def holds(self, choices: int = CHOICES) -> bool:
        """Whether the goal is proved, directly or in both cases of a choice in it."""
        if self._is_proved():
            return True
        cases = self._cases() if choices else []
        return bool(cases) and all(case.holds(choices - 1) for case in cases)

    def needs(self, choices: int = CHOICES) -> list[IndexExpr] | None:
        """Expressions over symbols that were >= 0 while tracing, and that prove the goal if they are >= 0; None if there are none."""
        if self._is_proved():
            return []
        found: list[IndexExpr] = []
        for case in self._cases() if choices else []:
            needed = case.needs(choices - 1)
            if needed is None:
                break
            found += needed
        else:
            if found:
                return found
        held = [left for left in self.left if left.constant is None and self.accesses.facts.may_be_required(left)]
        return held[:1] or None

    def _is_proved(self) -> bool:
        if ie.MINUS_ONE in self.facts:
            return True
        values, equal = self.accesses.values, self.accesses.facts.equal if self.symbols.facts else {}
        if equal:
            self.goal, self.facts = _replaced(self.goal, equal), [_replaced(f, equal) for f in self.facts]
        intervals = {a: values.atom_interval(a) for a in variables_of([self.goal, *self.facts])}
        proof = Proof(self.symbols, self.accesses.extents, self.used, self.facts, intervals)
        self.left = proof.left
        return proof.is_nonnegative(self.goal)

    def _cases(self) -> list[_Goal]:
        """The goal in each case of its first select, minimum or maximum."""
        values = self.accesses.values
        choices = ((atom, values.cases(atom)) for atom in variables_of([self.goal]))
        atom, cases = next((c for c in choices if c[1]), (None, []))
        return [self._in_case(atom, *case) for case in cases] if atom is not None else []

    def _in_case(self, atom: Atom, value: IndexExpr, holds: list[IndexExpr]) -> _Goal:
        """The goal with `atom` replaced by `value`, and with the facts `holds` of that case."""
        goal, *facts = (substitute(e, lambda a: value if a == atom else None, None) for e in [self.goal, *self.facts])
        return _Goal(self.accesses, self.symbols, self.used, goal, [*facts, *holds])


def _replaced(expr: IndexExpr, symbols: Mapping[str, IndexExpr]) -> IndexExpr:
    return substitute(expr, lambda a: symbols.get(a[1]) if a[0] == "s" else None, None)


_STRENGTH = [STATIC, MASKED, REQUIRED, REQUIRABLE, REFUSED]


def flat_extent(info: TensorInfo, symbols: SymbolFacts) -> Extent:
    """The span of a tensor: its last element's offset from the first, plus 1. It lists sizes that must be positive for this to be right."""
    if 0 in info.sizes:
        return Extent(ie.ZERO)
    sizes = extents_of(info)
    parts = [(s.count - 1) * index_maps.from_size(t) for s, t in zip(sizes, info.strides, strict=True)]
    count = ie.add([ie.ONE, *parts])
    if count.constant is not None or count == functools.reduce(ie.multiply, [s.count for s in sizes], ie.ONE):
        return Extent(count)
    return Extent(count, tuple(s.count for s in sizes if symbols.interval_of(s.count)[0] < 1))


def extents_of(info: TensorInfo) -> list[Extent]:
    """The extents of a tensor that is indexed by coordinates."""
    return [Extent(index_maps.from_size(s)) for s in info.sizes]


def view_findings(base: ir.Value, view: ir.OpView, facts: Facts) -> Findings:
    """The proof that a view stays within its base, as if a kernel over the view's sizes loaded every element."""
    given, made = TensorInfo.of(base.type), TensorInfo.of(view.results[0].type)
    offset = index_maps.from_size(made.offset) - index_maps.from_size(given.offset)
    strides = [ie.dim(d) * index_maps.from_size(s) for d, s in enumerate(made.strides)]
    load = BodyStep("loop.load", view, [], 0, (ie.add([offset, *strides]),))
    kernel = KernelBody(("view",), [e.count for e in extents_of(made)], [load])
    return Accesses(kernel, facts).findings([[flat_extent(given, facts.bare)]], [])
