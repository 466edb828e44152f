"""Replaces the variables of an index expression by expressions or numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .index_expr import ZERO, Atom, IndexExpr, Ranges, add, const, floordiv, mod, multiply, of_atom


def substitute(expr: IndexExpr, replacement: Callable[[Atom], IndexExpr | None], ranges: Ranges | None) -> IndexExpr:
    """Replaces every variable for which `replacement` returns an expression, and simplifies. `ranges`: the ranges of the new variables."""
    parts = []
    for monomial, k in expr.terms:
        product = const(k)
        for atom in monomial:
            product = multiply(_substitute_atom(atom, replacement, ranges), product)
        parts.append(product)
    return add(parts) if len(parts) > 1 else parts[0] if parts else ZERO


def _substitute_atom(atom: Atom, replacement: Callable[[Atom], IndexExpr | None], ranges: Ranges | None) -> IndexExpr:
    if atom[0] in "/%":
        x, c = substitute(atom[1], replacement, ranges), substitute(atom[2], replacement, ranges)
        return (floordiv if atom[0] == "/" else mod)(x, c, ranges)
    new = replacement(atom)
    return of_atom(atom) if new is None else new


def substitute_dims(expr: IndexExpr, dims: Sequence[IndexExpr], ranges: Ranges | None) -> IndexExpr:
    """Replaces dimension i by dims[i]."""
    atom = expr.atom
    if atom is not None and atom[0] == "d":
        return dims[atom[1]] if atom[1] < len(dims) else expr
    return substitute(expr, lambda a: dims[a[1]] if a[0] == "d" and a[1] < len(dims) else None, ranges)


def simplify(expr: IndexExpr, ranges: Ranges) -> IndexExpr:
    """`expr` with its divisions and remainders simplified by `ranges`."""
    return substitute(expr, lambda atom: None, ranges) if expr.divides else expr


def evaluate(expr: IndexExpr, variables: Mapping[Atom, int]) -> int:
    """The value of `expr` under an assignment of its variables."""
    total = 0
    for monomial, k in expr.terms:
        for atom in monomial:
            if atom[0] == "/":
                k *= evaluate(atom[1], variables) // evaluate(atom[2], variables)
            elif atom[0] == "%":
                k *= evaluate(atom[1], variables) % evaluate(atom[2], variables)
            else:
                k *= variables[atom]
        total += k
    return total
