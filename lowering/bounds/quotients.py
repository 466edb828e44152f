"""Facts about quotients of sizes, which the prover multiplies and adds.

A quotient is an atom `x // c`, or a symbol whose name is the text of a quotient with a divisor that is no number:
`floor(s0/floor(s0/4))`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...dialects.aten import parse_expr
from ...dialects.lazy import sympy
from ..index import index_expr as ie
from ..index import index_maps
from ..index.index_expr import Atom, IndexExpr


class Quotient(NamedTuple):
    """`it` = dividend // divisor."""

    it: IndexExpr
    dividend: IndexExpr
    divisor: IndexExpr


class Fact(NamedTuple):
    """An expression that is >= 0 if all expressions in `if_nonnegative` are."""

    if_nonnegative: tuple[IndexExpr, ...]
    expr: IndexExpr


@functools.lru_cache(maxsize=4096)
def quotient_of(atom: Atom) -> Quotient | None:
    """The quotient that an atom is; None if it is none."""
    if atom[0] == "/":
        return Quotient(ie.of_atom(atom), atom[1], atom[2])
    size = parse_expr(atom[1]) if atom[0] == "s" else None
    if not isinstance(size, sympy.floor):
        return None
    dividend, divisor = sympy.fraction(sympy.together(size.args[0]))
    return Quotient(ie.of_atom(atom), index_maps.from_size(dividend), index_maps.from_size(divisor))


def quotient_facts(atoms: Iterable[Atom]) -> Iterator[Fact]:
    """The facts about the quotients among atoms: each is x // c, so at least 0 if x is, and c times it is at most x and more than x - c;
    x // (c * k) is (x // c) // k."""
    quotients = [found for found in map(quotient_of, atoms) if found]
    for it, x, c in quotients:
        yield Fact((x, c - 1), it)
        yield from _division(it, x, c, ())
        for other in quotients:
            factor = _exact(c, other.divisor) if other.dividend == x else None
            if factor is not None:
                yield from _division(it, other.it, factor, (other.divisor - 1,))


def _division(it: IndexExpr, x: IndexExpr, c: IndexExpr, conditions: tuple[IndexExpr, ...]) -> Iterator[Fact]:
    """The bounds of `it` = x // c."""
    conditions = (c - 1, *conditions)
    yield Fact(conditions, x - it * c)
    yield Fact(conditions, it * c + c - 1 - x)


def _exact(x: IndexExpr, c: IndexExpr) -> IndexExpr | None:
    """x / c if that is an expression other than 1 and x, else None."""
    if len(c.terms) != 1 or c.constant == 1:
        return None
    quotient, rest = ie.split(x, c)
    return None if rest.terms or quotient == ie.ONE else quotient
