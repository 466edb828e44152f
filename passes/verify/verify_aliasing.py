"""`verify-aliasing`: results share storage with arguments, and with each other, exactly where the imported graph had it so."""

from __future__ import annotations

from collections.abc import Iterator

from torch_mlir import ir

from ...dialects.aten import TensorInfo
from ...dialects.verify_aten import Broken
from ..analysis.alias_analysis import Aliases, functions_with_body, io_groups
from ..analysis.memory_overlap import is_empty
from ..registry import register_pass
from .verify_functional import is_functional
from .verify_ir import report


def verify_aliasing(module: ir.Module) -> None:
    """Emits a diagnostic for every broken rule, then raises `InvalidIR` if there was one."""
    recorded = (f for f in functions_with_body(module) if is_functional(f) and "aten.io_aliases" in f.attributes)
    report([broken for function in recorded for broken in _broken(function)])


def _broken(function: ir.OpView) -> Iterator[Broken]:
    block = function.regions[0].blocks[0]
    operations = list(block.operations)
    ending = operations[-1].operation
    aliases = Aliases(function)
    recorded = {frozenset((a, b)) for group in io_groups(function) for a in group for b in group if a != b}
    arguments = {n: v for n, v in enumerate(block.arguments) if _has_memory(v)}
    results = {-1 - n: v for n, v in enumerate(ending.operands) if _has_memory(v)}
    for number, value in results.items():
        for other, partner in (arguments | {n: v for n, v in results.items() if n > number}).items():
            shares = aliases.root(value) == aliases.root(partner)
            surely = shares and aliases.certain(value) and aliases.certain(partner)
            expected = frozenset((number, other)) in recorded
            position = value.owner.operation if isinstance(value, ir.OpResult) else ending
            if shares and not expected:
                yield position, f"{_name(number)} shares storage with {_name(other)}, and did not before"
            elif expected and not surely:
                yield position, f"{_name(number)} no longer shares storage with {_name(other)}"


def _has_memory(value: ir.Value) -> bool:
    return isinstance(value.type, ir.RankedTensorType) and not is_empty(TensorInfo.of(value.type))


def _name(number: int) -> str:
    return f"argument {number}" if number >= 0 else f"result {-1 - number}"


register_pass("verify-aliasing", verify_aliasing)
