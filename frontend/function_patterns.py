"""Patterns on torch functions, for the point before AOTAutograd: a subgraph that computes as one Python function does becomes another.

Both functions are captured by Dynamo, so calls have the form that they have in a user's graph. Every number must agree. A match
stands only where nothing in the graph can tell: no node within writes, and none writes to anything between its first node and its
last, where the replacement is put; no value within is used outside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import fx
from torch.fx.passes.utils.matcher_utils import InternalMatch, SubgraphMatcher

from ..errors import MlirindError
from .pre_grad import Observation, describe, memory_groups, register_pre_grad_pass

Function = Callable[..., Any]


def register_function_replacement(search: Function, replace: Function, example_inputs: Sequence[torch.Tensor], *, name: str) -> None:
    """Registers the pre-grad pass `name`: what computes as `search` does is computed as in `replace`, which has its parameters.

    Raises MlirindError where a function can't be captured as one graph, or `search` does nothing with a parameter.
    """
    pattern, made = (_capture(name, function, example_inputs) for function in (search, replace))
    unused = _parameters(made).keys() - _parameters(pattern).keys()
    if unused:
        raise MlirindError(f"pattern {name!r}: the search function does nothing with {', '.join(sorted(unused))}")
    register_pre_grad_pass(name, lambda graph_module: apply_pattern(graph_module, pattern, made))


def _capture(name: str, function: Function, example_inputs: Sequence[torch.Tensor]) -> fx.Graph:
    graphs: list[fx.Graph] = []

    def keep(graph_module: fx.GraphModule, _inputs: Any) -> Any:
        graphs.append(graph_module.graph)
        return graph_module.forward

    given = [e.detach().clone().requires_grad_(e.requires_grad) for e in example_inputs]  # one example twice would be one input
    try:
        torch.compile(function, backend=keep, fullgraph=True)(*given)
    except Exception as error:
        reason = f"{type(error).__name__}: {error}".split("\n")[0]
        raise MlirindError(
            f"pattern {name!r}: {getattr(function, '__name__', 'function')} can't be captured as one graph: {reason}"
        ) from error
    if len(graphs) != 1:
        raise MlirindError(f"pattern {name!r}: the function has no graph of torch functions")
    return graphs[0]


def _parameters(graph: fx.Graph) -> dict[str, fx.Node]:
    """The placeholders by the parameter that they stand for."""
    return {str(n.target).removeprefix("L_").removesuffix("_"): n for n in graph.find_nodes(op="placeholder")}


def apply_pattern(graph_module: fx.GraphModule, pattern: fx.Graph, made: fx.Graph) -> None:
    """Replaces all matches that may be, in place."""
    matcher = SubgraphMatcher(pattern, match_output=False, match_placeholder=False, remove_overlapping_matches=True)
    matches = matcher.match(graph_module.graph, node_name_match="")
    if not matches:
        return
    observation = Observation(graph_module)
    for match in matches:
        _replace(graph_module.graph, pattern, made, match, observation)


def _replace(graph: fx.Graph, pattern: fx.Graph, made: fx.Graph, match: InternalMatch, observation: Observation) -> None:
    inner = {p: n for p, n in match.nodes_map.items() if isinstance(n, fx.Node) and p.op not in ("placeholder", "output")}
    order = {node: number for number, node in enumerate(graph.nodes)}
    nodes = sorted(inner.values(), key=order.__getitem__)
    parameters = _parameters(pattern)
    values = {node: match.nodes_map[parameters[name]] for name, node in _parameters(made).items()}
    if not _may_move(order, nodes, match, observation) or not _is_like(made, values, match, observation):
        return
    point = last = nodes[-1]
    for node in (n for n in made.nodes if n.op not in ("placeholder", "output")):
        with graph.inserting_after(point):
            point = values[node] = graph.node_copy(node, values.__getitem__)
        point.meta = {k: v for k, v in last.meta.items() if k != "example_value"}
    results = made.output_node().args[0]
    for old, new in zip(match.returning_nodes, results, strict=True):
        old.replace_all_uses_with(values[new])
    for node in reversed(nodes):
        graph.erase_node(node)


def _is_like(made: fx.Graph, values: dict[fx.Node, Any], match: InternalMatch, observation: Observation) -> bool:
    """Whether the replacement's results are tensors like those replaced, over the same memory, and it writes to nothing."""
    known = observation.values
    given = [known[v] if isinstance(v, fx.Node) else v for v in (values.get(n) for n in made.find_nodes(op="placeholder"))]
    before = [known[n] for n in match.returning_nodes]
    versions = [v._version for v in given if isinstance(v, torch.Tensor)]
    with observation.mode, torch.no_grad():
        after = fx.Interpreter(fx.GraphModule({}, made)).run(*given)
    if versions != [v._version for v in given if isinstance(v, torch.Tensor)]:
        return False
    return describe(before) == describe(after) and memory_groups([*given, *before]) == memory_groups([*given, *after])


def _may_move(order: dict[fx.Node, int], nodes: list[fx.Node], match: InternalMatch, observation: Observation) -> bool:
    """Whether the nodes may be computed where the last of them stands."""
    first, last = order[nodes[0]], order[nodes[-1]]
    if any(first <= order[w] <= last for w in observation.writers if w in order):
        return False
    users = [u for node in match.returning_nodes for u in node.users if u not in nodes]
    return all(order[u] > last for u in users)
