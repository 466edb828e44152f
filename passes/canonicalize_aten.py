"""`canonicalize-aten`: simplifies views that change nothing, chains of views, and copies that no one can distinguish from their source."""

from __future__ import annotations

from collections.abc import Callable

from torch_mlir import ir

from ..dialects import aten_ops
from ..dialects.aten import TensorInfo, contiguous_strides
from .analysis.alias_analysis import STRIDED_VIEWS, Aliases, base_name, functions_with_body
from .analysis.node_identity import identity
from .registry import register_pass
from .rewrite_limit import may_rewrite
from .working_on import works_on_operation

Rule = Callable[[ir.Operation, Aliases], ir.Value | None]


def canonicalize_aten(module: ir.Module) -> None:
    """Applies the rules once to every operator call, in order."""
    for function in functions_with_body(module):
        block = function.regions[0].blocks[0]
        storages = Aliases(function)
        for op in list(block.operations):
            if aten_ops.is_operator(op):
                _apply(op.operation, storages)


@works_on_operation
def _apply(op: ir.Operation, storages: Aliases) -> None:
    schema = aten_ops.schema(op)
    rule = _RULES.get(schema.name) or (drop_view if base_name(schema) in STRIDED_VIEWS else None)
    # A value that the caller gets stays as it is.
    if rule is None or len(op.results) != 1 or op.results[0] in storages.returned:
        return
    replacement = rule(op, storages)
    if replacement is not None and may_rewrite("replacement", op):
        op.results[0].replace_all_uses_with(replacement)
        storages.replace(op.results[0], replacement)
        op.erase()


def drop_view(op: ir.Operation, _storages: Aliases) -> ir.Value | None:
    """permute(x, [0, 1]) -> x, and every other view with its operand's type"""
    return op.operands[0] if op.operands[0].type == op.results[0].type else None


def compose_views(op: ir.Operation, storages: Aliases) -> ir.Value | None:
    """view(view(x, a), b) -> view(x, b) if x is contiguous: then every view of it is"""
    dropped = drop_view(op, storages)
    inner = op.operands[0].owner if isinstance(op.operands[0], ir.OpResult) else None
    if dropped is not None or inner is None or inner.name not in ("aten.view", "aten.u_unsafe_view"):
        return dropped
    source = TensorInfo.of(inner.operands[0].type)
    if source.strides != contiguous_strides(source.sizes) or TensorInfo.of(inner.results[0].type).dtype != source.dtype:
        return None
    arguments = {"self": inner.operands[0], "size": aten_ops.arguments(op)["size"]}
    return _create("aten.view.default", arguments, op)


def compose_permutes(op: ir.Operation, storages: Aliases) -> ir.Value | None:
    """permute(permute(x, p), q) -> permute(x, p[q]), or x"""
    dropped = drop_view(op, storages)
    inner = op.operands[0].owner if isinstance(op.operands[0], ir.OpResult) else None
    if dropped is not None or inner is None or inner.name != "aten.permute":
        return dropped
    first, second = aten_ops.arguments(inner)["dims"], aten_ops.arguments(op)["dims"]
    dims = [first[d] for d in second]
    if inner.operands[0].type == op.results[0].type:
        return inner.operands[0]
    return _create("aten.permute.default", {"self": inner.operands[0], "dims": dims}, op)


def drop_copy(op: ir.Operation, storages: Aliases) -> ir.Value | None:
    """clone(x) -> x where the types are equal, the caller does not get the copy, and nothing writes to x"""
    source = op.operands[0]
    if op.results[0].type != source.type or storages.escapes(op.results[0]) or storages.root(source) in storages.written:
        return None
    if storages.would_meet(op.results[0], source):
        return None
    return source if storages.root(op.results[0]) not in storages.written else None


def _create(name: str, arguments: dict[str, object], op: ir.Operation) -> ir.Value:
    """A call in place of `op`, with its type, location and name."""
    return aten_ops.create(name, arguments, [op.results[0].type], op.location, ir.InsertionPoint(op), identity(op)).results[0]


_RULES: dict[str, Rule] = {
    "aten.view.default": compose_views,
    "aten._unsafe_view.default": compose_views,
    "aten.permute.default": compose_permutes,
    "aten.clone.default": drop_copy,
    "aten.lift_fresh_copy.default": drop_copy,
    "aten._to_copy.default": drop_copy,
}

register_pass("canonicalize-aten", canonicalize_aten)
