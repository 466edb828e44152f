"""Names of values, for checks that compare a kernel's results with ATen's. An operator gets a number; the kernel or call that it becomes
carries the names of its results."""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir

from ..dialects import aten_ops
from ..dialects.aten import size_attr
from ..dialects.narrowing import integer, texts
from .analysis.alias_analysis import functions_with_body

NUMBER = "aten.value"  # of an operator
NAMES = "aten.values"  # of a kernel, launch or call: for each result `NUMBER:RESULT`, empty if no operator has it as result


def name_values(module: ir.Module) -> None:
    """Numbers the operators of a module."""
    for function in functions_with_body(module):
        for number, op in enumerate(function.regions[0].blocks[0].operations):
            if aten_ops.is_operator(op):
                op.attributes[NUMBER] = size_attr(number)


def text_with_names(module: ir.Module) -> str:
    """Numbers the operators of a module, and returns it as text with locations."""
    name_values(module)
    return module.operation.get_asm(enable_debug_info=True)


def pass_names_on(op: ir.Operation, values: Sequence[ir.Value | None]) -> None:
    """Gives the kernels that replace the results of `op` by `values` the names of these results."""
    if NUMBER not in op.attributes:
        return
    for result, value in enumerate(values):
        if isinstance(value, ir.OpResult) and value.owner.name == "loop.kernel":
            set_name(value, f"{integer(op.attributes[NUMBER])}:{result}")


def name_of(value: ir.Value) -> str:
    """The name of a kernel's result; empty if it has none."""
    op = value.owner if isinstance(value, ir.OpResult) else None
    if op is None or NAMES not in op.attributes:
        return ""
    return texts(op.attributes[NAMES])[ir.OpResult(value).result_number]


def set_name(value: ir.OpResult, name: str) -> None:
    """Names a kernel's result, unless it has a name."""
    op = value.owner
    known = list(texts(op.attributes[NAMES])) if NAMES in op.attributes else [""] * len(op.results)
    known[value.result_number] = known[value.result_number] or name
    op.attributes[NAMES] = ir.ArrayAttr.get([ir.StringAttr.get(n) for n in known])


def names_of_results(op: ir.OpView | ir.Operation) -> dict[str, ir.Attribute]:
    """The attribute that a launch or call takes on from the operation that it replaces; none without names."""
    if NAMES in op.attributes:
        return {NAMES: op.attributes[NAMES]}
    if NUMBER not in op.attributes:
        return {}
    number = integer(op.attributes[NUMBER])
    return {NAMES: ir.ArrayAttr.get([ir.StringAttr.get(f"{number}:{n}") for n in range(len(op.results))])}
