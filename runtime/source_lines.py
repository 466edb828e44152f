"""The source lines of operations, and IR printed with them as comments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from torch_mlir import ir

from ..dialects.locations import positions

_FUNCTION = re.compile(r"\n  func\.func .*?\n  \}", re.DOTALL)
# At the indentation of a function's body, a closing brace and a block's header continue the operation above.
_OPERATION = re.compile(r"    [^ }^]")


def source_lines(ops: Iterable[ir.OpView]) -> tuple[str, ...]:
    """`file:line: text` of each source line of the operations, without repetition, in the operations' order."""
    return tuple(dict.fromkeys(p.with_text for op in ops for p in positions(op.location)))


def annotated(module: ir.Module) -> str:
    """The module's text, with a comment before each operation whose source lines differ from those of the operation above."""
    functions = iter([op for op in module.body.operations if op.operation.name == "func.func"])
    return _FUNCTION.sub(lambda match: _annotated_function(match[0], next(functions)), str(module))


def _annotated_function(text: str, function: ir.OpView) -> str:
    lines = text.split("\n")
    ops = list(function.regions[0].blocks[0].operations)
    if sum(1 for line in lines if _OPERATION.match(line)) != len(ops):
        return text  # an unknown form of printing
    return "\n".join(_with_comments(lines, ops))


def _with_comments(lines: Iterable[str], ops: Iterable[ir.OpView]) -> Iterator[str]:
    waiting, last = iter(ops), None
    for line in lines:
        if _OPERATION.match(line):
            found = source_lines([next(waiting)])
            if found and found != last:
                yield from (f"    // {text}" for text in found)
                last = found
        yield line
