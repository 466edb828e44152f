"""Writes sizes with quotients of negative numbers as sizes with quotients of numbers that are not negative, as the prover's facts ask:
-9 // 4 as -1 - 8 // 4."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy

_ROUNDS = 3


def without_negative_dividends(size: sympy.Expr, traced: Mapping[sympy.Symbol, int]) -> sympy.Expr:
    """An expression that equals `size` for all values of its symbols. It is another one only if one of them is negative in `traced`, the
    values in the traced call.

    What is negative there and is divided by a number c > 0 is written by its opposite: `floor(x/c)` as `-1 - floor((-x - 1)/c)`,
    `Mod(x, c)` as `x + c + c*floor((-x - 1)/c)`, `ceiling(x/c)` as `-floor(-x/c)`. So are maxima and minima that are negative there:
    `Max(x, y)` as `-Min(-x, -y)`. A size with symbols that are not in `traced` stays as it is."""
    symbols = size.free_symbols
    if not symbols <= traced.keys() or all(traced[s] >= 0 for s in symbols):
        return size
    for _ in range(_ROUNDS):  # sympy takes whole numbers out of a new quotient, after which its dividend may be negative
        size = _rewritten(size, traced)
    return size


def _rewritten(size: Any, traced: Mapping[sympy.Symbol, int]) -> Any:
    if not size.args:
        return size
    parts = [_rewritten(part, traced) for part in size.args]
    if isinstance(size, (sympy.floor, sympy.ceiling)):
        dividend, divisor = sympy.fraction(sympy.together(parts[0]))
        if divisor.is_Integer and dividend.xreplace(traced) < 0:
            return -1 - sympy.floor((-dividend - 1) / divisor) if isinstance(size, sympy.floor) else -sympy.floor(-dividend / divisor)
    elif isinstance(size, sympy.Mod):
        dividend, divisor = parts
        if divisor.is_Integer and divisor > 0 and dividend.xreplace(traced) < 0:
            return dividend + divisor + divisor * sympy.floor((-dividend - 1) / divisor)  # sympy writes Mod(-x, 4) as Mod(3*x, 4)
    elif isinstance(size, (sympy.Max, sympy.Min)) and size.xreplace(traced) < 0:
        opposite = sympy.Min if isinstance(size, sympy.Max) else sympy.Max
        return -opposite(*(-part for part in parts))
    return size.func(*parts)
