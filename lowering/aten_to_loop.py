"""`convert-aten-to-loop`: every operator with a lowering rule becomes loop kernels; views and other operators stay."""

import functools
from collections.abc import Callable, Sequence

from torch_mlir import ir

from ..dialects import aten_ops
from ..dialects.aten import TensorInfo, size_attr
from ..dialects.narrowing import function_of, integers, maker
from ..dialects.requirements import add_requirements
from ..passes.analysis.inplace_rules import MARK, replaced_region
from ..passes.analysis.memory_overlap import has_own_layout
from ..passes.registry import register_pass
from ..passes.rewrite_limit import may_rewrite
from ..passes.value_names import pass_names_on
from ..passes.working_on import works_on_operation
from .emission.kernel_builder import ContextTables
from .repeated_calls import RepeatedCalls
from .rules import RULES
from .rules.preconditions import broken
from .rules.registry import LoweredCall
from .tt.support import why_unsupported

# Returns why a call must not be replaced by its rule's kernels, or None.
Objection = Callable[[LoweredCall], str | None]


def convert_aten_to_loop(module: ir.Module, objection: Objection | None = None) -> None:
    """Applies the rules of `lowering/rules` to all functions of the module."""
    tables = ContextTables()
    for function in module.body.operations:
        deterministic = "aten.deterministic" in function.operation.attributes
        objections: list[Objection] = [functools.partial(_without_gpu_code, deterministic), *([objection] if objection else [])]
        # An objection may depend on more than what makes calls equal.
        _convert_regions(function.operation, tables, objections, None if objection else RepeatedCalls())


def _convert_regions(op: ir.Operation, tables: ContextTables, objections: Sequence[Objection], repeated: RepeatedCalls | None) -> None:
    for body in op.regions:
        for block in body.blocks:
            for inner in list(block.operations):
                _convert(inner.operation, tables, objections, repeated)


@works_on_operation
def _convert(op: ir.Operation, tables: ContextTables, objections: Sequence[Objection], repeated: RepeatedCalls | None) -> None:
    if not aten_ops.is_operator(op):
        if op.name != "loop.kernel":
            _convert_regions(op, tables, objections, repeated)
        return
    name = aten_ops.pytorch_name(op)
    rule = RULES.get(name)
    if rule is None or not may_rewrite("kernel", op):
        return
    key = repeated.key(op) if repeated else None
    copies = repeated.copied(key, op) if repeated and key is not None else None
    if copies is not None:
        _replace(op, copies)
        return
    call = LoweredCall(tables, op, name, aten_ops.arguments(op))
    problem = _unfit_region(call) or call.unsupported()
    if problem:
        call.decline(problem)
        return
    values = rule(call)
    if values is None:
        _erase_kernels(call)
        return
    if _is_refused(call, objections):
        return
    if MARK in op.attributes and not _mark(op, values) and not has_own_layout(TensorInfo.of(op.results[0].type)):
        call.decline("writes a part of a tensor in place")
        _drop([v for v in values if isinstance(v, ir.OpResult)])
        return
    if call.required:
        add_requirements(function_of(op), call.required)
    if repeated and key is not None:
        repeated.keep(key, call, values)
    _replace(op, values)


def _replace(op: ir.Operation, values: Sequence[ir.Value | None]) -> None:
    pass_names_on(op, values)
    for old, new in zip(op.results, values, strict=True):
        if new is not None:
            old.replace_all_uses_with(new)
    op.erase()


def _unfit_region(call: LoweredCall) -> str | None:
    """The reason why eager refuses a marked `slice_scatter` or the like; None if it does not. A refused one is not written in place,
    because the sizes of its source determine what would be written. Conditions on symbolic sizes become requirements, for kernels and
    copies alike."""
    if MARK not in call.op.attributes or replaced_region(call.op) is None:
        return None
    problem = broken(call)
    if problem:
        del call.op.attributes[MARK]
    elif call.required:
        add_requirements(function_of(call.op), call.required)
    return problem


def _is_refused(call: LoweredCall, objections: Sequence[Objection]) -> bool:
    """Whether an objection to a rule's kernels exists. Then the kernels are erased, and the operator stays a call."""
    reason = next(filter(None, (objection(call) for objection in objections)), None) if call.kernels else None
    if reason is None:
        return False
    _erase_kernels(call)
    call.decline(reason)
    return True


def _erase_kernels(call: LoweredCall) -> None:
    """Erases the kernels that a rule has made or begun."""
    for kernel in reversed(call.kernels):
        kernel.erase()


def _without_gpu_code(deterministic: bool, call: LoweredCall) -> str | None:
    """The reason why one of a rule's kernels for a GPU has no code; None if all have."""
    if call.tables.info(call.kernels[0].results[0].type).device == "cpu":
        return None
    return next(filter(None, (why_unsupported(kernel, deterministic) for kernel in call.kernels)), None)


def _mark(op: ir.Operation, values: Sequence[ir.Value | None]) -> bool:
    """Moves an operator's in-place mark to its kernel, if that updates the same operand; returns whether it does."""
    made = values[0].owner if isinstance(values[0], ir.OpResult) else None
    if made is None or made.name != "loop.kernel" or len(made.results) != 1:
        return False
    (update,) = integers(made.attributes["updates"])
    if update < 0 or made.operands[update] != op.operands[integers(op.attributes[MARK])[0]]:
        return False
    made.attributes[MARK] = ir.ArrayAttr.get([size_attr(update)])
    return True


def _drop(results: Sequence[ir.Value]) -> None:
    """Erases the kernels of unused results, and the kernels that only they used."""
    for result in results:
        op = maker(result)
        if op.name == "loop.kernel" and all(next(iter(r.uses), None) is None for r in op.results):
            operands = [v for v in op.operands if isinstance(v, ir.OpResult)]
            op.erase()
            _drop(operands)


register_pass("convert-aten-to-loop", convert_aten_to_loop)
