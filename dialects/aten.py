"""`aten`: the graph, as PyTorch names it. This module holds the attributes and the tensor types; the operators come from
PyTorch's schema registry (`dialects.aten_ops`).

A value is a builtin tensor whose encoding is a layout: `tensor<2x3xf32, #aten.layout<"cpu", [3, 1], 0, unit>>`. A size,
stride, offset or integer argument is an integer or an `#aten.expr<"2*s0">`.
"""

import functools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, Union

from torch_mlir import ir
from torch_mlir.dialects import ext

from ..errors import InvalidIR
from . import dtypes, symbolic_floats
from .constraints import AnyAttribute, AnyType
from .lazy import sympy
from .narrowing import AnyOp, array, text

Size: TypeAlias = Union[int, "sympy.Expr"]  # noqa: UP007  (sympy is not to be imported for it)


class Aten(ext.Dialect, name="aten"):
    """The dialect; load it through `dialects.context`."""


class Layout(Aten.Attribute, name="layout"):
    """A tensor's memory: device ("cpu", "cuda:0"), strides and offset in elements, and, if a size is symbolic, all sizes (`unit`
    otherwise)."""

    device: ir.StringAttr
    strides: ir.ArrayAttr
    offset: AnyAttribute
    sizes: AnyAttribute


class Expr(Aten.Attribute, name="expr"):
    """An integer expression over the graph's symbols, in sympy's notation. As a number's value it may also be one of `symbolic_floats`,
    and as a requirement of the graph a comparison (`dialects.requirements`)."""

    text: ir.StringAttr


class NoneValue(Aten.Attribute, name="none"):
    """Python's None as an argument."""


class Operand(Aten.Attribute, name="operand"):
    """Stands for tensor operand `index` where arguments are listed as attributes."""

    index: ir.IntegerAttr


class Complex(Aten.Attribute, name="complex"):
    """A complex scalar argument."""

    real: ir.FloatAttr
    imag: ir.FloatAttr


class Enum(Aten.Attribute, name="enum"):
    """A value of one of PyTorch's enumerations: kind "dtype", "layout", "memory_format" or "device"."""

    kind: ir.StringAttr
    value: ir.StringAttr


class Number(Aten.Operation, name="number", traits=[ext.Pure]):
    """A Python number in a tensor's position (`x + 2`): weaker in type promotion than any tensor. `arguments` returns the number itself."""

    value: AnyAttribute
    number: ext.Result[AnyType]


class SymValue(Aten.Operation, name="sym_value", traits=[ext.Pure]):
    """The value of an expression, to be returned: `index`, or f64 for one of `symbolic_floats`."""

    expr: AnyAttribute
    value: ext.Result[AnyType]


@functools.cache
def parse_expr(text: str) -> "sympy.Expr":
    """The sympy expression of an `#aten.expr`; every name is an integer symbol."""
    functions = {f.__name__: f for f in (sympy.floor, sympy.ceiling, sympy.Mod, sympy.Max, sympy.Min, sympy.Abs)}
    functions |= symbolic_floats.float_functions()
    names = {str(s): symbol(str(s)) for s in sympy.sympify(text, locals=functions, evaluate=False).free_symbols}
    return sympy.sympify(text, locals={**functions, **names})


@functools.cache
def symbol(name: str) -> "sympy.Symbol":
    """The symbol `name`, an integer without further assumptions."""
    return sympy.Symbol(name, integer=True)


def symbols_of(sizes: Iterable[Size]) -> "set[sympy.Symbol]":
    """The symbols that sizes are made of."""
    return {symbol for size in sizes if not isinstance(size, int) for symbol in size.free_symbols}


def linear_form(size: Size) -> tuple[str, int, int]:
    """(symbol, factor, summand) of a size that is factor * symbol + summand with a positive factor; ("", 0, 0) of others."""
    if isinstance(size, int):
        return "", 0, 0
    symbols = list(size.free_symbols)
    if len(symbols) != 1 or not size.is_polynomial(*symbols):
        return "", 0, 0
    coefficients = sympy.Poly(size, *symbols).all_coeffs()
    if len(coefficients) != 2 or not all(c.is_Integer for c in coefficients) or coefficients[0] <= 0:
        return "", 0, 0
    return symbols[0].name, int(coefficients[0]), int(coefficients[1])


def size_attr(size: Size) -> ir.Attribute:
    """An integer attribute (i64) or `#aten.expr`."""
    if isinstance(size, int):
        return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), size)
    if size.is_Integer:
        return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), int(size))
    return Expr.get(ir.StringAttr.get(str(size)))


def size_of(attribute: ir.Attribute) -> Size:
    """The inverse of `size_attr`."""
    if isinstance(attribute, Expr):
        return parse_expr(attribute.text.maybe_downcast().value)
    return ir.IntegerAttr(attribute).value


def expressions(attribute: ir.Attribute) -> "Iterator[sympy.Expr]":
    """The expressions in an attribute, also those in its arrays."""
    if isinstance(attribute, ir.ArrayAttr):
        for element in attribute:
            yield from expressions(element)
    elif isinstance(attribute, Expr):
        yield size_of(attribute)


def stage_of(function: AnyOp) -> str | None:
    """The `aten.stage` of a graph's function; None if it has none."""
    return text(function.attributes["aten.stage"]) if "aten.stage" in function.attributes else None


def outputs_of(function: AnyOp, returned: Sequence[ir.Value]) -> list[ir.Value | Size | None]:
    """What the caller of a graph's function gets, by `aten.outputs`: values among those that its `func.return` has, numbers, None. All of
    `returned` if there is no such attribute."""
    if "aten.outputs" not in function.attributes:
        return list(returned)
    return [_output(entry, returned) for entry in array(function.attributes["aten.outputs"])]


def _output(entry: ir.Attribute, returned: Sequence[ir.Value]) -> ir.Value | Size | None:
    if isinstance(entry, NoneValue):
        return None
    return returned[ir.IntegerAttr(entry.index).value] if isinstance(entry, Operand) else size_of(entry)


class AttributeCache:
    """Caches of one context: types and attributes by their values, and back."""

    def __init__(self, context: ir.Context) -> None:
        self.context = context
        self.attributes: dict[Any, ir.Attribute] = {}
        self.values: dict[ir.Attribute, Any] = {}
        self.types: dict[TensorInfo, ir.RankedTensorType] = {}
        self.infos: dict[ir.Type, TensorInfo] = {}
        self.inferred: dict[Any, dict[Any, Any]] = {}  # result types by symbols and call (passes/analysis/infer_metadata.py)
        self.patterns: dict[Any, Any] = {}  # parsed and compiled patterns (passes/patterns/engine/)


_memory: AttributeCache | None = None


def memory() -> AttributeCache:
    """The caches of the current context. There is one context at a time; its caches keep it alive."""
    global _memory
    context = ir.Context.current
    assert context is not None
    if _memory is None or _memory.context is not context:
        _memory = AttributeCache(context)
    return _memory


@dataclass(frozen=True)
class TensorInfo:
    """A tensor type in Python values. Sizes, strides and offset: ints or sympy expressions, in elements."""

    sizes: tuple[Size, ...]
    dtype: str
    device: str
    strides: tuple[Size, ...]
    offset: Size = 0

    @property
    def rank(self) -> int:
        return len(self.sizes)

    def type(self) -> ir.RankedTensorType:
        """The tensor type in the current context."""
        types = memory().types
        found = types.get(self)
        if found is None:
            found = types[self] = self._make_type()
        return found

    def _make_type(self) -> ir.RankedTensorType:
        dynamic = ir.ShapedType.get_dynamic_size()
        shape = [s if isinstance(s, int) else dynamic for s in self.sizes]
        sizes = ir.UnitAttr.get() if dynamic not in shape else ir.ArrayAttr.get([size_attr(s) for s in self.sizes])
        strides = ir.ArrayAttr.get([size_attr(s) for s in self.strides])
        layout = Layout.get(ir.StringAttr.get(self.device), strides, size_attr(self.offset), sizes)
        return ir.RankedTensorType.get(shape, ir.Type.parse(dtypes.TABLE[self.dtype].element), encoding=layout)

    @staticmethod
    def of(type_: ir.Type) -> "TensorInfo":
        """Reads a tensor type; a type without a layout counts as contiguous on the CPU."""
        infos = memory().infos
        found = infos.get(type_)
        if found is None:
            found = infos[type_] = TensorInfo._read(type_)
        return found

    @staticmethod
    def _read(type_: ir.Type) -> "TensorInfo":
        type_ = ir.RankedTensorType(type_)
        element = str(type_.element_type)
        if element not in dtypes.OF_ELEMENT:
            raise InvalidIR(f"no dtype of PyTorch has elements of type {element}; tensors have {', '.join(dtypes.OF_ELEMENT)}")
        dtype = dtypes.OF_ELEMENT[element]
        layout = type_.encoding
        if layout is None:
            return TensorInfo(tuple(type_.shape), dtype, "cpu", contiguous_strides(tuple(type_.shape)))
        layout = layout if isinstance(layout, Layout) else Layout(layout)
        device, strides, offset, sizes = (getattr(layout, f).maybe_downcast() for f in ("device", "strides", "offset", "sizes"))
        sizes = tuple(type_.shape) if isinstance(sizes, ir.UnitAttr) else tuple(size_of(s) for s in sizes)
        return TensorInfo(sizes, dtype, device.value, tuple(size_of(s) for s in strides), size_of(offset))


def contiguous_strides(sizes: tuple[Size, ...]) -> tuple[Size, ...]:
    """Row-major strides of `sizes`, as PyTorch computes them (a size of 0 counts as 1)."""
    strides: list[Size] = []
    running: Size = 1
    for size in reversed(sizes):
        strides.append(running)
        running = running * (max(size, 1) if isinstance(size, int) else size)
    return tuple(reversed(strides))
