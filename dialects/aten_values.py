"""Arguments of `aten` ops as attributes, and back.

Python values are those of docs/design/ir.md; the schema says what they mean. int: i64. float: f64. bool: i1. str: string. None:
`#aten.none`. sympy expression: `#aten.expr`. complex: `#aten.complex`. dtype, layout, memory_format, device: `#aten.enum`. list: array.
"""

from collections.abc import Callable
from typing import Any

from torch_mlir import ir

from . import aten
from .aten_schema import Argument
from .lazy import sympy

_ENUMERATIONS = frozenset({"dtype", "layout", "memory_format", "device"})
_INT64 = range(-(2**63), 2**63)


def encode(value: Any, argument: Argument) -> ir.Attribute:
    """The attribute that holds `value` for `argument`, in the current context."""
    if isinstance(value, (list, tuple)):
        return ir.ArrayAttr.get([encode(v, argument) for v in value])
    if value is None:
        return aten.NoneValue.get()
    if argument.kind in _ENUMERATIONS:
        return aten.Enum.get(ir.StringAttr.get(argument.kind), ir.StringAttr.get(value))
    if argument.kind == "float" and isinstance(value, (int, float)):
        value = float(value)
    if argument.kind == "bool" and isinstance(value, int):
        value = bool(value)
    return encode_number(value)


def encode_number(value: Any) -> ir.Attribute:
    """The attribute of a number, string or expression, chosen by its Python type."""
    if isinstance(value, bool):
        return ir.BoolAttr.get(value)
    if isinstance(value, int):
        return aten.size_attr(value) if value in _INT64 else aten.Expr.get(ir.StringAttr.get(str(value)))
    if isinstance(value, float):
        return ir.FloatAttr.get(ir.F64Type.get(), value)
    if isinstance(value, str):
        return ir.StringAttr.get(value)
    if isinstance(value, sympy.Expr):
        return aten.size_attr(value)
    if isinstance(value, complex):
        f64 = ir.F64Type.get()
        return aten.Complex.get(ir.FloatAttr.get(f64, value.real), ir.FloatAttr.get(f64, value.imag))
    raise TypeError(f"no attribute stands for a {type(value).__name__}: {value!r}")


def _decode_expr(attribute: aten.Expr) -> Any:
    value = aten.size_of(attribute)
    return int(value) if isinstance(value, int) or value.is_Integer else value


_DECODERS: dict[type, Callable[[Any], Any]] = {
    ir.IntegerAttr: lambda a: a.value,
    ir.BoolAttr: lambda a: a.value,
    ir.FloatAttr: lambda a: a.value,
    ir.StringAttr: lambda a: a.value,
    ir.ArrayAttr: lambda a: [decode(x) for x in a],
    aten.NoneValue: lambda a: None,
    aten.Expr: _decode_expr,
    aten.Enum: lambda a: a.value.maybe_downcast().value,
    aten.Complex: lambda a: complex(a.real.maybe_downcast().value, a.imag.maybe_downcast().value),
}


def decode(attribute: ir.Attribute) -> Any:
    """The Python value of an attribute."""
    return _DECODERS[type(attribute)](attribute)
