"""Subgraphs of higher-order operators that our backend compiles: the branches of `cond`, the bodies of loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import fx

from ...runner import Runner
from ...runtime.artifacts.parts import GraphParts
from ...runtime.cpu.kept_code import KeptCode
from ...runtime.host.native_bodies import BodyParts
from ...torch_internals.fake_tensors import fake_mode_or_no_grad
from ...torch_internals.fx_graphs import make_graph_module
from ...torch_internals.tensors import storage_id
from ..calls.attention_blocks import (
    attention_backward_kernel,
    attention_kernel,
    blocked_attention,
    blocked_attention_backward,
    tiled_attention,
)
from ..calls.selected_rows import gather_selected_rows
from .call_graphs import BodyFit

# Higher-order operators that call their subgraphs on plain tensors.
_CALLERS = frozenset({"cond", "while_loop", "while_loop_stack_output", "scan", "map_impl"})
# Functions that call a subgraph for each part of their tensors, in place of a higher-order operator.
WALKERS = frozenset({blocked_attention, blocked_attention_backward})
# Functions in place of operators of the dialect.
FRESH_RESULTS = frozenset({attention_kernel, attention_backward_kernel, tiled_attention})  # which return tensors of their own
OPAQUE_FUNCTIONS = WALKERS | FRESH_RESULTS


class SubgraphBody:
    """A subgraph as a function. `compile` makes it run compiled; until then, and for tensors of other sizes, it runs through FX.
    `parts`: its code, for native code that calls the body, or, if Python calls it (`walked`), for the cache."""

    def __init__(self, graph_module: fx.GraphModule, walked: bool) -> None:
        self.graph_module, self.walked = graph_module, walked
        self.runner: Runner | None = None
        self.parts: GraphParts = GraphParts(keeps=KeptCode.NOTHING) if walked else BodyParts()
        self.fit = BodyFit.of(graph_module)
        self.compiled: fx.GraphModule | None = None

    def compile(self, compiler: Callable[[fx.GraphModule, GraphParts], Runner], for_disk: bool = False) -> None:
        """Compiles the subgraph with `compiler`, once. `for_disk`: its code is kept for the cache."""
        if self.runner is not None:
            return
        if self.walked and for_disk:
            self.parts.keeps = KeptCode.OBJECT
        gather_selected_rows(self.graph_module.graph)
        self.compiled = _with_own_results(self.graph_module)
        self.runner = compiler(self.compiled, self.parts)

    def __call__(self, *values: Any) -> Any:
        """What the subgraph returns for these values."""
        if self.runner is None or not self.fit.fits(values):
            return self.graph_module(*values)
        results = self.runner(list(values))
        return results[0] if self.fit.returns_one else tuple(results)


def _with_own_results(graph_module: fx.GraphModule) -> fx.GraphModule:
    """The graph, returning its results in a tuple. Those that share memory with an input or an earlier result are copied: operators with
    subgraphs return new tensors."""
    graph = fx.Graph()
    returned = graph.graph_copy(graph_module.graph, {})
    results = list(returned) if isinstance(returned, (list, tuple)) else [returned]
    known = {storage_id(v) for n in graph.find_nodes(op="placeholder") if isinstance(v := n.meta.get("val"), torch.Tensor)}
    for number, node in enumerate(results):
        value = node.meta.get("val") if isinstance(node, fx.Node) else None
        if not isinstance(value, torch.Tensor):
            continue
        if storage_id(value) in known:
            results[number] = graph.call_function(torch.ops.aten.clone.default, (node,))
            results[number].meta = {**node.meta}
            with fake_mode_or_no_grad([value]):
                results[number].meta["val"] = value.clone()
        known.add(storage_id(value))
    graph.output(tuple(results))
    return make_graph_module(graph_module, graph)


def subgraph_body(graph_module: fx.GraphModule, caller: Any) -> fx.GraphModule | SubgraphBody:
    """The function that the higher-order operator `caller` calls for a subgraph; one for all imports of a graph."""
    if caller not in WALKERS and not (isinstance(caller, torch._ops.HigherOrderOperator) and caller.name() in _CALLERS):
        return graph_module
    known = graph_module.meta.get(_BODY)
    if known is None:
        known = graph_module.meta[_BODY] = SubgraphBody(graph_module, caller in WALKERS)
    body: SubgraphBody = known
    return body


_BODY = "mlirind_body"  # in a subgraph's `meta`


def direct_function(target: Any) -> Any:
    """A function that does what the higher-order operator does, without its dispatch; `target` itself if there is none."""
    return _DIRECT.get(target.name(), target) if isinstance(target, torch._ops.HigherOrderOperator) else target


def run_cond(predicate: Any, true: Callable[..., Any], false: Callable[..., Any], operands: Sequence[Any]) -> Any:
    """`torch.ops.higher_order.cond`"""
    return (true if predicate else false)(*operands)


def run_while_loop(condition: Callable[..., Any], body: Callable[..., Any], carried: Sequence[Any], others: Sequence[Any]) -> Any:
    """`torch.ops.higher_order.while_loop`, for bodies that write to nothing."""
    while condition(*carried, *others):
        carried = body(*carried, *others)
    return carried


_DIRECT: dict[str, Callable[..., Any]] = {"cond": run_cond, "while_loop": run_while_loop}
