"""Random programs as graphs of torch functions, as Dynamo would capture them, compiled by a backend."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from fuzz_operators import OPERATORS
from torch import fx
from torch._dynamo.source import LocalSource
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv


def store(target: torch.Tensor, place: Any, value: Any) -> None:
    """target[place] = value"""
    target[place] = value


NAMES = {"torch": torch, "F": F, "store": store, "slice": slice}
NAMES |= OPERATORS


class _Traced:
    """Stands for the module `torch`: every call becomes a node of a graph, those without tensors too."""

    def __init__(self, tracer: fx.Tracer) -> None:
        self.tracer = tracer

    def __getattr__(self, name: str) -> Any:
        found = getattr(torch, name)
        return self.function(found) if callable(found) and not isinstance(found, type) else found

    def function(self, called: Any) -> Callable[..., fx.Proxy]:
        return lambda *args, **kwargs: self.tracer.create_proxy("call_function", called, args, kwargs)


def graph_of(text: str, numbers: dict[str, Any]) -> fx.GraphModule:
    """The program as a graph of torch functions, as Dynamo would capture it; `numbers`: arguments that it is specialized for."""
    tracer = fx.Tracer()
    tracer.graph, tracer.root = fx.Graph(), torch.nn.Module()
    traced = _Traced(tracer)
    names = {n: traced.function(f) if callable(f) and f is not slice else f for n, f in NAMES.items()} | {"torch": traced, "F": F}
    exec(text, names)
    program = names["program"]
    parameters = program.__code__.co_varnames[: program.__code__.co_argcount]
    outputs = program(*[numbers[n] if n in numbers else tracer.create_proxy("placeholder", n, (), {}) for n in parameters])
    tracer.create_node("output", "output", (tracer.create_arg(outputs),), {})
    return fx.GraphModule(tracer.root, tracer.graph)


class Graphs:
    """A program compiled as a graph, its integers as symbols; anew where a call breaks what PyTorch assumed of them, or other floats or
    bools come."""

    def __init__(self, text: str, backend: Any, given: dict[str, Any]) -> None:
        self.text, self.backend, self.given = text, backend, given
        self.made: Callable[..., Any] | None = None

    def __call__(self, *inputs: Any) -> Any:
        symbolic = [value for value in inputs if isinstance(value, torch.Tensor) or type(value) is int]
        if self.made is None or not self.holds(inputs, symbolic):
            self.compile(inputs, symbolic)
        assert self.made is not None
        return tuple(self.made(*symbolic))

    def holds(self, inputs: tuple[Any, ...], symbolic: list[Any]) -> bool:
        if self.numbers != self.specialized(inputs):
            return False
        return bool(self.shape_env.evaluate_guards_for_args(self.examples, symbolic))

    def specialized(self, inputs: tuple[Any, ...]) -> list[tuple[int, str]]:
        return [(n, repr(value)) for n, value in enumerate(inputs) if isinstance(value, (bool, float))]

    def compile(self, inputs: tuple[Any, ...], symbolic: list[Any]) -> None:
        self.made = None  # if the backend raises, no later call may run the code that was compiled for other numbers
        names: dict[str, Any] = dict(NAMES)
        exec(self.text, names)
        parameters = names["program"].__code__.co_varnames
        self.numbers = self.specialized(inputs)
        graph = graph_of(self.text, {parameters[n]: inputs[n] for n, _ in self.numbers})
        self.shape_env = ShapeEnv()
        self.examples = self.fakes(symbolic)
        self.made = torch._dynamo.lookup_backend(self.backend)(graph, self.examples, **self.given)

    def fakes(self, symbolic: list[Any]) -> list[Any]:
        """What Dynamo would show the backend."""
        mode = FakeTensorMode(shape_env=self.shape_env)
        found = []
        for number, value in enumerate(symbolic):
            source = LocalSource(f"input{number}")
            if isinstance(value, torch.Tensor):
                found.append(mode.from_tensor(value, static_shapes=True, source=source))
            else:
                symbol = self.shape_env.create_unspecified_symbol(value, source)
                found.append(self.shape_env.create_symintnode(symbol, hint=value, source=source))
        return found
