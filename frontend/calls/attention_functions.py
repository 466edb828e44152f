"""The functions of a call of `flex_attention`, apart from its graph. Needs no compiler: graphs from the cache have them, too."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import torch
from torch import fx

from .attention_formulas import Attention

_Call = TypeVar("_Call", bound=Attention)
_HALVES = (torch.bfloat16, torch.float16)


def with_exact_numbers(graph_module: fx.GraphModule) -> fx.GraphModule:
    """The graph with the numbers of `where(..., score, -1e9)` in float32. Dynamo traces the functions with a score of the query's dtype, so
    such a number becomes a constant of a half type, -inf in float16; eager's scores are float32, and the number with them.

    Only `where` with a number makes such a constant with a layout: `torch.scalar_tensor` that the program calls has none."""
    graph = copy.deepcopy(graph_module.graph)
    for node in graph.find_nodes(op="call_function", target=torch.ops.aten.scalar_tensor.default):
        of_where = all(user.target is torch.ops.aten.where.self for user in node.users)
        if of_where and node.kwargs.get("layout") is torch.strided and node.kwargs.get("dtype") in _HALVES:
            node.kwargs = {**node.kwargs, "dtype": torch.float32}
    return fx.GraphModule(graph_module, graph)


class ScalarFunction(fx.Interpreter):
    """A graph of scalars as a function, with fake tensors in place of its constants."""

    def __init__(self, graph_module: fx.GraphModule, constants: dict[str, Any]) -> None:
        super().__init__(graph_module, garbage_collect_values=False)
        self.constants = constants

    def get_attr(self, target: Any, args: Any, kwargs: Any) -> Any:
        """The fake tensor of a constant."""
        return self.constants[str(target)]

    def __call__(self, *args: Any) -> Any:
        result = self.run(*args)
        return list(result) if isinstance(result, (list, tuple)) else result


class Taken:
    """Stands for a tensor or size that the functions take."""


@dataclass(eq=False)
class AttentionFunctions:
    """The functions and numbers of a call. `formula`: what it computes; `graphs`: of the mask, of the score's modification and of its
    gradients; `constants`: the constants of these, each by its graph's number and its name; `captured`: what the score's modification
    takes, then what the mask takes, of which `own` are the first's: numbers, and `Taken`; `dtype`: the query's."""

    formula: Callable[..., Any]
    graphs: Sequence[fx.GraphModule] = field(repr=False)
    constants: Sequence[tuple[int, str]]
    captured: Sequence[Any]
    own: int
    scale: float
    dtype: torch.dtype

    def __reduce__(self) -> tuple[Any, ...]:
        rest = self.formula, tuple(self.constants), tuple(self.captured), self.own, self.scale, self.dtype
        return StoredFunctions, (pickle.dumps(list(self.graphs)), rest)

    def call(self, kind: type[_Call], captured: Sequence[Any], constants: Sequence[Any], **part: Any) -> _Call:
        """The functions and numbers. `captured`: what its functions take, then what its mask takes."""
        known = dict(zip(self.constants, constants, strict=True))
        mask, modify, *rest = [
            ScalarFunction(graph, {name: value for (of, name), value in known.items() if of == number})
            for number, graph in enumerate(self.graphs)
        ]
        own, of_mask = captured[: self.own], captured[self.own :]
        return kind(modify, mask, self.scale, self.dtype, own, of_mask, rest[0] if rest else None, **part)

    def call_of(self, kind: type[_Call], others: Sequence[Any], **part: Any) -> _Call:
        """The same with `others` in place of what the functions take, and of their constants."""
        taken = iter(others)
        captured = [next(taken) if isinstance(v, Taken) else v for v in self.captured]
        return self.call(kind, captured, list(taken), **part)

    def __call__(self, tensors: Sequence[Any], others: Sequence[Any]) -> Sequence[Any]:
        """The results of the call for these values, computed with all scores."""
        results: Sequence[Any] = self.formula(self.call_of(Attention, others), *tensors)
        return results


@dataclass(eq=False)
class StoredFunctions:
    """The same, from the cache: unpickled when it is first called, because most calls never need all scores."""

    graphs: bytes = field(repr=False)
    rest: tuple[Any, ...]

    def __reduce__(self) -> tuple[Any, ...]:
        return StoredFunctions, (self.graphs, self.rest)

    def __call__(self, tensors: Sequence[Any], others: Sequence[Any]) -> Sequence[Any]:
        formula, *rest = self.rest
        return AttentionFunctions(formula, pickle.loads(self.graphs), *rest)(tensors, others)
