"""`dce-aten`: erases operator calls whose results nobody uses. Keeps writes, ordered calls, random draws, which advance the generator,
and calls that may raise: eager ran them all, since AOTAutograd's graph has no call that nobody uses."""

from __future__ import annotations

from torch_mlir import ir

from ..dialects import aten_ops
from .analysis.alias_analysis import functions_with_body
from .analysis.possible_errors import may_raise
from .registry import register_pass
from .rewrite_limit import may_rewrite


def dce_aten(module: ir.Module) -> None:
    """Erases dead calls in every function of the module."""
    for function in functions_with_body(module):
        erase_unused(function)


def erase_unused(function: ir.OpView) -> None:
    """Erases the dead calls of one function."""
    for op in reversed(list(function.regions[0].blocks[0].operations)):
        if all(next(iter(r.uses), None) is None for r in op.results) and _erasable(op.operation) and may_rewrite("removal", op):
            op.operation.erase()


def _erasable(op: ir.Operation) -> bool:
    if op.name in ("aten.number", "aten.sym_value"):
        return True
    if not aten_ops.is_operator(op):
        return False
    schema = aten_ops.schema(op)
    return not (schema.ordered or schema.mutates or schema.random or may_raise(op, schema))


register_pass("dce-aten", dce_aten)
