"""`verify-functional`: only graph inputs are written, by `copy_` at the end, and nothing reads what such a write changed. The written
inputs are those that the imported graph wrote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from torch_mlir import ir

from ...dialects import aten_ops
from ...dialects.aten import size_of, stage_of
from ...dialects.narrowing import array
from ...dialects.verify_aten import Broken
from ..analysis.alias_analysis import Aliases, functions_with_body, read_operands, written_operands
from ..registry import register_pass
from .verify_ir import report

EPILOGUE = "aten.copy_.default"
EPILOGUE_OP = aten_ops.op_name(EPILOGUE)


def verify_functional(module: ir.Module) -> None:
    """Emits a diagnostic for every broken rule, then raises `InvalidIR` if there was one."""
    found = [f for f in functions_with_body(module) if is_functional(f)]
    unwritten = {number for function in found for number in _unlike_recorded(function)[0]}
    report([broken for function in found for broken in _broken(function)], lambda op: _written_input(op) in unwritten)


def is_functional(function: ir.OpView) -> bool:
    """Whether a function claims to keep the rules."""
    return stage_of(function) == "functional"


def _broken(function: ir.OpView) -> Iterator[Broken]:
    aliases = Aliases(function)
    written: list[ir.Value] = []
    for view in function.regions[0].blocks[0].operations:
        op = view.operation
        for value in read_operands(view) if op.name != "func.return" else ():
            if any(aliases.may_overlap(value, w) for w in written):
                yield op, "reads memory of a graph input after it was written: it would see the new value"
                break
        if not aten_ops.is_operator(op):
            continue
        schema = aten_ops.schema(op)
        for value in () if _is_own_copy(op, schema.name, aliases) else written_operands(view, schema):
            problem = _problem(schema.name, value)
            if problem:
                yield op, problem
            written.append(value)
    unwritten, added = _unlike_recorded(function)
    yield from ((function.operation, f"argument {n} is no longer written") for n in unwritten)
    yield from ((function.operation, f"argument {n} is written, and was not before") for n in added)


def _unlike_recorded(function: ir.OpView) -> tuple[list[int], list[int]]:
    """The arguments that are no longer written, and those that are newly written."""
    if "aten.io_writes" not in function.attributes:
        return [], []
    written = (_written_input(view.operation) for view in function.regions[0].blocks[0].operations)
    found = Counter(number for number in written if number is not None)
    recorded = Counter(int(size_of(n)) for n in array(function.attributes["aten.io_writes"]))
    return list((recorded - found).elements()), list((found - recorded).elements())


def _written_input(op: ir.Operation) -> int | None:
    """The number of the argument that a `copy_` writes; None for any other operation."""
    target = op.operands[0] if op.name == EPILOGUE_OP else None
    return target.arg_number if isinstance(target, ir.BlockArgument) else None


def _is_own_copy(op: ir.Operation, name: str, aliases: Aliases) -> bool:
    """Whether a `copy_` stores what a marked call has already written there."""
    if name != EPILOGUE or op.operands[0].type != op.operands[1].type or not isinstance(op.operands[0], ir.BlockArgument):
        return False
    return aliases.root(op.operands[0]) == aliases.root(op.operands[1])


def _problem(name: str, value: ir.Value) -> str | None:
    """The reason why an operator must not write a value; None if it may."""
    if name != EPILOGUE:
        return "writes to a value in a functional graph"
    return None if isinstance(value, ir.BlockArgument) else "copies onto a value that is no graph input"


register_pass("verify-functional", verify_functional)
