"""Values that depend on no input, computed at compile time. Imports torch when used."""

from __future__ import annotations

from typing import Any

from torch_mlir import ir

from ...dialects import aten_ops
from ...dialects.aten import TensorInfo
from ...dialects.narrowing import AnyOp
from .infer_metadata import outside_tracing

# Tensors with more elements, and longer chains of operators, are not computed.
MAX_ELEMENTS, MAX_OPERATORS = 1 << 22, 200


def constant_array(value: ir.Value) -> Any:
    """A value as a NumPy array (float64 or bool), if it is on the CPU and depends on no input, symbol or random draw; else None."""
    chain = _chain(value)
    if chain is None:
        return None
    known: dict[ir.Value, Any] = {}
    with outside_tracing():
        for op in chain:
            result = call(op, known)
            known.update(zip(op.results, result if isinstance(result, (tuple, list)) else [result], strict=True))
        found = known[value]
        return (found.double() if found.is_floating_point() else found).numpy()


def _chain(value: ir.Value) -> list[ir.Operation] | None:
    """The operators that a value depends on, in order; None if it is no constant."""
    chain: dict[ir.Value, ir.Operation] = {}
    waiting = [value]
    while waiting:
        current = waiting.pop()
        if not isinstance(current, ir.OpResult) or len(chain) > MAX_OPERATORS:
            return None
        op = current.owner.operation
        if op.name == "aten.number":
            continue
        # Insert it again, so that it comes before all its users.
        chain.pop(op.results[0], None)
        chain[op.results[0]] = op
        if not _computable(op):
            return None
        waiting.extend(op.operands)
    return list(reversed(chain.values()))


def _computable(op: ir.Operation) -> bool:
    if not aten_ops.is_operator(op) or not aten_ops.schema(op).name.startswith("aten."):
        return False
    schema = aten_ops.schema(op)
    infos = [TensorInfo.of(r.type) for r in op.results if isinstance(r.type, ir.RankedTensorType)]
    if schema.mutates or schema.random or len(infos) != len(op.results) or any(r.is_list for r in schema.returns):
        return False
    return all(info.device == "cpu" and all(isinstance(s, int) for s in info.sizes) and _elements(info) <= MAX_ELEMENTS for info in infos)


def _elements(info: TensorInfo) -> int:
    count = 1
    for size in info.sizes:
        count *= int(size)
    return count


def call(op: AnyOp, known: dict[ir.Value, Any]) -> Any:
    """The result of an operator for tensors in place of its operands."""
    from ...bridge.operators import operator_of, to_torch

    schema, given = aten_ops.schema(op), aten_ops.arguments(op)

    def argument(value: Any, of: Any) -> Any:
        if isinstance(value, list):
            return [argument(v, of) for v in value]
        return known[value] if isinstance(value, ir.Value) else to_torch(value, of)

    positional = [argument(given[a.name], a) for a in schema.arguments if not a.keyword_only]
    named = {a.name: argument(given[a.name], a) for a in schema.arguments if a.keyword_only}
    return operator_of(schema)(*positional, **named)
