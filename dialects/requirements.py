"""Requirements: conditions on a graph's symbols that its code relies on, and that are checked before each call.

The function's `aten.requires` lists them as `#aten.expr`: comparisons of integer expressions, `"Eq(s0, s1)"`, `"s0 >= 3"`. A pass may rely
on them as on the ranges in `aten.symbols`. If a call breaks one, the graph runs through FX (`frontend/calling/size_guards.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from torch_mlir import ir

from .aten import Size, TensorInfo, size_attr, size_of
from .host import argument_attributes
from .lazy import sympy
from .narrowing import AnyOp, entries, text
from .size_bounds import size_interval, symbol_ranges
from .size_hints import size_hints

REQUIRES = "aten.requires"

Condition: TypeAlias = Any  # a sympy relation over the graph's symbols, or a bool


def equal(a: Size, b: Size) -> Condition:
    """The condition a == b."""
    if isinstance(a, int) and isinstance(b, int):
        return a == b
    return a == b or sympy.Eq(a, b)


def at_least(a: Size, b: Size) -> Condition:
    """The condition a >= b."""
    return a >= b


def is_condition(value: Any) -> bool:
    """Whether an expression is a condition, not a number."""
    return isinstance(value, (sympy.core.relational.Relational, sympy.And, sympy.Or, sympy.Not))


def requirements(function: ir.OpView | ir.Operation) -> list[Condition]:
    """The conditions that are true in every call of a graph's code."""
    return [size_of(condition) for condition in entries(function, REQUIRES)]


def without_true(conditions: Iterable[Condition]) -> list[Condition]:
    """The conditions, without those that sympy knows to be true."""
    return [c for c in conditions if c not in (True, sympy.true)]


def add_requirements(function: ir.OpView | ir.Operation, conditions: Iterable[Condition]) -> None:
    """Adds conditions to the requirements of a graph, except those that sympy knows to be true."""
    attributes = [size_attr(c) for c in dict.fromkeys([*requirements(function), *without_true(conditions)])]
    if attributes:
        function.attributes[REQUIRES] = ir.ArrayAttr.get(attributes)


def decided(condition: Condition, function: ir.OpView | ir.Operation) -> bool | None:
    """Whether a condition is true: True in every call, by the symbols' ranges and the requirements; False in the traced call or in all
    calls; None otherwise."""
    if isinstance(condition, bool):
        return condition
    if condition in (sympy.true, sympy.false):
        return bool(condition)
    if condition in requirements(function) or _always_holds(condition, function):
        return True
    hints = size_hints(function)
    traced = condition.subs({s: hints[s.name] for s in condition.free_symbols if s.name in hints})
    return False if traced == sympy.false else None


def symbol_sources(function: AnyOp) -> dict[str, str]:
    """The position in the list `inputs` where each symbol of a graph can be read: as a number, else as a tensor's size, else as a
    stride."""
    numbers: dict[str, str] = {}
    sizes: dict[str, str] = {}
    strides: dict[str, str] = {}
    arguments = function.regions[0].blocks[0].arguments
    for n, (argument, attributes) in enumerate(zip(arguments, argument_attributes(function), strict=True)):
        if "aten.symbol" in attributes:
            numbers.setdefault(text(attributes["aten.symbol"]), f"inputs[{n}]")
        elif isinstance(argument.type, ir.RankedTensorType):
            info = TensorInfo.of(argument.type)
            for d, (size, stride) in enumerate(zip(info.sizes, info.strides, strict=True)):
                sizes.setdefault(str(size), f"inputs[{n}].size({d})")
                strides.setdefault(str(stride), f"inputs[{n}].stride({d})")
    return strides | sizes | numbers


def _always_holds(condition: Condition, function: ir.OpView | ir.Operation) -> bool:
    if not isinstance(condition, sympy.core.relational.Relational):
        return False
    low, high = size_interval(sympy.expand(condition.lhs - condition.rhs), symbol_ranges(function))
    return {
        "==": low == high == 0, "!=": low > 0 or high < 0, ">=": low >= 0, ">": low > 0, "<=": high <= 0, "<": high < 0,
    }[condition.rel_op]  # fmt: skip
