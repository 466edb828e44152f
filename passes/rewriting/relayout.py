"""Gives a value and its views another layout, if neither the results of other operators nor the caller depend on the layout."""

from __future__ import annotations

from torch_mlir import ir

from ...dialects import aten_ops
from ..analysis.alias_analysis import STRIDED_VIEWS, base_name, shared
from ..analysis.infer_metadata import MetaFailed, TypeInference
from ..verify.verify_metadata import difference

# Operators that name elements by their offset in the storage.
_BY_OFFSET = frozenset({"as_strided", "as_strided_scatter"})


def relaid(value: ir.Value, wanted: ir.Type, inference: TypeInference, log: list[tuple[ir.Value, ir.Type]]) -> bool:
    """Sets the type of `value` to `wanted`, which differs in layout; returns whether it could. `log` receives the changed values, with
    their former types."""
    made, before = ir.RankedTensorType(wanted), ir.RankedTensorType(value.type)
    if made.shape != before.shape or made.element_type != before.element_type:
        return False
    changed = [(value, value.type)]
    value.set_type(wanted)
    for current, _ in changed:
        if not all(_follows(use.owner, current, inference, changed) for use in current.uses):
            for other, type_ in reversed(changed):
                other.set_type(type_)
            return False
    log += changed
    return True


def _follows(user: ir.OpView, value: ir.Value, inference: TypeInference, changed: list[tuple[ir.Value, ir.Type]]) -> bool:
    """Whether a user of `value` still returns the same types, except that the results of views may have another layout, which is set."""
    if not aten_ops.is_operator(user):
        return False
    name = base_name(aten_ops.schema(user))
    if name in _BY_OFFSET and user.operands[0] == value:
        return False
    if name == "copy_":
        return user.operands[0] != value
    try:
        types = inference.types(user.operation)
    except MetaFailed:
        return False
    placed = {result for result, _, _ in shared(user)}
    for result, type_ in zip(user.results, types, strict=True):
        if difference(inference, type_, result.type, result in placed) is None:
            continue
        if name not in STRIDED_VIEWS:
            return False
        changed.append((result, result.type))
        result.set_type(type_)
    return True
