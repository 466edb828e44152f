"""In `host`, marked calls and calls of functional forms (`bridge/functional_forms.py`) become calls of the writing operator on buffers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch_mlir import ir

from ...dialects import aten, aten_ops
from ...dialects.aten_schema import Argument
from ...dialects.narrowing import integers
from ...dialects.segments import LAUNCH_RUNS, run_sizes_attr
from ...passes.analysis.inplace_rules import FORMS, MARK, candidates, writing_operator
from ..rules.calls import call_reason


def writes(op: ir.OpView) -> bool:
    """Whether a marked call becomes a call of an operator that writes."""
    if MARK not in op.attributes:
        return False
    name = aten_ops.schema(op).name
    return bool(candidates(op)) if name.startswith(FORMS) else writing_operator(name) is not None


def _writer(op: ir.OpView) -> Any:
    """PyTorch's operator that writes what `op` returns."""
    from ...bridge.functional_forms import originals
    from ...bridge.operators import overload

    name = aten_ops.schema(op).name
    return originals[name] if name in originals else overload(writing_operator(name) or "")


def call_operator(op: ir.OpView, copied: Callable[[ir.Value, ir.Type], ir.Value]) -> None:
    """Inserts the call of the writing operator before `op` and replaces its results. `copied(value, type)` makes a buffer with the value's
    elements; marked operands are written directly."""
    from ...bridge.functional_forms import arguments_written_by_operator

    schema, arguments = aten_ops.schema(op), aten_ops.arguments(op)
    original = _writer(op)
    found = candidates(op)
    marked = integers(op.attributes[MARK])
    buffers = [op.operands[c.operand] if c.operand in marked else copied(c.target(op), op.results[c.result].type) for c in found]
    rest = iter(buffers)
    for name in (a.name for a in arguments_written_by_operator(original)):
        given = arguments[name]
        if given is not None:
            arguments[name] = [next(rest) for _ in given] if isinstance(given, list) else next(rest)
    tensors = list(dict.fromkeys(v for a in schema.tensors for v in aten_ops.listed(arguments[a.name]) if isinstance(v, ir.Value)))
    own = list(op.results)[: len(op.results) - len(buffers)]
    attributes = {
        "target": ir.StringAttr.get(str(original)),
        "arguments": ir.ArrayAttr.get([_attribute(op, a, arguments[a.name], tensors) for a in schema.arguments]),
        "reason": op.attributes["aten.reason"] if "aten.reason" in op.attributes else ir.StringAttr.get(_reason(schema.name)),
        "operandSegmentSizes": run_sizes_attr([t.type for t in tensors], LAUNCH_RUNS),
        "resultSegmentSizes": run_sizes_attr([r.type for r in own]),
    }
    call = ir.Operation.create("host.call", [r.type for r in own], tensors, attributes, loc=op.location, ip=ir.InsertionPoint(op))
    for old, new in zip(op.results, [*call.results, *buffers], strict=True):
        old.replace_all_uses_with(new)
    op.operation.erase()


def _reason(name: str) -> str:
    return "custom operator" if name.startswith(FORMS) else call_reason(name)


def _attribute(op: ir.OpView, argument: Argument, value: Any, tensors: list[ir.Value]) -> ir.Attribute:
    if not argument.is_tensor:
        return op.attributes[argument.name]
    if value is None:
        return aten.NoneValue.get()
    if isinstance(value, list):
        return ir.ArrayAttr.get([_attribute(op, argument, v, tensors) for v in value])
    return aten.Operand.get(aten.size_attr(tensors.index(value)))
