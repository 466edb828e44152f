"""Patterns on torch functions, for the point before AOTAutograd: a subgraph that computes as one Python function does becomes another.

Both functions are captured by Dynamo, so calls have the form that they have in a user's graph. Every number must agree. A match
stands only where nothing in the graph can tell: no node within writes, and none writes to anything, or changes how PyTorch computes
(`no_grad`, autocast), between its first node and its last, where the replacement is put; no value within is used outside.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx
from torch.fx.passes.utils.matcher_utils import InternalMatch, SubgraphMatcher

from ...errors import MlirindError
from ...torch_internals.modes import quiet_fake_tensors
from ...torch_internals.trees import tree_leaves
from .observation import Observation, describe, memory_groups, under_autocast
from .pre_grad import register_pre_grad_pass

log = logging.getLogger(__name__)

Function = Callable[..., Any]


@dataclass
class Captured:
    """A function as a graph; its placeholders by the number of the parameter that they stand for."""

    graph_module: fx.GraphModule
    parameters: dict[int, fx.Node]
    results: list[fx.Node]
    observation: Observation


def register_function_replacement(
    search: Function, replace: Function, example_inputs: Sequence[torch.Tensor], *, name: str, identity: str | None = None
) -> None:
    """Registers the pre-grad pass `name`: what computes as `search` does is computed as in `replace`, which has its parameters.

    Raises MlirindError where a function can't be captured as one graph, uses tensors from outside or writes, where `search` does
    nothing with a parameter, and where the results of the two differ in number, sizes or dtype.
    """
    pattern = _capture(f"pattern {name!r}: the search function", search, example_inputs)
    made = _capture(f"pattern {name!r}: the replace function", replace, example_inputs)
    names, others = (_names(function, len(example_inputs)) for function in (search, replace))
    if names != others:
        raise MlirindError(f"pattern {name!r}: the replace function takes {', '.join(others)}, the search function {', '.join(names)}")
    _check_pair(name, pattern, made, names)
    register_pre_grad_pass(name, lambda graph_module: apply_pattern(graph_module, pattern, made), identity)


def _names(function: Function, count: int) -> list[str]:
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        names = []
    return [names[n] if n < len(names) else f"argument {n}" for n in range(count)]


def _check_pair(name: str, pattern: Captured, made: Captured, names: Sequence[str]) -> None:
    unused = [parameter for number, parameter in enumerate(names) if number not in pattern.parameters]
    if unused:
        raise MlirindError(f"pattern {name!r}: the search function does nothing with {', '.join(unused)}")
    given, wanted = ([d[::2] for d in describe([c.observation.values[r] for r in c.results])] for c in (made, pattern))
    if given != wanted:
        raise MlirindError(
            f"pattern {name!r}: the replace function gives tensors of sizes and dtypes {given}, the search function {wanted}"
        )


def _capture(label: str, function: Function, example_inputs: Sequence[torch.Tensor]) -> Captured:
    graphs: list[fx.GraphModule] = []
    passed: list[Any] = []
    outputs: list[Any] = []

    def keep(graph_module: fx.GraphModule, _inputs: Any) -> Any:
        def run(*args: Any) -> Any:
            passed.extend(args)
            outputs.extend(graph_module.forward(*args))
            return outputs

        graphs.append(graph_module)
        return run

    given = [e.detach().clone().requires_grad_(e.requires_grad) for e in example_inputs]  # one example twice would be one input
    try:
        returned = tree_leaves(torch.compile(function, backend=keep, fullgraph=True, dynamic=False)(*given))
    except Exception as error:
        reason = f"{type(error).__name__}: {error}".split("\n")[0]
        raise MlirindError(f"{label} can't be captured as one graph: {reason}") from error
    if len(graphs) != 1:
        raise MlirindError(f"{label} has no graph of torch functions")
    graph = graphs[0].graph
    numbers = {id(tensor): number for number, tensor in enumerate(given)}
    if any(id(value) not in numbers for value in passed) or graph.find_nodes(op="get_attr"):
        raise MlirindError(f"{label} uses a tensor, a module or a number from outside: make it a parameter")
    observation = _observed(label, graphs[0])
    parameters = {numbers[id(value)]: node for node, value in zip(graph.find_nodes(op="placeholder"), passed, strict=True)}
    nodes = {id(value): node for node, value in zip(graph.output_node().args[0], outputs, strict=True)}
    if len(nodes) < len(returned) or any(id(value) not in nodes for value in returned):
        raise MlirindError(f"{label} returns a parameter, what is no tensor, or one value twice: nothing can take its place")
    return Captured(graphs[0], parameters, [nodes[id(value)] for value in returned], observation)


def _observed(label: str, graph_module: fx.GraphModule) -> Observation:
    graph_module.graph.eliminate_dead_code()
    observation = Observation(graph_module)
    for node in observation.barriers:
        raise MlirindError(f"{label} writes, or changes how PyTorch computes (no_grad, autocast), at {node.format_node()}")
    return observation


def apply_pattern(graph_module: fx.GraphModule, pattern: Captured, made: Captured) -> None:
    """Replaces all matches that are allowed, in place."""
    matcher = SubgraphMatcher(pattern.graph_module.graph, match_output=False, match_placeholder=False, remove_overlapping_matches=True)
    matches = matcher.match(graph_module.graph, node_name_match="")
    if not matches:
        return
    observation = Observation(graph_module)
    replaced: dict[fx.Node, fx.Node] = {}
    for match in matches:
        _replace(graph_module.graph, pattern, made, match, observation, replaced)


def _replace(
    graph: fx.Graph, pattern: Captured, made: Captured, match: InternalMatch, observation: Observation, replaced: dict[fx.Node, fx.Node]
) -> None:
    """Replaces a match, if that is allowed. `replaced`: the replacements of results of earlier matches."""
    inner = {p: n for p, n in match.nodes_map.items() if isinstance(n, fx.Node) and p.op not in ("placeholder", "output")}
    order = {node: number for number, node in enumerate(graph.nodes)}
    nodes = sorted(inner.values(), key=order.__getitem__)
    found = {number: match.nodes_map[node] for number, node in pattern.parameters.items()}
    results = [match.nodes_map[node] for node in pattern.results]
    if not all(isinstance(node, fx.Node) and isinstance(observation.values.get(node), torch.Tensor) for node in found.values()):
        return
    if not _may_move(order, nodes, results, observation) or not _is_like(made, found, results, observation):
        return
    values = {node: replaced.get(found[number], found[number]) for number, node in made.parameters.items()}
    point = last = nodes[-1]
    for node in (n for n in made.graph_module.graph.nodes if n.op not in ("placeholder", "output")):
        with graph.inserting_after(point):
            point = values[node] = graph.node_copy(node, values.__getitem__)
        point.meta = {k: v for k, v in last.meta.items() if k != "example_value"}
    for old, new in zip(results, made.results, strict=True):
        old.replace_all_uses_with(values[new])
        replaced[old] = values[new]
    for node in reversed(nodes):
        graph.erase_node(node)


def _is_like(made: Captured, found: dict[int, fx.Node], results: list[fx.Node], observation: Observation) -> bool:
    """Whether the replacement takes the operands, and its results are tensors like those replaced, over the same memory."""
    known = observation.values
    given = [known[found[number]] for number in made.parameters]
    before = [known[n] for n in results]
    try:
        with observation.mode, torch.no_grad(), under_autocast(observation.autocast[results[-1]]), quiet_fake_tensors():
            run = fx.Interpreter(made.graph_module, garbage_collect_values=False)
            run.run(*given)
    except Exception as error:
        log.info("a match is refused, as the replacement does not take its operands: %s", error)
        return False
    after = [run.env[node] for node in made.results]
    return describe(before) == describe(after) and memory_groups([*given, *before]) == memory_groups([*given, *after])


def _may_move(order: dict[fx.Node, int], nodes: list[fx.Node], results: list[fx.Node], observation: Observation) -> bool:
    """Whether the nodes may be computed at the position of the last of them."""
    first, last = order[nodes[0]], order[nodes[-1]]
    if any(first <= order[w] <= last for w in observation.barriers if w in order):
        return False
    users = [u for node in results for u in node.users if u not in nodes]
    return all(order[u] > last for u in users)
