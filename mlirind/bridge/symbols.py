"""Converts PyTorch's symbolic integers to the expressions of `dialects.aten` (sympy's own floor, Mod, Max, Min over integer symbols), and
its symbolic floats to those of `dialects.symbolic_floats`. A float that is rounded to an integer (`int(0.7 * n)`) is no such expression: a
symbol of its own stands for the integer (`RoundedFloat`). A float from data is made of its bits (`bits_symbol`)."""

from __future__ import annotations

import functools
import hashlib
import struct
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import sympy
import torch

from ..dialects import aten
from ..dialects.aten import Size
from ..dialects.symbolic_floats import FROM_BITS, UNARY, function, is_float_expression
from ..errors import UnsupportedGraph
from ..torch_internals.fx_graphs import is_size_symbol, is_unbacked_float_symbol, is_unbacked_symbol
from .quotient_signs import without_negative_dividends

# The assumed value of a size for which PyTorch has no example.
UNBACKED_HINT = 1024
# PyTorch assumes that an unbacked size is neither 0 nor 1. An unbacked number that is no size may be any.
LEAST = 2


def _floor_of_quotient(dividend: sympy.Expr, divisor: sympy.Expr) -> sympy.Expr:
    """sympy leaves the floor out for `a * (2*b + 2) / 2`, an integer with a fraction in it; expanded, that has none."""
    floor = sympy.floor(dividend / divisor)
    return floor if floor.as_coeff_Mul()[0].is_Integer else sympy.expand(floor)


# PyTorch's sympy functions by name.
_FUNCTIONS: dict[str, Callable[..., sympy.Expr]] = {
    "FloorDiv": _floor_of_quotient,
    "CleanDiv": _floor_of_quotient,
    "CeilDiv": lambda a, b: sympy.ceiling(a / b),
    "IntTrueDiv": function("truediv"),
    "FloatTrueDiv": function("truediv"),
    "FloatPow": function("fpow"),
    "ToFloat": function("tofloat"),
    **{f"OpaqueUnaryFn_{name}": function(f"f{name}") for name in UNARY.values()},
    "Mod": sympy.Mod,
    "PythonMod": sympy.Mod,
    "ModularIndexing": lambda a, b, c: sympy.Mod(sympy.floor(a / b), c),
    "Max": sympy.Max,
    "Min": sympy.Min,
    "PowByNatural": sympy.Pow,
    "Identity": lambda a: a,
    "Abs": sympy.Abs,
    "Add": sympy.Add,
    "Mul": sympy.Mul,
    "Pow": sympy.Pow,
    "floor": sympy.floor,
    "ceiling": sympy.ceiling,
}
_OF_INTEGERS = frozenset({"FloorDiv", "CleanDiv", "CeilDiv", "Mod", "PythonMod", "ModularIndexing", "floor", "ceiling"})
# Functions from floats to integers; only floats of 0 or more are truncated.
_ROUNDINGS: dict[str, Any] = {"CeilToInt": sympy.ceiling, "FloorToInt": sympy.floor, "TruncToInt": sympy.floor}


@dataclass(frozen=True)
class RoundedFloat:
    """An integer that is computed from floats. `traced`: PyTorch's expression; `operation`: the Python function that rounds; `number`: what
    it rounds, as an expression of `dialects.symbolic_floats`. If that is a condition on floats, the integer is 1 or 0."""

    traced: sympy.Expr
    operation: str
    number: sympy.Expr

    @property
    def is_condition(self) -> bool:
        """Whether it is a condition on floats as a number."""
        return isinstance(self.number, sympy.logic.boolalg.Boolean)


# The Python functions from a float to an integer.
_OPERATIONS = {"CeilToInt": "math.ceil", "FloorToInt": "math.floor", "TruncToInt": "math.trunc", "RoundToInt": "round"}
_rounded: dict[str, RoundedFloat] = {}  # by the name of the symbol

# Before the name of a float from data: the integer with the float's bits.
_BITS = "bits_"
TRACED_BITS = 0x3FF8000000000000  # 1.5, for want of an example

# Conditions by sympy's names, as numbers 0 and 1: relations as functions of the difference of two integers, and what joins them.
_RELATIONS: dict[str, Callable[[Any], sympy.Expr]] = {
    "StrictGreaterThan": lambda d: sympy.Min(1, sympy.Max(0, d)),
    "GreaterThan": lambda d: sympy.Min(1, sympy.Max(0, d + 1)),
    "StrictLessThan": lambda d: sympy.Min(1, sympy.Max(0, -d)),
    "LessThan": lambda d: sympy.Min(1, sympy.Max(0, 1 - d)),
    "Equality": lambda d: 1 - sympy.Min(1, sympy.Abs(d)),
    "Unequality": lambda d: sympy.Min(1, sympy.Abs(d)),
}
_TRUTHS: dict[str, Callable[..., sympy.Expr]] = {
    "And": sympy.Min,
    "Or": sympy.Max,
    "Not": lambda a: 1 - a,
    "BooleanTrue": lambda: sympy.Integer(1),
    "BooleanFalse": lambda: sympy.Integer(0),
}


def bits_symbol(number: Any) -> sympy.Symbol | None:
    """The integer symbol of the bits of a float from data, a `torch.SymFloat`; None for another value."""
    if not isinstance(number, torch.SymFloat):
        return None
    expression = number.node.expr
    return aten.symbol(_BITS + expression.name) if expression.is_Symbol and is_unbacked_float_symbol(expression) else None


def float_from_bits(bits: int | torch.SymInt) -> float | torch.SymFloat:
    """The float whose bits, as a float64, an int64 has."""
    if isinstance(bits, int):
        (number,) = struct.unpack("<d", struct.pack("<q", bits))
        return float(number)
    env = bits.node.shape_env
    (found,) = (s for s in env.var_to_range if _BITS + s.name == bits.node.expr.name)
    made: torch.SymFloat = env.create_symfloatnode(found, hint=None)
    return made


def bits_from_float(number: float) -> int:
    """The inverse of `float_from_bits`."""
    (bits,) = struct.unpack("<q", struct.pack("<d", number))
    return int(bits)


def truth_from_data(condition: torch.SymBool) -> sympy.Symbol | None:
    """The symbol, 0 or 1, that a boolean from data (`item()`) compares with 1; None for another condition."""
    expression, env = condition.node.expr, condition.node.shape_env
    if not (isinstance(expression, sympy.Eq) and is_unbacked(expression.lhs) and expression.rhs == 1):
        return None
    bounds = env.var_to_range[expression.lhs]
    return aten.symbol(expression.lhs.name) if (bounds.lower, bounds.upper) == (0, 1) else None


def size_from_torch(size: int | torch.SymInt) -> Size:
    """The int or expression for a PyTorch size."""
    if isinstance(size, int):
        return size
    expression = expression_of(size.node.expr)
    if isinstance(expression, int) or expression.is_Symbol:
        return expression
    if expression.is_integer is False:
        raise UnsupportedGraph(f"the size {size.node.expr} is no integer expression")
    values = _traced_values(size.node.shape_env)
    traced = {aten.symbol(s.name): int(values[s]) for s in size.node.expr.free_symbols if s in values}
    return without_negative_dividends(expression, traced)


def float_from_torch(number: torch.SymFloat) -> sympy.Expr | float:
    """The expression of `dialects.symbolic_floats` (a float if it is constant) for a PyTorch float."""
    converted = _convert(number.node.expr)
    return float(converted) if converted.is_Rational else converted


def number_from_condition(condition: torch.SymBool) -> Size:
    """1 for a condition that is true, else 0, as an int or expression."""
    given = truth_from_data(condition)
    if given is not None:
        return given
    number = _truth(condition.node.expr)
    return int(number) if number.is_Integer else number


def _truth(condition: sympy.Basic) -> sympy.Expr:
    name, parts = type(condition).__name__, condition.args
    if name in _TRUTHS:
        return _TRUTHS[name](*map(_truth, parts))
    if name not in _RELATIONS:
        raise UnsupportedGraph(f"the condition {condition}")
    difference = _convert(parts[0]) - _convert(parts[1])
    if is_float_expression(difference):
        return _symbol_of_rounded(RoundedFloat(condition, "int", condition.func(*map(_convert, parts))))
    if not difference.is_integer:
        raise UnsupportedGraph(f"the condition {condition} is not one on integers")
    return _RELATIONS[name](difference)


@functools.lru_cache(maxsize=4096)
def expression_of(expression: sympy.Expr) -> Size:
    """The expression of `dialects.aten` (an int if it is constant) for a sympy expression of PyTorch."""
    converted = _convert(expression)
    return int(converted) if converted.is_Integer else converted


def _convert(expression: sympy.Expr) -> sympy.Expr:
    if expression.is_Symbol:
        return _convert_symbol(expression)
    if isinstance(expression, sympy.Piecewise):
        return _convert_choice(expression)
    if expression.is_Rational:
        return sympy.Rational(expression.p, expression.q)
    if expression.is_Float:
        return sympy.Rational(*float(expression).as_integer_ratio())
    name = type(expression).__name__
    if name in _OF_INTEGERS and any(is_float_expression(_convert(a)) for a in expression.args):
        raise UnsupportedGraph(f"the number {expression} has a {name} of floats")
    if name in _ROUNDINGS:
        exact = _exact(expression.args[0], signed=name != "TruncToInt")
        if exact is not None:
            return _ROUNDINGS[name](exact)
    if name in _OPERATIONS:
        return _symbol_of_rounded(RoundedFloat(expression, _OPERATIONS[name], _convert(expression.args[0])))
    if name not in _FUNCTIONS:
        raise UnsupportedGraph(f"the size expression {expression} has a {name}")
    return _FUNCTIONS[name](*map(_convert, expression.args))


def _convert_choice(expression: sympy.Piecewise) -> sympy.Expr:
    """The value of the first condition that is true, as a sum: conditions are 0 or 1."""
    *others, (value, last) = expression.args
    if last != sympy.true:
        raise UnsupportedGraph(f"the size expression {expression} has no value for some sizes")
    found = _convert(value)
    for value, condition in reversed(others):
        found = found + _truth(condition) * (_convert(value) - found)
    return found


def _exact(expression: sympy.Expr, signed: bool) -> sympy.Expr | None:
    """A float that is rounded to an integer as a fraction, where float64 has no rounding of its own: quotients of integers, and their
    products with small multiples of powers of two. None for other floats. Not `signed`: only one of 0 or more."""
    factor, rest = expression.as_coeff_Mul()
    factor, parts = _convert(factor), rest.args
    if type(rest).__name__ not in ("IntTrueDiv", "ToFloat") or factor.p >= 2**20 or factor.q & (factor.q - 1):
        return None
    if not signed and not (factor >= 0 and all(p.is_nonnegative for p in parts)):
        return None
    if type(rest).__name__ == "ToFloat":
        return factor * _convert(parts[0])
    return _convert(parts[0]) / _convert(parts[1]) if factor == 1 else None


def _symbol_of_rounded(rounded: RoundedFloat) -> sympy.Symbol:
    """The symbol of an integer that is computed from floats. Equal expressions have one name in every process."""
    name = f"r{hashlib.sha256(str(rounded.traced).encode()).hexdigest()[:12]}"
    _rounded[name] = rounded
    return aten.symbol(name)


def rounded_floats(expressions: Iterable[Size]) -> dict[str, RoundedFloat]:
    """The integers computed from floats whose symbols are in the expressions, by the names of these; after those that they are computed
    from."""
    found: dict[str, RoundedFloat] = {}
    for name in sorted({s.name for e in expressions if not isinstance(e, int) for s in e.free_symbols if s.name in _rounded}):
        found |= {**rounded_floats([_rounded[name].number]), name: _rounded[name]}
    return found


def given_to(rounded: Mapping[str, RoundedFloat]) -> set[sympy.Symbol]:
    """The symbols that the integers are computed from, without their own."""
    return {s for r in rounded.values() for s in r.number.free_symbols if s.name not in rounded}


def _convert_symbol(symbol: sympy.Symbol) -> sympy.Expr:
    if is_unbacked_float_symbol(symbol):
        return function(FROM_BITS)(aten.symbol(_BITS + symbol.name))
    if symbol.name.startswith(_BITS):
        return aten.symbol(symbol.name)
    if not (is_size_symbol(symbol) or is_unbacked_symbol(symbol)):
        raise UnsupportedGraph(f"the symbol {symbol} stands for no integer")
    return aten.symbol(symbol.name)


def is_unbacked(expression: Any) -> bool:
    """Whether an expression is a symbol for which PyTorch has no example."""
    return bool(expression.is_Symbol) and is_unbacked_symbol(expression)


def _traced_values(shape_env: Any) -> dict[sympy.Symbol, Any]:
    """The values of the symbols in the traced call, of those that have one."""
    found: dict[sympy.Symbol, Any]
    found = shape_env.backed_var_to_val if hasattr(shape_env, "backed_var_to_val") else shape_env.var_to_val  # the second until torch 2.10
    return found


def symbol_facts(shape_env: Any, names: set[str], sizes: Collection[str] | None = None) -> dict[str, tuple[int, int, int]]:
    """For each symbol the lowest and highest value that the guards allow, and the value seen while tracing. `sizes`: the names of those
    that are in sizes or strides of tensors (None: all)."""
    if not names:
        return {}
    hints = _traced_values(shape_env)
    given = getattr(shape_env, "var_to_hint_override", {})
    known = {symbol.name: symbol for symbol in shape_env.var_to_range}
    facts = {name: (-(2**63), 2**63 - 1, TRACED_BITS) for name in names if name.startswith(_BITS)}
    names = names - facts.keys()
    own = {name for name in names if name in _rounded}
    if not names - own <= known.keys():
        raise UnsupportedGraph(f"the symbols {sorted(names - own - known.keys())} stand for no plain sizes")
    for name in sorted(names - own):
        bounds = shape_env.var_to_range[known[name]]
        lowest, highest = _bound(bounds.lower, -(2**63)), _bound(bounds.upper, 2**63 - 1)
        if is_unbacked(known[name]):
            lowest = max(lowest, LEAST) if sizes is None or name in sizes else lowest
            assumed = min(int(given.get(known[name], UNBACKED_HINT)), *_asserted_bounds(shape_env, known[name], hints))
            facts[name] = (lowest, highest, min(max(assumed, lowest), highest))
        else:
            facts[name] = (lowest, highest, int(hints[known[name]]))
    for name in sorted(own):
        if _rounded[name].is_condition:
            facts[name] = (0, 1, 1)
            continue
        bounds, value = shape_env.bound_sympy(_rounded[name].traced), _rounded[name].traced.xreplace(hints)
        lowest, highest = _bound(bounds.lower, -(2**63)), _bound(bounds.upper, 2**63 - 1)
        facts[name] = (lowest, highest, int(value) if value.is_number else min(max(UNBACKED_HINT, lowest), highest))
    return facts


def allow_one(shape_env: Any, name: str) -> None:
    """Makes 1 a value of a symbol that tracing assumed to be at least 2. Call it before the compiler reads the symbol's bounds."""
    (found,) = (symbol for symbol in shape_env.var_to_range if symbol.name == name)
    bounds = shape_env.var_to_range[found]
    if bounds.lower > 1:
        shape_env.var_to_range[found] = type(bounds)(1, bounds.upper)


def _asserted_bounds(shape_env: Any, symbol: sympy.Symbol, hints: dict[sympy.Symbol, Any]) -> list[int]:
    """The values, in the traced call, of sizes that an unbacked one is asserted not to exceed, and `UNBACKED_HINT`."""
    found = [UNBACKED_HINT]
    for asserted in getattr(shape_env, "deferred_runtime_asserts", {}).get(symbol, ()):
        relation = asserted.expr
        if isinstance(relation, (sympy.Le, sympy.Lt, sympy.Ge, sympy.Gt)):
            value = relation.gts.xreplace(hints)
            strictly = isinstance(relation, (sympy.Lt, sympy.Gt))
            found += [int(value) - strictly] if relation.lts == symbol and value.is_Integer else []
    return found


def _bound(bound: Any, limit: int) -> int:
    return int(bound) if getattr(bound, "is_Integer", False) and abs(int(bound)) < 2**63 else limit
