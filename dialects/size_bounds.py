"""Bounds of a symbolic size, or of a float computed from sizes, by the ranges of its symbols."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from torch_mlir import ir

from .aten import Size, size_of
from .lazy import sympy
from .narrowing import array, entries, named_entries
from .symbolic_floats import function_name

Bound: TypeAlias = "float | Fraction"  # an exact number, or an infinity
Interval: TypeAlias = "tuple[Bound, Bound]"  # lowest and highest value, both included

UNKNOWN: Interval = (-math.inf, math.inf)


def declared_ranges(function: ir.OpView | ir.Operation) -> dict[str, Interval]:
    """The lowest and highest value of each symbol, from the function's `aten.symbols` alone."""
    named = named_entries(function, "aten.symbols")
    ranges = ((entry.name, array(entry.attr)) for entry in named)
    return {name: (int(size_of(bounds[0])), int(size_of(bounds[1]))) for name, bounds in ranges}


def symbol_ranges(function: ir.OpView | ir.Operation) -> dict[str, Interval]:
    """The lowest and highest value of each symbol, from the function's `aten.symbols` and from conditions such as `s0 >= 3` in its
    `aten.requires`."""
    ranges = declared_ranges(function)
    for attribute in entries(function, "aten.requires"):
        condition: Any = size_of(attribute)
        name = str(condition.lhs) if isinstance(condition, sympy.Ge) and condition.rhs.is_Integer else None
        if name in ranges:
            low, high = ranges[name]
            ranges[name] = max(low, int(condition.rhs)), high
    return ranges


def lowest_size(size: Size, function: ir.OpView | ir.Operation) -> Bound:
    """A lower bound of `size`, -inf if there is none; uses `symbol_ranges`."""
    return int(size) if isinstance(size, int) else size_interval(size, symbol_ranges(function))[0]


def size_interval(size: Size, ranges: Mapping[str, Interval]) -> Interval:
    """Bounds of `size`."""
    if isinstance(size, int) or size.is_Integer:
        return int(size), int(size)
    if size.is_Rational:
        return Fraction(size.p, size.q), Fraction(size.p, size.q)
    if size.is_Symbol:
        return ranges.get(size.name, UNKNOWN)
    if function_name(size) in _FLOATS:
        return _FLOATS[function_name(size)]([size_interval(part, ranges) for part in size.args])
    rule = next((rule for kind, rule in _rules().items() if isinstance(size, kind)), None)
    return UNKNOWN if rule is None else rule([size_interval(part, ranges) for part in size.args])


def _rules() -> dict[Any, Callable[[Sequence[Interval]], Interval]]:
    return {
        sympy.Add: lambda parts: (sum(low for low, _ in parts), sum(high for _, high in parts)),
        sympy.Mul: _product,
        sympy.Pow: _power,
        sympy.floor: lambda parts: (_rounded(math.floor, parts[0][0]), _rounded(math.floor, parts[0][1])),
        sympy.ceiling: lambda parts: (_rounded(math.ceil, parts[0][0]), _rounded(math.ceil, parts[0][1])),
        sympy.Mod: _remainder,
        sympy.Max: lambda parts: (max(low for low, _ in parts), max(high for _, high in parts)),
        sympy.Min: lambda parts: (min(low for low, _ in parts), min(high for _, high in parts)),
        sympy.Abs: lambda parts: (max(parts[0][0], -parts[0][1], 0), max(abs(parts[0][0]), abs(parts[0][1]))),
    }


def _quotient(parts: Sequence[Interval]) -> Interval:
    (low, high), (least, most) = parts
    if least <= 0:
        return UNKNOWN
    corners = [0 if math.isinf(b) else a / b for a in (low, high) for b in (least, most)]
    return min(corners), max(corners)


_FLOATS: dict[str | None, Callable[[Sequence[Interval]], Interval]] = {"tofloat": lambda parts: parts[0], "truediv": _quotient}


def _rounded(rounding: Callable[[Bound], int], bound: Bound) -> Bound:
    return bound if math.isinf(bound) else rounding(bound)


def _product(parts: Sequence[Interval]) -> Interval:
    low, high = parts[0]
    for other in parts[1:]:
        corners = [0 if 0 in (a, b) else a * b for a in (low, high) for b in other]
        low, high = min(corners), max(corners)
    return low, high


def _power(parts: Sequence[Interval]) -> Interval:
    (low, high), (exponent, most) = parts
    if exponent != most or exponent < 1 or exponent != int(exponent):
        return UNKNOWN
    corners = _product([(low, high)] * int(exponent))
    return (max(corners[0], 0), corners[1]) if exponent % 2 == 0 else corners


def _remainder(parts: Sequence[Interval]) -> Interval:
    """Bounds of Python's and sympy's `%`, whose result has the divisor's sign."""
    least, most = parts[1]
    return (0, most - 1) if least >= 1 else UNKNOWN
