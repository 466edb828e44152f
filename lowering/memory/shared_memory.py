"""Which values of a graph in `host` form may share memory."""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir

from ...passes.analysis.alias_analysis import io_groups
from .buffer_lives import forgets_operands


class SharedMemory:
    """`of` gives one number for all values that may share memory: views and buffers in dead ones, arguments that the caller lets share
    storage, and the operands and results of an operator that may return or keep an operand's memory."""

    def __init__(self, function: ir.OpView) -> None:
        block = function.regions[0].blocks[0]
        self._numbers: dict[ir.Value, int] = {}
        self._above: list[int] = []  # a forest: the parent of each number, or itself
        arguments = list(block.arguments)
        for group in io_groups(function):
            self._join([arguments[n] for n in group if n >= 0])
        for op in block.operations:
            if op.operation.name in ("host.view", "host.reuse"):
                self._join([op.results[0], op.operands[0]])
            elif op.operation.name == "host.call" and not forgets_operands(op):
                self._join([*op.operands, *op.results])

    def of(self, value: ir.Value) -> int:
        """The number of the memory of `value`."""
        number = self._numbers.setdefault(value, len(self._above))
        if number == len(self._above):
            self._above.append(number)
        while self._above[number] != number:
            self._above[number] = self._above[self._above[number]]
            number = self._above[number]
        return number

    def _join(self, values: Sequence[ir.Value]) -> None:
        for value in values[1:]:
            self._above[self.of(value)] = self.of(values[0])
