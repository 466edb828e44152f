"""`convert-aten-to-loop`: every operator that has a lowering rule becomes loop kernels; views and the rest stay."""

from collections.abc import Sequence

from torch_mlir import ir

from ..dialects import aten_ops
from ..dialects.aten import TensorInfo, size_attr
from ..dialects.requirements import add_requirements
from ..passes.inplace_rules import MARK
from ..passes.memory_overlap import has_own_layout
from ..passes.registry import register_pass
from ..passes.working_on import works_on_operation
from .kernel_builder import ContextTables
from .rules import RULES
from .rules.registry import Call
from .tt.support import why_unsupported


def convert_aten_to_loop(module: ir.Module) -> None:
    """Applies the rules of `lowering/rules` to all functions of the module."""
    tables = ContextTables()
    for function in module.body.operations:
        _convert_regions(function.operation, tables, "aten.deterministic" in function.operation.attributes)


def _convert_regions(op: ir.Operation, tables: ContextTables, deterministic: bool) -> None:
    for region in op.regions:
        for block in region.blocks:
            for inner in list(block.operations):
                _convert(inner.operation, tables, deterministic)


@works_on_operation
def _convert(op: ir.Operation, tables: ContextTables, deterministic: bool) -> None:
    if not aten_ops.is_operator(op):
        if op.name != "loop.kernel":
            _convert_regions(op, tables, deterministic)
        return
    name = aten_ops.pytorch_name(op)
    rule = RULES.get(name)
    if rule is None:
        return
    call = Call(tables, op, name, aten_ops.arguments(op))
    problem = call.unsupported()
    if problem:
        call.decline(problem)
        return
    values = rule(call)
    if values is None or _is_refused(call, deterministic):
        return
    if MARK in op.attributes and not _mark(op, values) and not has_own_layout(TensorInfo.of(op.results[0].type)):
        call.decline("writes a part of a tensor in place")
        _drop([v for v in values if isinstance(v, ir.OpResult)])
        return
    if call.required:
        add_requirements(op.parent, call.required)
    for old, new in zip(op.results, values, strict=True):
        if new is not None:
            old.replace_all_uses_with(new)
    op.erase()


def _is_refused(call: Call, deterministic: bool) -> bool:
    """Whether there is no GPU code for one of the kernels that a rule made on a GPU: then they go, and the operator stays a call."""
    if not call.kernels or call.tables.info(call.kernels[0].results[0].type).device == "cpu":
        return False
    reasons = [why for why in (why_unsupported(kernel, deterministic) for kernel in call.kernels) if why]
    if not reasons:
        return False
    for kernel in reversed(call.kernels):
        kernel.erase()
    call.decline(reasons[0])
    return True


def _mark(op: ir.Operation, values: Sequence[ir.Value | None]) -> bool:
    """Hands the mark of an operator over to the kernel that writes in its place, if it updates the same operand; whether it does."""
    made = values[0].owner if isinstance(values[0], ir.OpResult) else None
    if made is None or made.name != "loop.kernel" or len(made.results) != 1:
        return False
    (update,) = (u.value for u in made.attributes["updates"])
    if update < 0 or made.operands[update] != op.operands[op.attributes[MARK][0].value]:
        return False
    made.attributes[MARK] = ir.ArrayAttr.get([size_attr(update)])
    return True


def _drop(results: Sequence[ir.Value]) -> None:
    """Erases the kernels of results that nothing uses, and those that were only for them."""
    for result in results:
        if result.owner.name == "loop.kernel" and all(next(iter(r.uses), None) is None for r in result.owner.results):
            operands = [v for v in result.owner.operands if isinstance(v, ir.OpResult)]
            result.owner.erase()
            _drop(operands)


register_pass("convert-aten-to-loop", convert_aten_to_loop)
