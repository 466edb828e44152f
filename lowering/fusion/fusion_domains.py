"""Derives the dimensions of one domain from those of another.

Two kernels access the same element of a tensor, each at coordinates over its own dimensions: the equations between these coordinates
relate the domains.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..index import index_expr as ie
from ..index.index_expr import CACHED, IndexExpr, Ranges
from ..index.index_substitution import simplify


@dataclass(frozen=True, slots=True)
class Link:
    """One tensor of `sizes` at coordinates over the guest's dimensions and over the host's."""

    sizes: tuple[IndexExpr, ...]
    guest: tuple[IndexExpr, ...]
    host: tuple[IndexExpr, ...]


@dataclass(frozen=True, slots=True)
class Domain:
    """The dimensions of a group; `reduced`: those that it reduces over."""

    extents: tuple[IndexExpr, ...]
    reduced: frozenset[int]

    @property
    def parallel(self) -> frozenset[int]:
        """The dimensions that are not reduced over."""
        return frozenset(range(len(self.extents))) - self.reduced


@lru_cache(CACHED)
def placed_dimensions(links: tuple[Link, ...], guest: Domain, host: Domain) -> tuple[IndexExpr, ...] | None:
    """The guest's dimensions as expressions over the host's, if the two can be one group over the host's domain; otherwise None."""
    found = fill_dimensions(solve(links, guest.extents, host.extents), guest.extents, host.extents)
    if found is None or not is_affine(found) or _opaque(found):
        return None
    if not all(dims_in([found[d]]) for d in guest.reduced):
        return None
    covered = covers(found, guest.extents, host.extents)
    reduced = dims_in([found[d] for d in guest.reduced])
    if covered == frozenset(range(len(host.extents))):
        if host.reduced and guest.reduced and reduced != host.reduced:
            return None
        if reduced & dims_in([found[d] for d in guest.parallel]):
            return None
    elif covered is None or guest.reduced or not host.reduced or covered != host.parallel:
        return None
    return tuple(found)


def dims_in(coordinates: Iterable[IndexExpr]) -> frozenset[int]:
    """The dimensions that occur in coordinates."""
    return frozenset([v[1] for e in coordinates for v in e.variables() if v[0] == "d"])


def _opaque(coordinates: Iterable[IndexExpr]) -> bool:
    return any(v[0] == "v" for e in coordinates for v in e.variables())


def product(extents: Iterable[IndexExpr]) -> IndexExpr:
    """The number of points of a domain."""
    return _product(tuple(extents))


@lru_cache(CACHED)
def _product(extents: tuple[IndexExpr, ...]) -> IndexExpr:
    total = ie.ONE
    for extent in extents:
        total = total * extent
    return total


def linear(coords: Sequence[IndexExpr], sizes: Sequence[IndexExpr]) -> IndexExpr:
    """The row-major number of the element at `coords`."""
    total = ie.ZERO
    for coord, size in zip(coords, sizes, strict=True):
        total = total * size + coord
    return total


def digits(expr: IndexExpr, extents: Sequence[IndexExpr]) -> list[tuple[int, IndexExpr]] | None:
    """Dimensions and their weights, lowest first, if `expr` numbers the points of some dimensions without gaps: each weight is
    the product of the extents below it. None otherwise."""
    weights: dict[int, IndexExpr] = {}
    for monomial, k in expr.terms:
        dims = [a for a in monomial if a[0] == "d"]
        if len(dims) != 1 or any(a[0] not in "ds" for a in monomial):
            return None
        rest = IndexExpr(((tuple(a for a in monomial if a[0] == "s"), k),))
        weights[dims[0][1]] = weights.get(dims[0][1], ie.ZERO) + rest
    found: list[tuple[int, IndexExpr]] = []
    weight = ie.ONE
    while weights:
        dim = next((d for d, w in weights.items() if w == weight), None)
        if dim is None:
            return None
        del weights[dim]
        found.append((dim, weight))
        weight = weight * extents[dim]
    return found


def solve(links: Sequence[Link], guest: Sequence[IndexExpr], host: Sequence[IndexExpr]) -> list[IndexExpr | None]:
    """Each of the guest's dimensions as an expression over the host's; None if no link determines it."""
    ranges = Ranges(host)
    found: list[IndexExpr | None] = [None] * len(guest)
    for link in links:
        for dim, expr in _solve_link(link, guest, ranges):
            if found[dim] is None:
                found[dim] = expr
    return found


def _solve_link(link: Link, guest: Sequence[IndexExpr], ranges: Ranges) -> list[tuple[int, IndexExpr]]:
    direct = [(c.atom[1], h) for c, h in zip(link.guest, link.host, strict=True) if c.atom is not None and c.atom[0] == "d"]
    if len(direct) == sum(c != ie.ZERO for c in link.guest):
        return direct
    numbered = digits(linear(link.guest, link.sizes), guest)
    if not numbered or product(guest[d] for d, _ in numbered) != product(link.sizes):
        return direct
    number = simplify(linear(link.host, link.sizes), ranges)
    solved = []
    for dim, weight in numbered:
        quotient = ie.floordiv(number, weight, ranges)
        solved.append((dim, quotient if dim == numbered[-1][0] else ie.mod(quotient, guest[dim], ranges)))
    return solved


def covers(coordinates: Sequence[IndexExpr], guest: Sequence[IndexExpr], host: Sequence[IndexExpr]) -> frozenset[int] | None:
    """The host's dimensions that the guest's points cover, each point once; None if they do not."""
    numbered = digits(simplify(linear(coordinates, guest), Ranges(host)), host)
    if numbered is None or product(host[d] for d, _ in numbered) != product(guest):
        return None
    return frozenset(d for d, _ in numbered)


def is_affine(coordinates: Iterable[IndexExpr]) -> bool:
    """Whether no division or remainder occurs."""
    return not any(p.divides for p in coordinates)


def fill_dimensions(coordinates: list[IndexExpr | None], guest: Sequence[IndexExpr], host: Sequence[IndexExpr]) -> list[IndexExpr] | None:
    """Maps the dimensions that no link determines to the host's unused dimensions, in order, if the extents agree."""
    used = {v[1] for p in coordinates if p is not None for v in p.variables() if v[0] == "d"}
    free = [d for d in range(len(host)) if d not in used]
    missing = [d for d, p in enumerate(coordinates) if p is None]
    if [guest[d] for d in missing] != [host[d] for d in free[: len(missing)]]:
        return None
    filled = list(coordinates)
    for dim, host_dim in zip(missing, free, strict=False):
        filled[dim] = ie.dim(host_dim)
    return [p for p in filled if p is not None]
