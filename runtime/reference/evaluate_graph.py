"""Evaluates a graph function after `convert-aten-to-loop`: kernels by `evaluate_kernel`, operators by ATen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import sympy
import torch
from torch_mlir import ir

from ...bridge.operators import operator_of, to_torch
from ...dialects import aten, aten_ops
from ...dialects.aten import TensorInfo
from ...dialects.host import argument_attributes
from ...dialects.narrowing import maker, text
from ...passes.analysis.alias_analysis import marked
from .evaluate import concrete, evaluate_kernel


def evaluate_graph(function: ir.OpView, arguments: Sequence[Any], symbols: Mapping[str, int] | None = None) -> list[Any]:
    """The function's outputs (`aten.outputs`) for tensors and integers as arguments; `symbols`: values of symbols that the arguments do
    not determine."""
    return _Run(function, arguments, symbols or {}).outputs()


def evaluate_every_value(function: ir.OpView, arguments: Sequence[Any]) -> Iterator[tuple[int, list[Any]]]:
    """Runs the function; after each operation gives its number in the block and its results, which later operations may write."""
    return _Run(function, arguments, {}).steps()


class _Run:
    def __init__(self, function: ir.OpView, arguments: Sequence[Any], symbols: Mapping[str, int]):
        self.function = function
        self.block = function.regions[0].blocks[0]
        self.values: dict[ir.Value, Any] = dict(zip(self.block.arguments, arguments, strict=True))
        self.symbols = dict(symbols)
        for argument, known in zip(self.block.arguments, argument_attributes(function), strict=True):
            self._bind(argument, known)

    def _bind(self, argument: ir.BlockArgument, known: Any) -> None:
        value = self.values[argument]
        if "aten.symbol" in known:
            self.symbols[text(known["aten.symbol"])] = value
        elif isinstance(value, torch.Tensor):
            info = TensorInfo.of(argument.type)
            for size, actual in zip((*info.sizes, *info.strides), (*value.shape, *value.stride()), strict=True):
                if isinstance(size, sympy.Symbol):
                    self.symbols[size.name] = actual

    def outputs(self) -> list[Any]:
        """Runs the function."""
        for _ in self.steps():
            pass
        return self._returned(list(self.block.operations)[-1].operation)

    def steps(self) -> Iterator[tuple[int, list[Any]]]:
        """Runs the operations; after each that has results its number and these."""
        for number, view in enumerate(self.block.operations):
            op = view.operation
            if op.name == "loop.kernel":
                results = evaluate_kernel(op, [self.values[o] for o in op.operands], self.symbols)
            elif op.name == "aten.sym_value":
                results = [concrete(aten.size_of(op.attributes["expr"]), self.symbols)]
            elif op.name in ("aten.number", "func.return"):
                continue
            else:
                results = self._call(op)
            self.values.update(zip(op.results, results, strict=True))
            for result, operand in marked(view):  # it lies in the operand's memory
                self.values[result] = self.values[operand].copy_(self.values[result])
            yield number, results

    def _call(self, op: ir.Operation) -> list[Any]:
        schema = aten_ops.schema(op)
        values = aten_ops.arguments(op)
        given = {a.name: self._torch(values[a.name], a) for a in schema.arguments}
        positional = [given[a.name] for a in schema.arguments if not a.keyword_only]
        results = operator_of(schema)(*positional, **{a.name: given[a.name] for a in schema.arguments if a.keyword_only})
        if len(schema.returns) <= 1:
            results = [results] if schema.returns else []
        return [r for result in results for r in (result if isinstance(result, (list, tuple)) else [result])]

    def _torch(self, value: Any, argument: Any) -> Any:
        if isinstance(value, list):
            return [self._torch(v, argument) for v in value]
        if isinstance(value, ir.Value):
            return self.values[value]
        return concrete(value, self.symbols) if isinstance(value, sympy.Expr) else to_torch(value, argument)

    def _returned(self, op: ir.Operation) -> list[Any]:
        outputs = aten.outputs_of(self.function, op.operands)
        return [self.values[o] if isinstance(o, ir.Value) else None if o is None else concrete(o, self.symbols) for o in outputs]


class GraphValues(_Run):
    """Values of a graph by ATen, each computed when it is first asked for, from arguments and from what is `known`."""

    @property
    def known(self) -> dict[ir.Value, Any]:
        """The values so far."""
        return self.values

    def value(self, wanted: ir.Value) -> Any:
        """A value. None if it depends on random numbers or on a write that was not made."""
        waiting = [wanted]
        while waiting:
            current = waiting[-1]
            if current in self.values:
                waiting.pop()
                continue
            op = maker(current).operation
            missing = [v for v in op.operands if v not in self.values]
            if op.name == "aten.number":
                self.values[current] = None
            elif missing:
                waiting += missing
            elif not self._compute(op):
                return None
        return self.values[wanted]

    def _compute(self, op: ir.Operation) -> bool:
        if op.name == "aten.sym_value":
            results = [concrete(aten.size_of(op.attributes["expr"]), self.symbols)]
        else:
            schema = aten_ops.schema(op)
            if schema.random or schema.mutates or schema.ordered:
                return False
            results = self._call(op)
        self.values.update(zip(op.results, results, strict=True))
        return True
