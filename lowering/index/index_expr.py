"""Integer index expressions: sums of coefficient * product of atoms, simplified by the ranges of their variables.

An atom is a variable (`dim`: a dimension of a domain, `value`: an index computed at run time, `sym`: a symbol of the graph), `x // c`
or `x % c`. Arithmetic is exact and divisors are positive. Rewrites that need ranges take a `Ranges`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache, reduce
from typing import Any

CACHED = 1 << 14  # size of each cache of results

Atom = tuple[Any, ...]  # ("d", int) | ("v", int) | ("s", str) | ("/", Expr, Expr) | ("%", Expr, Expr)
Monomial = tuple[Atom, ...]


class IndexExpr:
    """An immutable expression in normal form; equal normal forms compare and hash equal. `divides`: it contains a division or a
    remainder."""

    __slots__ = ("_hash", "divides", "terms")

    def __init__(self, terms: tuple[tuple[Monomial, int], ...]) -> None:
        self.terms = terms
        self._hash = hash(terms)
        self.divides = False
        for monomial, _ in terms:
            for atom in monomial:
                if atom[0] in "/%":
                    self.divides = True

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, IndexExpr) and self._hash == other._hash and self.terms == other.terms)

    def __lt__(self, other: IndexExpr) -> bool:
        return self.terms < other.terms

    def __add__(self, other: IndexExpr | int) -> IndexExpr:
        return plus(self, as_expr(other))

    def __sub__(self, other: IndexExpr | int) -> IndexExpr:
        return plus(self, multiply(as_expr(other), MINUS_ONE))

    def __mul__(self, other: IndexExpr | int) -> IndexExpr:
        return multiply(self, as_expr(other))

    __radd__, __rmul__ = __add__, __mul__

    def __repr__(self) -> str:
        return " + ".join("*".join([str(k)] * (k != 1 or not m) + [_show(a) for a in m]) for m, k in self.terms) or "0"

    @property
    def constant(self) -> int | None:
        """The value of a constant expression, else None."""
        if not self.terms:
            return 0
        return self.terms[0][1] if len(self.terms) == 1 and not self.terms[0][0] else None

    @property
    def atom(self) -> Atom | None:
        """The atom, if the expression is a single atom, else None."""
        if len(self.terms) != 1 or self.terms[0][1] != 1 or len(self.terms[0][0]) != 1:
            return None
        return self.terms[0][0][0]

    def variables(self) -> set[Atom]:
        """All dims, values and symbols in the expression."""
        found: set[Atom] = set()
        for monomial, _ in self.terms:
            for atom in monomial:
                if atom[0] in "/%":
                    found |= atom[1].variables() | atom[2].variables()
                else:
                    found.add(atom)
        return found


def _show(atom: Atom) -> str:
    if atom[0] in "/%":
        return f"(({atom[1]!r}) {atom[0] * (1 + (atom[0] == '/'))} ({atom[2]!r}))"
    return atom[1] if atom[0] == "s" else f"{atom[0]}{atom[1]}"


ZERO, ONE, MINUS_ONE = IndexExpr(()), IndexExpr((((), 1),)), IndexExpr((((), -1),))


def const(value: int) -> IndexExpr:
    """The constant `value`."""
    return IndexExpr((((), value),)) if value else ZERO


@lru_cache(64)
def dim(position: int) -> IndexExpr:
    """Dimension `position` of a domain."""
    return of_atom(("d", position))


def value(number: int) -> IndexExpr:
    """Index number `number` of those computed at run time."""
    return of_atom(("v", number))


def sym(name: str) -> IndexExpr:
    """The symbol `name` of the graph."""
    return of_atom(("s", name))


def as_expr(given: IndexExpr | int) -> IndexExpr:
    """`given` as an expression."""
    return given if isinstance(given, IndexExpr) else const(given)


def of_atom(atom: Atom) -> IndexExpr:
    """An atom as an expression."""
    return IndexExpr((((atom,), 1),))


def _from_terms(terms: dict[Monomial, int], divides: bool) -> IndexExpr:
    if divides:
        _recombine(terms)
    return IndexExpr(tuple(sorted([t for t in terms.items() if t[1]])))


def add(parts: Iterable[IndexExpr]) -> IndexExpr:
    """The sum of `parts`."""
    terms: dict[Monomial, int] = {}
    divides = False
    for part in parts:
        divides |= part.divides
        for monomial, k in part.terms:
            terms[monomial] = terms.get(monomial, 0) + k
    return _from_terms(terms, divides)


@lru_cache(CACHED)
def plus(a: IndexExpr, b: IndexExpr) -> IndexExpr:
    """a + b"""
    if not a.terms or not b.terms:
        return a if not b.terms else b
    return add((a, b))


@lru_cache(CACHED)
def multiply(a: IndexExpr, b: IndexExpr) -> IndexExpr:
    """a * b"""
    if not a.terms or not b.terms:
        return ZERO
    for one, other in ((a, b), (b, a)):
        k = one.constant
        if k == 1:
            return other
        if k is not None:
            return IndexExpr(tuple([(m, j * k) for m, j in other.terms]))
    terms: dict[Monomial, int] = {}
    for m, k in a.terms:
        for n, j in b.terms:
            product = tuple(sorted(m + n)) if m and n else m or n
            terms[product] = terms.get(product, 0) + k * j
    return _from_terms(terms, a.divides or b.divides)


def _recombine(terms: dict[Monomial, int]) -> None:
    """k*c*(x // c) + k*(x % c) -> k*x and k*a*((x // a) % b) + k*(x % a) -> k*(x % (a*b)), in place."""
    for monomial in [m for m in terms if any(a[0] == "%" for a in m)]:
        k = terms.get(monomial, 0)
        if not k:
            continue
        position = next(i for i, a in enumerate(monomial) if a[0] == "%")
        _, x, c = monomial[position]
        rest = IndexExpr(((monomial[:position] + monomial[position + 1 :], k),))
        found = _quotient_of(terms, rest, x, c) or _next_digit_of(terms, rest, x, c)
        if found is None:
            continue
        for m, j in [*((m, -j) for m, j in found[0].terms), (monomial, -k), *found[1].terms]:
            terms[m] = terms.get(m, 0) + j


def _quotient_of(terms: dict[Monomial, int], rest: IndexExpr, x: IndexExpr, c: IndexExpr) -> tuple[IndexExpr, IndexExpr] | None:
    quotient = floordiv(x, c, None)
    if quotient.constant is not None:
        return None
    wanted = multiply(multiply(rest, c), quotient)
    if all(terms.get(m) == j for m, j in wanted.terms):
        return wanted, multiply(rest, x)
    return None


def _next_digit_of(terms: dict[Monomial, int], rest: IndexExpr, x: IndexExpr, a: IndexExpr) -> tuple[IndexExpr, IndexExpr] | None:
    quotient = floordiv(x, a, None)
    for monomial in terms:
        for atom in monomial:
            if atom[0] != "%" or atom[1] != quotient:
                continue
            wanted = multiply(multiply(rest, a), of_atom(atom))
            if all(terms.get(m) == j for m, j in wanted.terms):
                return wanted, multiply(rest, mod(x, multiply(a, atom[2]), None))
    return None


class Ranges:
    """Ranges of the variables: dimension i is in [0, extents[i]); symbols in `nonnegative` are >= 0. A symbol that is an extent, or a
    factor of one, is assumed to be >= 1: otherwise the domain is empty."""

    def __init__(self, extents: Sequence[IndexExpr | int]) -> None:
        self.extents = tuple([as_expr(e) for e in extents])
        self._divided: dict[tuple[IndexExpr, IndexExpr], tuple[IndexExpr, IndexExpr]] = {}

    @cached_property
    def nonnegative(self) -> set[Atom]:
        """The symbols that are >= 0."""
        return {v for e in self.extents for v in e.variables() if v[0] == "s"}

    @cached_property
    def positive(self) -> set[Atom]:
        """The symbols that are >= 1."""
        return {a for e in self.extents if len(e.terms) == 1 for a in e.terms[0][0] if a[0] == "s"}

    def divide(self, x: IndexExpr, c: IndexExpr) -> tuple[IndexExpr, IndexExpr]:
        """(x // c, x % c)"""
        if (x, c) not in self._divided:
            if len(self._divided) > CACHED:
                self._divided.clear()
            self._divided[x, c] = _divide(x, c, self)
        return self._divided[x, c]

    def is_nonnegative(self, expr: IndexExpr) -> bool:
        """True if `expr`, an expression over symbols, is provably >= 0."""
        if expr.constant is not None:
            return expr.constant >= 0
        if any(a[0] != "s" or a not in self.nonnegative for m, _ in expr.terms for a in m):
            return all(k > 0 and all(self._atom_bounds(a)[0] for a in m) for m, k in expr.terms)
        above = {a: of_atom(a) + 1 if a in self.positive else of_atom(a) for m, _ in expr.terms for a in m}
        shifted = add(reduce(multiply, [above[a] for a in m], const(k)) for m, k in expr.terms)
        return all(k > 0 for _, k in shifted.terms)

    def bounds(self, expr: IndexExpr) -> tuple[IndexExpr | None, IndexExpr | None]:
        """The least and greatest value (inclusive) as expressions over symbols; None: unknown."""
        low: list[IndexExpr] | None = []
        high: list[IndexExpr] | None = []
        for monomial, k in expr.terms:
            least, most = self._monomial_bounds(monomial)
            if k < 0:
                least, most = most, least
            low = None if low is None or least is None else [*low, least * k]
            high = None if high is None or most is None else [*high, most * k]
        return None if low is None else add(low), None if high is None else add(high)

    def _monomial_bounds(self, monomial: Monomial) -> tuple[IndexExpr | None, IndexExpr | None]:
        least: IndexExpr = ONE
        most: IndexExpr | None = ONE
        for atom in monomial:
            nonnegative, greatest = self._atom_bounds(atom)
            if not nonnegative:
                return None, None
            is_symbol = atom[0] == "s"
            least = least * of_atom(atom) if is_symbol else ZERO
            most = None if most is None or greatest is None else most * greatest
        return least, most

    def _atom_bounds(self, atom: Atom) -> tuple[bool, IndexExpr | None]:
        """(is >= 0, greatest value)"""
        kind = atom[0]
        if kind == "s":
            return atom in self.nonnegative, of_atom(atom)
        if kind == "d" and atom[1] < len(self.extents):
            return True, self.extents[atom[1]] - 1
        if kind == "%":
            return True, atom[2] - 1
        if kind == "/":
            low, high = self.bounds(atom[1])
            nonnegative = low is not None and self.is_nonnegative(low)
            return nonnegative, None if high is None else floordiv(high, atom[2], self)
        return False, None

    def within(self, expr: IndexExpr, divisor: IndexExpr) -> bool:
        """True if 0 <= expr < divisor is provable."""
        low, high = self.bounds(expr)
        return low is not None and high is not None and self.is_nonnegative(low) and self.is_nonnegative(divisor - 1 - high)


_NO_RANGES = Ranges(())


def floordiv(x: IndexExpr, c: IndexExpr | int, ranges: Ranges | None) -> IndexExpr:
    """x // c for c > 0."""
    return (ranges or _NO_RANGES).divide(x, as_expr(c))[0]


def mod(x: IndexExpr, c: IndexExpr | int, ranges: Ranges | None) -> IndexExpr:
    """x % c for c > 0."""
    return (ranges or _NO_RANGES).divide(x, as_expr(c))[1]


def _divide(x: IndexExpr, c: IndexExpr, ranges: Ranges) -> tuple[IndexExpr, IndexExpr]:
    """(x // c, x % c)"""
    if c.constant == 1:
        return x, ZERO
    if x.constant is not None and c.constant:
        return const(x.constant // c.constant), const(x.constant % c.constant)
    quotient, rest = split(x, c)
    if ranges.within(rest, c):
        return quotient, rest
    if c.constant is None and ranges.within(rest + c, c):
        return quotient - 1, rest + c
    if len(c.terms) > 1:
        quotient, rest = ZERO, x
        if ranges.within(rest, c):
            return quotient, rest
    inner_quotient, inner_rest = _divide_rest(rest, c, ranges)
    return quotient + inner_quotient, inner_rest


def split(x: IndexExpr, c: IndexExpr) -> tuple[IndexExpr, IndexExpr]:
    """q, r with x = q*c + r. All multiples of c's leading term go into q."""
    lead, lead_k = max(c.terms, key=lambda t: (len(t[0]), t))
    quotient: dict[Monomial, int] = {}
    for monomial, k in x.terms:
        left = without_factor(monomial, lead)
        if left is None:
            continue
        part = k // lead_k if not monomial else (k // lead_k if k > 0 else -(-k // lead_k))
        if part:
            quotient[left] = part
    q = _from_terms(quotient, x.divides)
    return q, (x - q * c if quotient else x)


def without_factor(monomial: Monomial, part: Monomial) -> Monomial | None:
    """`monomial` divided by `part`; None if `part` is no factor of it."""
    left = list(monomial)
    for atom in part:
        if atom not in left:
            return None
        left.remove(atom)
    return tuple(left)


def _divide_rest(x: IndexExpr, c: IndexExpr, ranges: Ranges) -> tuple[IndexExpr, IndexExpr]:
    for g in _common_factors(x, c):
        big, small = split(x, g)
        if ranges.within(small, g):
            quotient, rest = ranges.divide(big, split(c, g)[0])
            return quotient, rest * g + small
    atom = x.atom
    if atom is not None and atom[0] == "/":
        divisor = atom[2] * c
        if ranges.within(x, c):
            return ZERO, x
        return floordiv(atom[1], divisor, ranges), of_atom(("%", x, c))
    if atom is not None and atom[0] == "%":
        factor, left = split(atom[2], c)
        if not left.terms:
            inner = ranges.divide(atom[1], c)
            return mod(inner[0], factor, ranges), inner[1]
    return of_atom(("/", x, c)), of_atom(("%", x, c))


def _shared(lead: Monomial, monomial: Monomial) -> Monomial:
    """The common atoms of `lead` and `monomial`, each as often as both have it."""
    left, shared = list(monomial), []
    for atom in lead:
        if atom in left:
            left.remove(atom)
            shared.append(atom)
    return tuple(shared)


def _common_factors(x: IndexExpr, c: IndexExpr) -> list[IndexExpr]:
    """The factors of c that divide at least one term of x, largest first."""
    if len(c.terms) != 1:
        return []
    lead, lead_k = c.terms[0]
    found = set()
    for monomial, k in x.terms:
        if not monomial:
            continue
        shared = _shared(lead, monomial)
        factor = math.gcd(k, lead_k)
        if (shared or factor > 1) and (shared, factor) != (lead, lead_k):
            found.add((shared, factor))
    return [IndexExpr((f,)) for f in sorted(found, key=lambda f: (len(f[0]), f[1]), reverse=True)]
