"""Watchers, which see the tensors of each kernel and ATen call of a graph that runs as a Python function; checks are watchers."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch_mlir import ir

from ..dialects.locations import positions
from ..dialects.narrowing import integer, text, texts
from ..passes.value_names import NAMES
from .reference.copies import copied
from .reference.differences import wrong_value
from .reference.evaluate import evaluate_function


@dataclass(frozen=True)
class WatchedStep:
    """A launch or a call: `name` of the kernel or operator, the operators that it `computes`, their lines in the program, and the names of
    the values that it makes (`passes/value_names.py`). `outputs`: how many of a kernel's tensors
    it writes, the last ones; None for a call."""

    name: str
    computes: tuple[str, ...]
    lines: tuple[str, ...]
    values: tuple[str, ...] = ()
    outputs: int | None = None

    def __str__(self) -> str:
        what = f"kernel {self.name}" if self.outputs is not None else f"the call of {self.name}"
        return "\n".join([f"{what} ({', '.join(self.computes)})", *(f"  from {line}" for line in self.lines)])


class LaunchWatcher(abc.ABC):
    """`replaces`: whether `begin` runs kernels in place of their code. `steps`: by number, filled while the code is written. `functions`:
    the kernels; they live as long as their module."""

    replaces = False

    def __init__(self, module: ir.Module) -> None:
        self.functions = {text(o.attributes["sym_name"]): o.operation for o in module.body.operations if o.operation.name == "loop.func"}
        self.steps: dict[int, WatchedStep] = {}

    def note(self, step: int, op: ir.OpView) -> None:
        """Records what a step is."""
        lines = tuple(dict.fromkeys(p.with_text for p in positions(op.location)))
        values = tuple(texts(op.attributes[NAMES])) if NAMES in op.attributes else ()
        if op.operation.name == "host.call":
            target = text(op.attributes["target"])
            self.steps[step] = WatchedStep(target, (target,), lines, values)
            return
        name = text(op.attributes["kernel"])
        function = self.functions[name]
        computes = tuple(texts(function.attributes["computes"])) if "computes" in function.attributes else (name,)
        self.steps[step] = WatchedStep(name, computes, lines, values, integer(function.attributes["outputs"]))

    @abc.abstractmethod
    def begin(self, step: int, tensors: list[torch.Tensor], symbols: list[int]) -> None:
        """Before a launch; `tensors`: what the kernel reads, then what it writes."""

    @abc.abstractmethod
    def end(self, step: int, tensors: list[torch.Tensor]) -> None:
        """After a launch, with the same tensors; after a call, with its results."""


class ReferenceLaunches(LaunchWatcher):
    """Runs each kernel in the reference evaluator, and keeps what it writes in `written`, by step."""

    replaces = True

    def __init__(self, module: ir.Module) -> None:
        super().__init__(module)
        self.written: dict[int, list[torch.Tensor]] = {}

    def begin(self, step: int, tensors: list[torch.Tensor], symbols: list[int]) -> None:
        """Runs the kernel."""
        evaluate_function(self.functions[self.steps[step].name], tensors, symbols)

    def end(self, step: int, tensors: list[torch.Tensor]) -> None:
        """Keeps what was written."""
        self.written[step] = [t.clone() for t in written_of(self.steps[step], tensors)]


def written_of(step: WatchedStep, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """The tensors that a step writes."""
    return list(tensors if step.outputs is None else tensors[len(tensors) - step.outputs :])


class CompiledAndReference(LaunchWatcher):
    """Runs each kernel in the reference evaluator, too, on copies of what it reads and writes. `wrong`: the first step whose code gives
    something else, with the two results."""

    def __init__(self, module: ir.Module, least: float = 0.0) -> None:
        super().__init__(module)
        self.least = least
        self.wrong: tuple[WatchedStep, str] | None = None
        self._expected: list[torch.Tensor] = []

    def begin(self, step: int, tensors: list[torch.Tensor], symbols: list[int]) -> None:
        """Runs the kernel on copies."""
        copies = copied(tensors)
        evaluate_function(self.functions[self.steps[step].name], copies, symbols)
        self._expected = written_of(self.steps[step], copies)

    def end(self, step: int, tensors: list[torch.Tensor]) -> None:
        """Compares."""
        watched = self.steps[step]
        if self.wrong is not None or watched.outputs is None:
            return
        for wanted, found in zip(self._expected, written_of(watched, tensors), strict=True):
            problem = wrong_value(wanted, found, least=self.least)
            if problem is not None:
                self.wrong = watched, problem
                return
