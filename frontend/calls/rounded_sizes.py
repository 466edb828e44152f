"""Makes sizes that are rounded floats (`int(0.7 * n)`, `round(n / 2)`, `arange(0, n, 0.5)`), and conditions on floats that are used as
numbers, inputs of their graph.

The dialect's expressions are of integers. A symbol of its own stands for such a size (`bridge/symbols.py`); a call of the graph computes
its value as Python does, and passes it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx

from ...bridge.symbols import RoundedFloat, float_from_torch, given_to, number_from_condition, rounded_floats, size_from_torch
from ...dialects.aten import Size
from ...errors import UnsupportedGraph
from ...runner import Runner
from ...runtime.host.size_source import condition_source, size_source
from ...torch_internals.aot import mark_boxed
from ...torch_internals.fx_graphs import make_graph_module
from ...torch_internals.trees import tree_leaves
from ..calling.size_guards import is_condition_node


@dataclass
class GraphWithSizes:
    """The graph with the rounded sizes as its last inputs; `compute` gives their values for the list of the other inputs."""

    graph_module: fx.GraphModule
    compute: Callable[[list[Any]], Sequence[int]]

    def runner(self, run: Runner) -> Runner:
        """The runner of the original graph. `run`: that of the graph with the sizes as inputs."""

        def call(inputs: list[Any]) -> Sequence[Any]:
            inputs.extend(self.compute(inputs))
            return run(inputs)

        return mark_boxed(call)


def with_rounded_sizes(graph_module: fx.GraphModule) -> GraphWithSizes | None:
    """The graph with its rounded sizes as inputs, in new nodes; None if it has none, or if it has one whose symbols no input gives."""
    graph = graph_module.graph
    placeholders = graph.find_nodes(op="placeholder")
    reads = _reads(placeholders)
    if not reads:
        return None  # without symbols there are no rounded sizes: the values of a graph of fixed sizes are not looked at
    known = [n.meta["val"] for n in placeholders if isinstance(n.meta.get("val"), (torch.SymInt, torch.SymBool))]
    given = {str(e) for value in known for e in _expressions(value)}
    used = rounded_floats([e for n in graph.nodes if not is_condition_node(n) for e in _expressions(n.meta.get("val"))])
    found = {name: rounded for name, rounded in used.items() if name not in given}
    if not found or any(s.name not in reads for s in given_to(used)):
        return None
    env = _shape_env(graph)
    made: dict[fx.Node, fx.Node] = {}
    copy = fx.Graph()
    for node in graph.nodes:
        made[node] = copy.node_copy(node, made.__getitem__)
        if node is placeholders[-1]:
            for name, rounded in found.items():
                make = env.create_symboolnode if rounded.is_condition else functools.partial(env.create_symintnode, hint=None)
                copy.placeholder(name).meta["val"] = make(rounded.traced)
    return GraphWithSizes(make_graph_module(graph_module, copy), _function(used, list(found), reads))


def _function(used: dict[str, RoundedFloat], names: Sequence[str], reads: dict[str, str]) -> Callable[[list[Any]], Sequence[int]]:
    """The function that computes the sizes of these names from the list `inputs`."""
    values = ", ".join(f"({name} := {r.operation}({_source(r)}))" for name, r in used.items())
    symbols = sorted(s.name for s in given_to(used))
    sizes: Callable[..., Sequence[int]] = eval(f"lambda {', '.join(symbols)}: (({values},), ({', '.join(names)},))[1]", {"math": math})
    arguments: Callable[[list[Any]], Sequence[int]] = eval(f"lambda inputs: ({', '.join(reads[name] for name in symbols)},)")
    return lambda inputs: sizes(*arguments(inputs))


def _source(rounded: RoundedFloat) -> str:
    return condition_source(rounded.number) if rounded.is_condition else size_source(rounded.number)


def _shape_env(graph: fx.Graph) -> Any:
    values = (leaf for node in graph.nodes for leaf in tree_leaves(node.meta.get("val")))
    return next(v.node.shape_env for v in _numbers(values) if isinstance(v, (torch.SymInt, torch.SymFloat, torch.SymBool)))


def _numbers(values: Iterator[Any]) -> Iterator[Any]:
    """The numbers among values, and the sizes, strides and offsets of tensors."""
    for value in values:
        if isinstance(value, torch.Tensor) and value.layout is torch.strided:
            yield from (*value.shape, *value.stride(), value.storage_offset())
        else:
            yield value


def _expressions(value: Any) -> Iterator[Size]:
    """The expressions of the numbers in a node's value; none that the dialect lacks."""
    for number in _numbers(iter(tree_leaves(value))):
        try:
            if isinstance(number, torch.SymInt):
                yield size_from_torch(number)
            elif isinstance(number, torch.SymBool):
                yield number_from_condition(number)
            elif isinstance(number, torch.SymFloat):
                expression = float_from_torch(number)
                yield from () if isinstance(expression, float) else (expression,)
        except UnsupportedGraph:
            pass


def _reads(placeholders: Sequence[fx.Node]) -> dict[str, str]:
    """Where the list `inputs` has the value of each symbol, by its name."""
    found: dict[str, str] = {}
    for n, node in enumerate(placeholders):
        value = node.meta.get("val")
        reads = [(value, f"inputs[{n}]")]
        if isinstance(value, torch.Tensor):
            reads = [(s, f"inputs[{n}].{kind}({d})") for kind in ("size", "stride") for d, s in enumerate(getattr(value, kind)())]
        for number, read in reads:
            if isinstance(number, torch.SymInt) and number.node.expr.is_Symbol:
                found.setdefault(number.node.expr.name, read)
    return found
