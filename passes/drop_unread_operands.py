"""`drop-unread-operands`: optional tensors that an operator does not read in this call become None, so the forward does not save them."""

from __future__ import annotations

from torch_mlir import ir

from ..dialects import aten_ops
from .analysis.alias_analysis import functions_with_body
from .analysis.node_identity import identity
from .registry import register_pass
from .rewrite_limit import may_rewrite
from .working_on import works_on_operation

# If the flag is true, the operator reads the batch's statistics, not the running ones.
_STATISTICS = ("running_mean", "running_var")
_UNREAD = {
    "aten.native_batch_norm_backward.default": ("train", _STATISTICS),
    "aten.batch_norm_backward.default": ("update", _STATISTICS),
}


def drop_unread_operands(module: ir.Module) -> None:
    """batch_norm_backward(.., running_mean, running_var, .., train=True) -> batch_norm_backward(.., None, None, .., train=True)"""
    for function in functions_with_body(module):
        for view in list(function.regions[0].blocks[0].operations):
            op = view.operation
            name = aten_ops.pytorch_name(op) if aten_ops.is_operator(op) else ""
            if name in _UNREAD:
                _drop(op, name, *_UNREAD[name])


@works_on_operation
def _drop(op: ir.Operation, name: str, flag: str, unread: tuple[str, ...]) -> None:
    arguments = aten_ops.arguments(op)
    if not arguments[flag] or all(arguments[n] is None for n in unread) or not may_rewrite("dropped operands", op):
        return
    types = [r.type for r in op.results]
    made = aten_ops.create(name, arguments | dict.fromkeys(unread), types, op.location, ir.InsertionPoint(op), identity(op))
    for old, new in zip(op.results, made.results, strict=True):
        old.replace_all_uses_with(new)
    op.erase()


register_pass("drop-unread-operands", drop_unread_operands)
