"""Calls of `cond`, `while_loop`, `scan` and `map` whose bodies are native functions."""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir

from ...dialects.aten import Operand, size_of
from ...dialects.host import CONTROL
from ...dialects.narrowing import Attributes, array, dense_integers, dictionary, text, texts
from ...torch_internals.layout import DO_PYTHON
from .host_function import HostFunction, coded

COND, WHILE = "cond", "while_loop"  # the other kinds are `scan` and `map_impl`


class ControlFlowCalls:
    """Emits such calls into a function."""

    def __init__(self, function: HostFunction) -> None:
        self.f = function

    def emit(self, op: ir.OpView, slots: Sequence[int], python: Sequence[int]) -> None:
        """Emits a call, whose results go to `slots`. `python`: the step in which Python makes the call, to repeat it if a kernel fails."""
        f, control = self.f, dictionary(op.attributes[CONTROL])
        inputs = [self._word(op, entry) for entry in array(control["inputs"])]
        stacks = self._stacks(op, control)
        f.flush()
        values = [f.load(word) if isinstance(entry, Operand) else f.sizes.value(size_of(entry)) for entry, word in inputs]
        records = [f.emitter.external(name) for name in texts(control["bodies"])]
        places = dense_integers(control["places"])
        targets = f.emitter.numbers([len(places), *(slots[n] for n in places)])
        end = [targets, f.emitter.numbers(coded(DO_PYTHON, python))]
        kind = text(control["kind"])
        if kind == COND:
            operands = [f.frame.base, values[0], *records, f.room.keep(values[1:]), *end]
            f.check(f.emitter.call("mlirind_host_cond", "ppppppp:i", operands))
        elif kind == WHILE:
            f.check(f.emitter.call("mlirind_host_while", "pppppp:i", [f.frame.base, *records, f.room.keep(values), *end]))
        else:
            numbers = [*dense_integers(control["counts"]), len(values), len(stacks) // 2, *stacks]
            operands = [f.frame.base, *records, f.room.keep(values), f.emitter.numbers(numbers), *end]
            f.check(f.emitter.call("mlirind_host_scan", "pppppp:i", operands))

    def _word(self, op: ir.OpView, entry: ir.Attribute) -> tuple[ir.Attribute, int]:
        """An input, and the word of its handle if it is a tensor."""
        return entry, self.f.laid_out(op.operands[size_of(entry.index)]) if isinstance(entry, Operand) else 0

    def _stacks(self, op: ir.OpView, control: Attributes) -> list[int]:
        """Allocates the stacked results: for each, the word of its handle, and whether the body may write there."""
        in_place = dense_integers(control["in_place"])
        places = dense_integers(control["places"])
        stacks: list[int] = []
        for place, writes in zip(places[len(places) - len(in_place) :], in_place, strict=True):
            word = self.f.reserve(2)
            self.f.slots.append(word)
            self.f.new_tensor(op.results[place].type, word)
            stacks += [word, writes]
        return stacks
