"""`kernel_debug="compare"`: each kernel's results are compared with what ATen computes from the same tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch_mlir import ir

from ..dialects.context import compile_context
from ..dialects.narrowing import integer, maker
from ..errors import WrongResult
from ..lowering.launch.convert_to_host import graph_function
from ..passes.value_names import NUMBER
from ..runner import Runner
from ..torch_internals.aot import mark_boxed
from .launch_watcher import LaunchWatcher, written_of
from .reference.copies import copied
from .reference.differences import least_share, wrong_value
from .reference.evaluate_graph import GraphValues

# A kernel may be wrong by this share of what a whole graph may be wrong by.
STRICTNESS = 0.2


class KernelComparison(LaunchWatcher):
    """Compares each kernel's results with what ATen computes for the kernel's operators. ATen starts from the inputs of the call and the
    results of earlier kernels and calls, which are kept. Raises WrongResult for the first kernel that differs.

    `source`: the graph before it became kernels, with the numbers of `passes/value_names.py`.
    """

    def __init__(self, module: ir.Module, source: str, graph: str) -> None:
        super().__init__(module)
        self.source, self.graph, self.least = source, graph, least_share(source)
        self._inputs: list[Any] = []
        self._made: dict[str, torch.Tensor] = {}

    def around(self, runner: Runner) -> Runner:
        """The runner, whose inputs are kept."""

        def run(inputs: list[Any]) -> Sequence[Any]:
            self._inputs, self._made = copied(inputs), {}
            try:
                return runner(inputs)
            finally:
                self._inputs, self._made = [], {}

        return mark_boxed(run)

    def begin(self, step: int, tensors: list[torch.Tensor], symbols: list[int]) -> None:
        """Nothing: the inputs and earlier results are kept."""

    def end(self, step: int, tensors: list[torch.Tensor]) -> None:
        """Compares what a kernel has made, and keeps it."""
        watched = self.steps[step]
        written = written_of(watched, tensors)
        named = {name: value for name, value in zip(watched.values, written, strict=False) if name}
        if watched.outputs is not None and named:
            with torch.no_grad():
                self._compare(step, named)
        self._made.update((name, copied([value])[0]) for name, value in named.items())

    def _compare(self, step: int, named: dict[str, torch.Tensor]) -> None:
        with compile_context():
            module = ir.Module.parse(self.source)
            function = graph_function(module)
            numbers = {integer(op.attributes[NUMBER]): op for op in function.regions[0].blocks[0].operations if NUMBER in op.attributes}
            values = GraphValues(function, copied(self._inputs), {})
            for name, value in self._made.items():
                values.known[_result(numbers, name)] = value
            for name, found in named.items():
                wanted = values.value(_result(numbers, name))
                if wanted is None:
                    continue
                problem = wrong_value(wanted.contiguous(), found.contiguous(), STRICTNESS, self.least)
                if problem is not None:
                    operator = maker(_result(numbers, name)).name
                    watched = self.steps[step]
                    raise WrongResult(f"graph {self.graph}: {watched}\n  differs from ATen in the result of {operator}: {problem}")


def _result(numbers: dict[int, ir.OpView], name: str) -> ir.Value:
    number, _, result = name.partition(":")
    return numbers[int(number)].results[int(result)]
