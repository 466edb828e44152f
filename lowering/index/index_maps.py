"""Converts index expressions to and from affine maps and sympy sizes."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from torch_mlir import ir

from ...dialects.aten import Size, parse_expr
from ...dialects.lazy import sympy
from . import index_expr as ie
from .index_expr import Atom, IndexExpr, Ranges


@functools.lru_cache(maxsize=4096)
def from_size(size: Size) -> IndexExpr:
    """A size, stride or offset as an expression. Functions other than sums, products, floor and Mod become a symbol named by their
    text."""
    if isinstance(size, int):
        return ie.const(size)
    if size.is_Integer:
        return ie.const(int(size))
    if size.is_Symbol:
        return ie.sym(size.name)
    if size.is_Add:
        return ie.add([from_size(a) for a in size.args])
    if size.is_Mul and not any(a.is_Rational and not a.is_Integer for a in size.args):
        return functools.reduce(ie.multiply, [from_size(a) for a in size.args])
    if size.is_Pow and size.exp.is_Integer and 0 < size.exp < 8:
        return functools.reduce(ie.multiply, [from_size(size.base)] * int(size.exp))
    if isinstance(size, sympy.floor):
        numerator, denominator = sympy.fraction(sympy.together(size.args[0]))
        if denominator.is_Integer and denominator > 0:
            return ie.floordiv(from_size(numerator), int(denominator), None)
    if isinstance(size, sympy.Mod) and size.args[1].is_Integer and size.args[1] > 0:
        return ie.mod(from_size(size.args[0]), int(size.args[1]), None)
    return ie.sym(str(size))


@functools.lru_cache(maxsize=4096)
def to_size(expr: IndexExpr) -> Size:
    """The inverse of `from_size`, for expressions over symbols."""
    total: Size = 0
    for monomial, k in expr.terms:
        term: Size = k
        for kind, *rest in monomial:
            if kind == "s":
                term = term * parse_expr(rest[0])
                continue
            x, c = to_size(rest[0]), to_size(rest[1])
            term = term * (sympy.floor(sympy.sympify(x) / c) if kind == "/" else sympy.Mod(x, c))
        total = total + term
    return total


def from_affine(expr: ir.AffineExpr, dims: Sequence[IndexExpr], symbols: Sequence[IndexExpr], ranges: Ranges | None) -> IndexExpr:
    """`expr` with its dims and symbols replaced by expressions. `ranges`: the ranges of the variables in `dims` and `symbols`."""
    if isinstance(expr, ir.AffineDimExpr):
        return dims[expr.position]
    if isinstance(expr, ir.AffineConstantExpr):
        return ie.const(expr.value)
    if isinstance(expr, ir.AffineSymbolExpr):
        return symbols[expr.position]
    assert isinstance(expr, ir.AffineBinaryExpr), expr
    kind = type(expr)
    a, b = (from_affine(e, dims, symbols, ranges) for e in (expr.lhs, expr.rhs))
    if kind is ir.AffineAddExpr:
        return a + b
    if kind is ir.AffineMulExpr:
        return a * b
    if kind is ir.AffineModExpr:
        return ie.mod(a, b, ranges)
    if kind is ir.AffineFloorDivExpr:
        return ie.floordiv(a, b, ranges)
    assert kind is ir.AffineCeilDivExpr, expr
    return ie.floordiv(a * -1, b, ranges) * -1


class MapBuilder:
    """Makes affine maps that share one growing list of symbols."""

    def __init__(self, symbols: Sequence[str] = ()) -> None:
        self.symbols: list[str] = list(symbols)
        self._positions = {name: i for i, name in enumerate(self.symbols)}

    def add_symbols(self, exprs: Sequence[IndexExpr]) -> None:
        """Adds the symbols of `exprs` to the list of all later maps."""
        for name in sorted({v[1] for e in exprs for v in e.variables() if v[0] == "s"}):
            if name not in self._positions:
                self._positions[name] = len(self.symbols)
                self.symbols.append(name)

    def map(self, exprs: Sequence[IndexExpr]) -> tuple[ir.AffineMap, list[Atom]]:
        """The map to `exprs`, and the variable of each of its dims."""
        variables = sorted({v for e in exprs for v in e.variables() if v[0] != "s"})
        positions = {v: i for i, v in enumerate(variables)}
        results = [self._affine(e, positions) for e in exprs]
        return ir.AffineMap.get(len(variables), len(self.symbols), results), variables

    def domain(self, extents: Sequence[IndexExpr]) -> ir.AffineMap:
        """`()[s0, ...] -> (extents)`"""
        return self.map(extents)[0]

    def _affine(self, expr: IndexExpr, positions: dict[Atom, int]) -> ir.AffineExpr:
        total = None
        for monomial, k in sorted(expr.terms, key=lambda t: (not t[0], t)):
            factors = [self._atom(a, positions) for a in sorted(monomial, key=lambda a: a[0] == "s")]
            term = functools.reduce(ir.AffineExpr.get_mul, factors) if factors else ir.AffineConstantExpr.get(k)
            if factors and k != 1:
                term = ir.AffineExpr.get_mul(term, ir.AffineConstantExpr.get(k))
            total = term if total is None else ir.AffineExpr.get_add(total, term)
        return ir.AffineConstantExpr.get(0) if total is None else total

    def _atom(self, atom: Atom, positions: dict[Atom, int]) -> ir.AffineExpr:
        if atom[0] == "s":
            return ir.AffineSymbolExpr.get(self._positions[atom[1]])
        if atom[0] not in "/%":
            return ir.AffineDimExpr.get(positions[atom])
        x, c = self._affine(atom[1], positions), self._affine(atom[2], positions)
        return (ir.AffineExpr.get_floor_div if atom[0] == "/" else ir.AffineExpr.get_mod)(x, c)
