"""What MLIR's bindings return, as the class that the caller knows it has.

The bindings declare `ir.Attribute`, `ir.Type` and `OpView | Block` where the object is of a subclass. Each function asserts the subclass.
"""

from typing import Protocol

from torch_mlir import ir

AnyOp = ir.Operation | ir.OpView


class Attributes(Protocol):
    """The attributes of an op, or a `DictAttr`."""

    def __contains__(self, name: str, /) -> bool: ...
    def __getitem__(self, name: str, /) -> ir.Attribute: ...


def text(attribute: ir.Attribute) -> str:
    """The value of a string or of a symbol's name."""
    assert isinstance(attribute, (ir.StringAttr, ir.FlatSymbolRefAttr)), attribute
    return attribute.value


def texts(attribute: ir.Attribute) -> list[str]:
    """The strings of an array."""
    return [text(element) for element in array(attribute)]


def integer(attribute: ir.Attribute) -> int:
    """The value of an integer or a boolean."""
    assert isinstance(attribute, (ir.IntegerAttr, ir.BoolAttr)), attribute
    return attribute.value


def integers(attribute: ir.Attribute) -> list[int]:
    """The integers of an array."""
    return [integer(element) for element in array(attribute)]


def number(attribute: ir.Attribute) -> int | float:
    """The value of an integer, a boolean or a float."""
    assert isinstance(attribute, (ir.IntegerAttr, ir.BoolAttr, ir.FloatAttr)), attribute
    return attribute.value


def dense_integers(attribute: ir.Attribute) -> list[int]:
    """The integers of an `array<i32: ...>` or `array<i64: ...>`, segment sizes for example."""
    assert isinstance(attribute, (ir.DenseI32ArrayAttr, ir.DenseI64ArrayAttr)), attribute
    return list(attribute)


def array(attribute: ir.Attribute) -> ir.ArrayAttr:
    """An array."""
    assert isinstance(attribute, ir.ArrayAttr), attribute
    return attribute


def dictionary(attribute: ir.Attribute) -> ir.DictAttr:
    """A dictionary; iteration gives its entries."""
    assert isinstance(attribute, ir.DictAttr), attribute
    return attribute


def affine_map(attribute: ir.Attribute) -> ir.AffineMap:
    """The map of an `affine_map<...>`."""
    assert isinstance(attribute, ir.AffineMapAttr), attribute
    return attribute.value


def function_type(function: AnyOp) -> ir.FunctionType:
    """The type of a `func.func`."""
    attribute = function.attributes["function_type"]
    assert isinstance(attribute, ir.TypeAttr), attribute
    return ir.FunctionType(attribute.value)


def entries(op: AnyOp, name: str) -> list[ir.Attribute]:
    """The elements of the array `name`; none if `op` has no such attribute."""
    return list(array(op.attributes[name])) if name in op.attributes else []


def dense_entries(op: AnyOp, name: str) -> list[int]:
    """The integers of the dense array `name`; none if `op` has no such attribute."""
    return dense_integers(op.attributes[name]) if name in op.attributes else []


def named_entries(op: AnyOp, name: str) -> list[ir.NamedAttribute]:
    """The entries of the dictionary `name`; none if `op` has no such attribute."""
    return list(dictionary(op.attributes[name])) if name in op.attributes else []


def shaped(type_: ir.Type) -> ir.ShapedType:
    """The type of a tensor, memref or vector."""
    assert isinstance(type_, ir.ShapedType), type_
    return type_


def tensor(type_: ir.Type) -> ir.RankedTensorType:
    """The type of a tensor."""
    assert isinstance(type_, ir.RankedTensorType), type_
    return type_


def bits(type_: ir.Type) -> int:
    """The width of an integer or float type."""
    assert isinstance(type_, (ir.IntegerType, ir.FloatType)), type_
    return type_.width


def maker(value: ir.Value) -> ir.OpView:
    """The op that has `value` as a result; `value` is no block argument."""
    owner = value.owner
    assert isinstance(owner, ir.OpView), owner
    return owner


def function_of(op: AnyOp) -> ir.Operation:
    """The function that `op` is in."""
    parent = op.parent
    assert parent is not None
    return parent
