"""Constraints that allow every type or attribute in a field of a dialect's class. For IRDL they are `Any`; the field is of MLIR's class."""

from typing import TYPE_CHECKING, Any, TypeAlias

from torch_mlir import ir

if TYPE_CHECKING:
    AnyType: TypeAlias = ir.Type
    AnyAttribute: TypeAlias = ir.Attribute
else:
    AnyType = AnyAttribute = Any
