"""Proves that an index expression is never negative, from facts: expressions that are never negative.

A proof eliminates one atom of the goal after the other: it subtracts a fact that bounds the atom, multiplied by the atom's coefficient. The
remaining goal has symbols only, and is tested with their ranges. All numbers are integers: if p > 0, then p * g + p - 1 >= 0 implies g >=
0.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from ...dialects.aten import parse_expr
from ...dialects.lazy import sympy
from ...dialects.size_bounds import UNKNOWN, Bound, Interval, size_interval
from ..index import index_expr as ie
from ..index import index_maps
from ..index.index_expr import Atom, IndexExpr, Monomial, Ranges
from .quotients import quotient_facts, quotient_of

# The most goals of one proof; true goals need about a dozen.
STEPS = 300
# The most facts that a proof over symbols uses one after the other.
DEPTH = 3
# A bound beyond this is useless: it comes from the largest possible size.
FAR = 2**48


class SymbolFacts:
    """What is known of the graph's symbols: `ranges` by name, `facts`: expressions over symbols that are not negative."""

    def __init__(self, ranges: Mapping[str, Interval], facts: Sequence[IndexExpr] = ()) -> None:
        self.ranges, self.facts = ranges, tuple(facts)
        self._intervals: dict[str, Interval] = {}
        self._structural: dict[str, list[IndexExpr]] = {}
        self._proved: dict[tuple[IndexExpr, tuple[IndexExpr, ...], int], bool] = {}

    def interval(self, name: str) -> Interval:
        """The interval of a symbol. A symbol's name may be the text of an expression."""
        found = self.ranges.get(name) or self._intervals.get(name)
        if found is None:
            size = parse_expr(name)
            found = UNKNOWN if size.is_Symbol else size_interval(size, self.ranges)
            quotient = quotient_of(("s", name)) if found == UNKNOWN else None
            if quotient:
                found = divided_interval("/", self.interval_of(quotient.dividend), self.interval_of(quotient.divisor))
            self._intervals[name] = found
        return found

    def facts_of(self, name: str) -> list[IndexExpr]:
        """Facts about a symbol whose name is a Max or Min: it is at least, or at most, each of its arguments, and equals one that is at
        least, or at most, the others by the symbols' ranges."""
        if name in self.ranges:
            return []
        if name not in self._structural:
            size = parse_expr(name)
            sign = 1 if isinstance(size, sympy.Max) else -1 if isinstance(size, sympy.Min) else 0
            parts = [index_maps.from_size(part) for part in size.args] if sign else []
            found = [(ie.sym(name) - part) * sign for part in parts]
            extreme = [p for p in parts if all(self.interval_of((p - q) * sign)[0] >= 0 for q in parts)]
            self._structural[name] = found + [(part - ie.sym(name)) * sign for part in extreme]
        return self._structural[name]

    def _facts_of_atoms(self, goal: IndexExpr, facts: Sequence[IndexExpr], depth: int) -> Iterator[IndexExpr]:
        """Facts about the quotients, remainders, maxima and minima in a goal."""
        atoms = sorted({a for m, _ in goal.terms for a in m})
        for atom in atoms:
            if atom[0] == "s":
                yield from self.facts_of(atom[1])
            elif atom[0] == "%" and self.is_nonnegative(atom[2] - 1, facts, depth):
                yield from (ie.of_atom(atom), atom[2] - 1 - ie.of_atom(atom))
        for fact in quotient_facts(a for a in atoms if a[0] == "/" or (a[0] == "s" and a[1] not in self.ranges)):
            if all(self.is_nonnegative(e, facts, depth) for e in fact.if_nonnegative):
                yield fact.expr

    def is_nonnegative(self, goal: IndexExpr, facts: Sequence[IndexExpr] = (), depth: int = DEPTH) -> bool:
        """Whether an expression over symbols is surely not negative."""
        if goal.constant is not None:
            return goal.constant >= 0
        goal = tightened(goal)
        if self._is_shifted_nonnegative(goal) or self.interval_of(goal)[0] >= 0:
            return True
        if not depth:
            return False
        key = (goal, tuple(facts), depth)
        if key not in self._proved:
            known = dict.fromkeys(map(tightened, [*facts, *self.facts, *self._facts_of_atoms(goal, facts, depth - 1)]))
            rests = (rest for fact in known for rest in self._reduced(goal, fact, facts, depth - 1))
            self._proved[key] = any(self.is_nonnegative(rest, facts, depth - 1) for rest in rests)
        return self._proved[key]

    def _reduced(self, goal: IndexExpr, fact: IndexExpr, facts: Sequence[IndexExpr], depth: int) -> Iterator[IndexExpr]:
        """The goal minus a non-negative multiple of the fact that cancels one of its terms, for each such term. If the term's coefficient
        is no multiple of the fact's, the goal is multiplied first, in the first step alone: m * g + m - 1 >= 0 implies g >= 0."""
        for monomial, k in fact.terms:
            for term, j in goal.terms if monomial else ():
                fits = j % k == 0 or depth == DEPTH - 1
                left = ie.without_factor(term, monomial) if k * j > 0 and fits else None
                if left is not None and all(self.is_nonnegative(ie.of_atom(a), facts, depth) for a in left):
                    times = abs(k) // math.gcd(j, k)
                    yield goal * times + (times - 1) - fact * IndexExpr(((left, j * times // k),))

    def _is_shifted_nonnegative(self, goal: IndexExpr) -> bool:
        """The same test after each symbol is written as its lowest value plus a non-negative number."""
        total: dict[Monomial, int] = {}
        for monomial, k in goal.terms:
            product = ie.const(k)
            for atom in monomial:
                low = self._atom_interval(atom)[0]
                if low < 0 or low != int(low):
                    return False
                product = product * (ie.of_atom(atom) + int(low))
            for m, j in product.terms:
                total[m] = total.get(m, 0) + j
        return all(k >= 0 for k in total.values())

    def interval_of(self, expr: IndexExpr) -> Interval:
        """The interval of an expression over symbols."""
        return number_interval(expr, self._atom_interval)

    def _atom_interval(self, atom: Atom) -> Interval:
        if atom[0] == "s":
            return self.interval(atom[1])
        return divided_interval(atom[0], self.interval_of(atom[1]), self.interval_of(atom[2])) if atom[0] in "/%" else UNKNOWN


def number_interval(expr: IndexExpr, of_atom: Callable[[Atom], Interval]) -> Interval:
    """The interval of an expression, from those of its atoms."""
    low: Bound = 0
    high: Bound = 0
    for monomial, k in expr.terms:
        least: Bound = k
        most: Bound = k
        for atom in monomial:
            corners = [0 if 0 in (a, b) else a * b for a in (least, most) for b in of_atom(atom)]
            least, most = min(corners), max(corners)
        low, high = low + least, high + most
    return low, high


def tightened(expr: IndexExpr) -> IndexExpr:
    """An expression that is >= 0 exactly if `expr` is: its coefficients have no common factor, and its constant is rounded down."""
    common = math.gcd(*(k for m, k in expr.terms if m))
    return IndexExpr(tuple((m, k // common) for m, k in expr.terms if k // common)) if common > 1 else expr


def is_over_symbols(expr: IndexExpr) -> bool:
    """Whether all variables of an expression are symbols."""
    return all(v[0] == "s" for v in expr.variables())


class Proof:
    """Proves goals over the dimensions of a domain, computed indices and symbols. `extents`: the domain's; the dimensions `used` are known
    not to be empty. `facts`: further facts; `intervals`: of computed indices, by atom."""

    def __init__(
        self,
        symbols: SymbolFacts,
        extents: Sequence[IndexExpr],
        used: Collection[int],
        facts: Sequence[IndexExpr],
        intervals: Mapping[Atom, Interval],
    ) -> None:
        self.symbols, self.extents, self.intervals = symbols, extents, intervals
        over_symbols = [f for f in facts if is_over_symbols(f)]
        self.symbol_facts = [*over_symbols, *(tightened(extents[d] - 1) for d in sorted(used) if extents[d].constant is None)]
        self.symbol_facts += self._positive_factors()
        self.facts = [f for f in facts if f not in over_symbols]
        self.ranges = _KnownRanges(extents, self)
        self.left: list[IndexExpr] = []  # goals over symbols alone that were not proved
        self._seen: dict[IndexExpr, bool] = {}

    def is_nonnegative(self, goal: IndexExpr) -> bool:
        """Whether the goal is proved."""
        if self.interval(goal)[0] >= 0:
            return True
        if goal in self._seen:
            return self._seen[goal]
        if len(self._seen) > STEPS:
            return False
        self._seen[goal] = False  # until it is proved: a goal must not prove itself
        self._seen[goal] = proved = self._prove(goal)
        return proved

    def _positive_factors(self) -> list[IndexExpr]:
        """From each fact that a product is positive, that its factors are, if none of them is negative."""
        products = [f.terms for f in self.symbol_facts if len(f.terms) == 2 and f.terms[0] == ((), -1) and f.terms[1][1] == 1]
        factors = (m for _, (m, _) in products if len(m) > 1)
        known = ([ie.of_atom(a) for a in m] for m in factors)
        return [f - 1 for found in known if all(self.symbols.is_nonnegative(f, self.symbol_facts) for f in found) for f in found]

    def _prove(self, goal: IndexExpr) -> bool:
        if goal.divides and is_over_symbols(goal) and self.symbols.is_nonnegative(goal, self.symbol_facts):
            return True
        atom = max((a for m, _ in goal.terms for a in m if a[0] != "s"), key=_rank, default=None)
        if atom is None:
            if self.symbols.is_nonnegative(goal, self.symbol_facts):
                return True
            self.left.append(goal)
            return False
        k, rest = _linear(goal, atom)
        if k is None:
            return False
        sign = self._sign(k)
        if not sign:
            return False
        news = (new for fact in self._bounds(atom, sign) for new in self._without(goal, atom, k * sign, sign, fact))
        proved = any(map(self.is_nonnegative, news))
        if not proved and is_over_symbols(goal):
            self.left.append(goal)  # a quotient may be exact in each call, as that of a view's sizes is
        return proved

    def _without(self, goal: IndexExpr, atom: Atom, k: IndexExpr, sign: int, fact: IndexExpr) -> Iterable[IndexExpr]:
        """The goals without `atom`, whose coefficient in the goal is sign * k, by a fact in which it is sign * p."""
        p = _linear(fact, atom)[0]
        if p is None:
            return
        p = p * sign
        if p == ie.ONE:
            yield goal - fact * k
        elif p.constant is not None and p.constant > 1 and k.constant is not None and k.constant % p.constant == 0:
            yield goal - fact * (k.constant // p.constant)
        elif self.symbols.is_nonnegative(p - 1, self.symbol_facts):
            yield goal * p + p - 1 - fact * k

    def _sign(self, k: IndexExpr) -> int:
        """1 if a factor is never negative, -1 if it is never positive, else 0."""
        low, high = self.interval(k)
        if low >= 0 or high <= 0:
            return 1 if low >= 0 else -1
        only_symbols = is_over_symbols(k)
        if only_symbols and self.symbols.is_nonnegative(k, self.symbol_facts):
            return 1
        return -1 if only_symbols and self.symbols.is_nonnegative(k * -1, self.symbol_facts) else 0

    def _bounds(self, atom: Atom, sign: int) -> Iterable[IndexExpr]:
        """Facts that bound an atom: from below for sign 1, from above for -1."""
        for fact in self.facts:
            k = _linear(fact, atom)[0]
            if k is not None and k.terms and self._sign(k) == sign:
                yield fact
        yield from self._own_bounds(atom, sign)

    def _remainder_bounds(self, dim: Atom, sign: int) -> Iterable[IndexExpr]:
        """From a fact r + k * (x % c) >= 0 with k = sign, a lower (sign 1) or upper (-1) bound of x: the multiple of c at or below its
        known bound, minus k * r."""
        for fact in self.facts:
            for remainder in {a for m, _ in fact.terms for a in m if a[0] == "%"}:
                x, c = remainder[1], remainder[2]
                k, rest = _linear(fact, remainder)
                bound = self.ranges.bounds(x)[0 if sign > 0 else 1]
                if k == ie.const(sign) and bound is not None and _linear(x, dim)[0] == ie.ONE and self.symbols.is_nonnegative(c - 1):
                    yield (x - ie.floordiv(bound, c, self.ranges) * c) * sign + rest

    def _own_bounds(self, atom: Atom, sign: int) -> Iterable[IndexExpr]:
        it = ie.of_atom(atom)
        low, high = self.atom_interval(atom)
        bound = low if sign > 0 else high
        if -FAR < bound < FAR:
            yield (it - int(bound)) * sign
        if atom[0] == "d":
            yield it if sign > 0 else self.extents[atom[1]] - 1 - it
            yield from self._remainder_bounds(atom, sign)
        if atom[0] in "/%" and not self.symbols.is_nonnegative(atom[2] - 1, self.symbol_facts):
            return
        if atom[0] == "%":
            yield it if sign > 0 else atom[2] - 1 - it
        elif atom[0] == "/":
            yield from self._quotient_bounds(it, atom[1], atom[2], sign)

    def _quotient_bounds(self, it: IndexExpr, x: IndexExpr, c: IndexExpr, sign: int) -> Iterable[IndexExpr]:
        least, most = self.ranges.bounds(x)
        for bound in (least if sign > 0 else most, *self._known_bounds(x, sign)):
            if bound is not None:
                yield (it - ie.floordiv(bound, c, self.ranges)) * sign
        yield it * c + c - 1 - x if sign > 0 else x - it * c

    def _known_bounds(self, x: IndexExpr, sign: int) -> Iterable[IndexExpr]:
        """Lower (sign 1) or upper (-1) bounds of an expression over symbols alone, one from each suitable fact."""
        for fact in self.facts:
            bound = x - fact * sign
            if is_over_symbols(bound):
                yield bound

    # Numbers.
    def interval(self, expr: IndexExpr) -> Interval:
        """The interval of an expression."""
        return number_interval(expr, self.atom_interval)

    @functools.cache  # noqa: B019  (a proof is short-lived)
    def atom_interval(self, atom: Atom) -> Interval:
        """The interval of an atom."""
        kind = atom[0]
        if kind == "s":
            return self.symbols.interval(atom[1])
        if kind == "d":
            return 0, max(self.interval(self.extents[atom[1]])[1] - 1, 0)
        if kind == "v":
            return self.intervals.get(atom, UNKNOWN)
        return divided_interval(kind, self.interval(atom[1]), self.interval(atom[2]))


def divided_interval(kind: str, dividend: Interval, divisor: Interval) -> Interval:
    """The interval of x // c (kind "/") or x % c ("%"), from those of x and c; c is positive."""
    (low, high), (least, most) = dividend, divisor
    if least < 1:
        return UNKNOWN
    if kind == "%":
        return (low, high) if low >= 0 and high < least else (0, min(most - 1, high) if low >= 0 else most - 1)
    corners = [_quotient(a, b) for a in (low, high) for b in (least, most)]
    return min(corners), max(corners)


def _quotient(a: Bound, b: Bound) -> Bound:
    if math.isinf(a):
        return a
    return (0 if a >= 0 else -1) if math.isinf(b) else a // b


def _rank(atom: Atom) -> tuple[int, int, str]:
    """The order of elimination, the largest first: quotients and remainders, nested ones before others; then computed indices, dimensions,
    quotients of symbols."""
    kind = 0 if all(v[0] == "s" for v in ie.of_atom(atom).variables()) else 1 + "dv%/".index(atom[0])
    return (kind, _depth(atom), repr(atom[1]))


def _depth(atom: Atom) -> int:
    inner = (a for e in atom[1:] for m, _ in e.terms for a in m) if atom[0] in "/%" else ()
    return 1 + max(map(_depth, inner), default=0)


def _linear(expr: IndexExpr, atom: Atom) -> tuple[IndexExpr | None, IndexExpr]:
    """k and rest, with expr = k * atom + rest; k is None if a power of the atom occurs."""
    factor, rest = [], []
    for monomial, k in expr.terms:
        if atom not in monomial:
            rest.append((monomial, k))
            continue
        left = list(monomial)
        left.remove(atom)
        if atom in left:
            return None, expr
        factor.append((tuple(left), k))
    return IndexExpr(tuple(sorted(factor))), IndexExpr(tuple(rest))


class _KnownRanges(Ranges):
    """Ranges of dimensions that use all that is known of the symbols."""

    def __init__(self, extents: Sequence[IndexExpr], proof: Proof) -> None:
        super().__init__(extents)
        self.proof = proof

    def is_nonnegative(self, expr: IndexExpr) -> bool:
        """True if `expr`, an expression over symbols, is provably >= 0."""
        if not is_over_symbols(expr):
            return self.proof.interval(expr)[0] >= 0
        return self.proof.symbols.is_nonnegative(expr, self.proof.symbol_facts)

    def _atom_bounds(self, atom: Atom) -> tuple[bool, IndexExpr | None]:
        if atom[0] == "s":
            return self.proof.symbols.interval(atom[1])[0] >= 0, ie.of_atom(atom)
        if atom[0] == "v":
            low, high = self.proof.atom_interval(atom)
            return low >= 0, ie.const(int(high)) if math.isfinite(high) else None
        return super()._atom_bounds(atom)
