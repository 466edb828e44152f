"""`remove-redundant-views`: a view of a view that shows the same elements as an earlier value becomes that value; chains of conversions
become one."""

from __future__ import annotations

from torch_mlir import ir

from ..dialects import aten_ops
from ..dialects.aten import TensorInfo
from ..dialects.dtypes import FLOATS, TABLE
from .analysis.alias_analysis import STRIDED_VIEWS, base_name, functions_with_body
from .analysis.saved_values import BACKWARD
from .refresh_metadata import mark_stale
from .registry import register_pass
from .rewrite_limit import may_rewrite
from .rewriting.replacement import Replacer
from .working_on import works_on_operation

_CONVERT = "aten._to_copy.default"


def remove_redundant_views(module: ir.Module) -> None:
    """Applies the rules once to every operator call, in order."""
    for function in functions_with_body(module):
        replacer = Replacer(function)
        for view in list(function.regions[0].blocks[0].operations):
            op = view.operation
            if not aten_ops.is_operator(op) or len(op.results) != 1:
                continue
            if base_name(aten_ops.schema(op)) in STRIDED_VIEWS:
                _reuse(op, replacer)
            elif aten_ops.pytorch_name(op) == _CONVERT:
                _shorten(op, replacer)


@works_on_operation
def _reuse(op: ir.Operation, replacer: Replacer) -> None:
    """squeeze(unsqueeze(x)) -> x: the same sizes, strides and offset over the same storage are the same elements"""
    value = op.operands[0]
    while isinstance(value, ir.OpResult) and aten_ops.is_operator(value.owner):
        made = value.owner
        if base_name(aten_ops.schema(made)) not in STRIDED_VIEWS:
            return
        value = made.operands[0]
        if value.type == op.results[0].type:
            replacer.replace(op, value)
            return


@works_on_operation
def _shorten(op: ir.Operation, replacer: Replacer) -> None:
    """convert(convert(x, wide), b) -> convert(x, b), or x where that is its dtype"""
    inner = op.operands[0].owner if isinstance(op.operands[0], ir.OpResult) else None
    if inner is None or not aten_ops.is_operator(inner) or aten_ops.pytorch_name(inner) != _CONVERT:
        return
    source, middle = (TensorInfo.of(v.type) for v in (inner.operands[0], inner.results[0]))
    if not holds(middle.dtype, source.dtype) or source.device != middle.device or source.strides != middle.strides:
        return
    target = TensorInfo.of(op.results[0].type).dtype
    if source.dtype not in FLOATS and middle.dtype in FLOATS and target not in FLOATS and not holds(target, source.dtype):
        return  # a float out of an integer's range is converted differently from an integer
    if target == source.dtype and replacer.replace(op, inner.operands[0]):
        return
    if replacer.readable(inner.operands[0], op) and may_rewrite("shorter way", op):
        op.operands[0] = inner.operands[0]
        if BACKWARD in op.attributes:
            del op.attributes[BACKWARD]
        mark_stale(op)


def holds(wide: str, narrow: str) -> bool:
    """Whether every value of the dtype `narrow` is one of `wide`, so that a conversion to `wide` changes nothing."""
    if narrow in FLOATS and wide in FLOATS:
        return TABLE[wide].significand >= TABLE[narrow].significand and TABLE[wide].exponent >= TABLE[narrow].exponent
    if narrow == wide:
        return True
    if not (narrow == "bool" or narrow.startswith(("int", "uint"))):
        return False
    bits = 1 if narrow == "bool" else int(narrow.lstrip("uint"))
    signed = narrow.startswith("int")
    if wide in FLOATS:
        # A float has a separate sign bit; 2^16 - 1 has a significand of 16 bits, and -2^15 one of 1.
        return TABLE[wide].significand >= bits - signed and 2 ** (TABLE[wide].exponent - 1) >= bits
    if not wide.startswith(("int", "uint")):
        return False
    room = int(wide.lstrip("uint"))
    return room >= bits if signed == wide.startswith("int") else not signed and room > bits


register_pass("remove-redundant-views", remove_redundant_views)
