"""Memory effects of `aten` ops, for MLIR's own passes.

Ops read their tensors; views have no effect; mutating ops write; fresh and random results are allocated (erasable, never merged). Ops
without results that write nothing are checks. Checks, and ops that PyTorch orders by tokens, get no interface, so nothing may erase or
move them.
"""

from typing import Any

from torch_mlir import ir

from . import aten_registry
from .aten_schema import Schema
from .narrowing import AnyOp


class _Effects(ir.MemoryEffectsOpInterface):
    @staticmethod
    def get_effects(op: AnyOp, effects: Any) -> None:
        op = op.operation
        schema = aten_registry.schema_by_name(op.name)
        if schema is None or schema.is_view:
            return
        written = _written(op, schema)
        for index, operand in enumerate(op.op_operands):
            if index in written:
                effects.append(ir.MemoryEffect.Write, operand)
            effects.append(ir.MemoryEffect.Read, operand)
        for result in op.results if schema.fresh else ():
            effects.append(ir.MemoryEffect.Allocate, result)


class _Speculatable(ir.ConditionallySpeculatable):
    @staticmethod
    def get_speculatability(op: AnyOp) -> Any:
        return ir.Speculatability.Speculatable


def _written(op: AnyOp, schema: Schema) -> set[int]:
    """The operands that the op writes: all of them, unless each argument is one operand."""
    if not schema.mutates:
        return set()
    if any(a.variadic for a in schema.tensors):
        return set(range(len(op.operands)))
    return {i for i, a in enumerate(schema.tensors) if a.writes}


def attach(op_name: str) -> None:
    """Attaches the effects to an op in the current context; not to ordered ones."""
    _Effects.attach(op_name)
    _Speculatable.attach(op_name)
