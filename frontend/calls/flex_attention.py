"""Replaces calls of `flex_attention` and `flex_attention_backward` by the operators that compute them.

The functions that modify and mask scores become elementwise operators on all scores, so the lowering fuses them with the softmax. The
block mask only says which blocks of scores may be skipped, so it is not read. A call that can't be traced stays an opaque call.
"""

from __future__ import annotations

import logging
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import fx
from torch.fx.experimental.proxy_tensor import make_fx

from ...errors import UnsupportedGraph
from ...torch_internals.fake_tensors import detect_fake_mode
from ...torch_internals.modes import python_dispatcher
from ...torch_internals.tensors import storage_id
from ...torch_internals.trees import tree_leaves
from ...tuning.cpu import TUNING
from ..counters import counters
from ..decompositions.table import decomposition_table
from .attention_blocks import (
    DENSE,
    attention_backward_kernel,
    attention_kernel,
    blocked_attention,
    blocked_attention_backward,
    laid_out,
    tiled_attention,
)
from .attention_bodies import AttentionBody, reads_arguments
from .attention_formulas import Attention, PartialAttention, attention, attention_backward, exact_dtype, scatter_to_zeros
from .attention_functions import AttentionFunctions, Taken, with_exact_numbers
from .attention_kernels import KernelRequest
from .attention_tile_kernels import TileAttention, TiledBody

log = logging.getLogger(__name__)

GPUS = frozenset({"cuda"})  # the types of devices whose attention is a kernel of Triton's IR
FORWARD, BACKWARD = "flex_attention", "flex_attention_backward"
_SCATTER = "flex_lib.zeros_and_scatter.default"
# Fields of `meta` that new nodes do not get from the call.
_OWN = ("val", "tensor_meta", "eager_input_vals", "unbacked_bindings")


def expand_flex_attention(graph_module: fx.GraphModule, features: str | None = None) -> None:
    """Rewrites the calls of a graph, in place. `features`: the option `target_features`."""
    expanded = False
    for node in list(graph_module.graph.nodes):
        if _name(node) in (FORWARD, BACKWARD):
            try:
                _expand(graph_module, node, features)
                expanded = True
            except Exception as error:
                log.info("%s stays a call: %s", node.name, error, exc_info=not isinstance(error, UnsupportedGraph))
    if expanded:
        graph_module.recompile()


def _expand(graph_module: fx.GraphModule, node: fx.Node, features: str | None) -> None:
    """Makes a call one of attention in blocks; one with few scores, or that can't be so, its operators."""
    expansion = _Expansion(graph_module, node, features)
    on_gpu = expansion.on_gpu()
    if not on_gpu and expansion.has_few_scores():
        expansion.run()
        return
    try:
        expansion.run_in_blocks(on_gpu)
    except UnsupportedGraph as reason:
        counters.dense_attention[str(reason)] += 1
        log.info("%s holds all scores: %s", node.name, reason)
        expansion.run()


def _name(node: fx.Node) -> str:
    return str(node.target.name()) if isinstance(node.target, torch._ops.HigherOrderOperator) else ""


class _Expansion:
    def __init__(self, graph_module: fx.GraphModule, node: fx.Node, features: str | None) -> None:
        self.graph_module, self.node, self.features = graph_module, node, features
        self._formula = attention if _name(node) == FORWARD else attention_backward
        self.fake_mode = detect_fake_mode([n.meta.get("val") for n in node.all_input_nodes])
        self.tensors, rest = (node.args[:3], node.args[3:]) if _name(node) == FORWARD else (node.args[:7], node.args[7:])
        graphs = rest[:1] if _name(node) == FORWARD else rest[:2]
        self.block_mask, self.scale, _, self.captured, self.mask_captured = (*rest[len(graphs) :], (), ())[:5]
        self.graphs = [self._graph(g) for g in (self.block_mask[-1], *graphs)]
        self.constants: dict[tuple[int, str], torch.Tensor] = {
            (number, str(n.target)): _attribute(graph, str(n.target))
            for number, graph in enumerate(self.graphs)
            for n in graph.graph.find_nodes(op="get_attr")
        }

        captured = [Taken() if isinstance(v, fx.Node) else v for v in (*self.captured, *self.mask_captured)]
        dtype = self.tensors[0].meta["val"].dtype
        self.functions = AttentionFunctions(
            self._formula, self.graphs, list(self.constants), captured, len(self.captured), self.scale, dtype
        )

    def has_few_scores(self) -> bool:
        """Whether a block holds all scores of the call."""
        query, key = (t.meta["val"] for t in self.tensors[:2])
        sizes = [*query.shape[:3], key.size(2)]
        return all(isinstance(s, int) for s in sizes) and math.prod(sizes) <= TUNING.attention_scores

    def run(self) -> None:
        """Replaces the call by its operators. Raises, and leaves the graph as it is, if they can't be traced."""
        if any(user.target is not operator.getitem for user in self.node.users):
            raise UnsupportedGraph("its results are used as a tuple")
        results = self._inlined(self._traced())
        named = [n for n in self.node.all_input_nodes if n.op == "get_attr"]
        stale: set[int] = set()
        for user, result in list(self._used(self.node, results)):
            stale.add(storage_id(user.meta["val"]))
            user.replace_all_uses_with(result)
        _erase(self.node)
        for subgraph in named:
            _erase(subgraph)
        _refresh(self.graph_module.graph, stale, self.fake_mode)

    def _graph(self, node: Any) -> fx.GraphModule:
        graph = _attribute(self.graph_module, str(node.target)) if isinstance(node, fx.Node) else None
        if not isinstance(graph, fx.GraphModule):
            raise UnsupportedGraph("a function that is no graph")
        return with_exact_numbers(graph)

    # In blocks.

    def on_gpu(self) -> bool:
        """Whether the call is on a GPU."""
        return self.tensors[0].meta["val"].device.type in GPUS

    def run_in_blocks(self, on_gpu: bool) -> None:
        """Makes the call one of attention in blocks. Raises UnsupportedGraph, and leaves the graph as it is, if it can't be."""
        is_forward = _name(self.node) == FORWARD
        nodes = [v for v in (*self.captured, *self.mask_captured) if isinstance(v, fx.Node)]
        given = [None if t is None else t.meta["val"] for t in self.tensors]
        others = [v.meta["val"] for v in nodes] + list(self.constants.values())
        blocks = self._blocks(4 if is_forward or not on_gpu else 8)
        tiled = None if on_gpu or not is_forward else self._tiled(given, others)
        body: Any = tiled or (self._kernel(given, blocks, others) if on_gpu else AttentionBody(given, others, self._part, self._table()))
        if on_gpu and not is_forward:
            self._forget_unused_gradients()
        graph = self.graph_module.graph
        with graph.inserting_before(self.node):
            attribute = graph.get_attr(self._own_attribute("attention_body", body.graph_module))
            taken = (*nodes, *(self._constant(number, name) for number, name in self.constants))
            orders: list[Any] = [_order(v) for v in self.node.meta["val"][:3]]
            if not is_forward:
                places = {node: n for n, node in enumerate(nodes)}
                of_captured = zip(self.captured, self.node.meta["val"][3], strict=True)
                orders += [(places[c], _order(v)) if isinstance(v, torch.Tensor) else None for c, v in of_captured]
        named = [n for n in self.node.all_input_nodes if n.op == "get_attr"]
        walk = tiled_attention if tiled else blocked_attention if is_forward else blocked_attention_backward
        on_gpus = attention_kernel if is_forward else attention_backward_kernel
        self.node.target = on_gpus if on_gpu else walk
        self.node.args = (attribute, tuple(self.tensors), blocks, taken, tuple(body.symbols), tuple(orders))
        for subgraph in named:
            if not subgraph.users:
                graph.erase_node(subgraph)

    def _tiled(self, given: Sequence[Any], others: Sequence[Any]) -> TiledBody | None:
        """The native code of the forward on the CPU; None if Python has to call a body for each block."""

        def call(positions: Sequence[Any], others: Sequence[Any]) -> TileAttention:
            return self.functions.call_of(TileAttention, others, given=positions)

        try:
            body = TiledBody(call, given, others, self.scale, self._table(), self.features)
        except UnsupportedGraph as reason:
            log.info("%s is computed by a body: %s", self.node.name, reason)
            return None
        body.graph_module.meta[DENSE] = self.functions
        return body

    def _kernel(self, given: Sequence[Any], blocks: Sequence[Any], others: Sequence[Any]) -> KernelRequest:
        """The kernel of a call on a GPU."""
        request = KernelRequest(given, [_value(b) for b in blocks], others, self.scale, self._table())
        if _name(self.node) == FORWARD:
            request.make_forward(self._masked, self._modified)
        else:
            scatter = next((t for t in self._table() if str(t) == _SCATTER), None)
            wanted = self._used_gradients()
            allowed = self._allowed if reads_arguments(self.graphs[0].graph) else None
            request.make_backward(self._modified, allowed, self._gradients, scatter, wanted)
        request.graph_module.meta[DENSE] = self.functions
        return request

    def _used_gradients(self) -> list[bool]:
        """Which captured tensors have a gradient that the graph uses."""
        *others, of_captured = self.node.meta["val"]
        parts = [part for user in self.node.users if user.args[1] == len(others) for part in user.users]
        all_used = any(part.target is not operator.getitem for part in parts)
        used = {part.args[1] for part in parts if part.users}
        return [isinstance(v, torch.Tensor) and (all_used or n in used) for n, v in enumerate(of_captured)]

    def _forget_unused_gradients(self) -> None:
        """Makes the gradients of captured tensors that nothing uses None."""
        *others, of_captured = self.node.meta["val"]
        kept = [v if keep else None for v, keep in zip(of_captured, self._used_gradients(), strict=True)]
        for user in [u for u in self.node.users if u.args[1] == len(others)]:
            user.meta["val"] = kept
            for part in [p for p in user.users if not p.users]:
                part.graph.erase_node(part)
        self.node.meta["val"] = (*others, kept)

    def _part(self, starts: Sequence[Any], sizes: Sequence[Any], tensors: Sequence[Any], others: Sequence[Any]) -> Any:
        """The results of a part, as `AttentionBody` takes them."""
        call = self.functions.call_of(PartialAttention, others, starts=starts, sizes=sizes)
        results = tree_leaves(self._formula(call, *tensors))
        wanted = [isinstance(v, torch.Tensor) for v in tree_leaves(self.node.meta["val"])]
        return [r.to(exact_dtype(r.dtype)) for r, keep in zip(results, wanted, strict=True) if keep]

    def _masked(self, scores: torch.Tensor, others: Sequence[Any]) -> torch.Tensor:
        """The scores after modification and mask."""
        return self.functions.call_of(Attention, others).masked(scores)[0]

    def _modified(self, scores: torch.Tensor, others: Sequence[Any]) -> torch.Tensor:
        """The scores after modification."""
        return self.functions.call_of(Attention, others).modified(scores)

    def _allowed(self, scores: torch.Tensor, others: Sequence[Any]) -> torch.Tensor:
        """The mask."""
        return self.functions.call_of(Attention, others).allowed(scores)

    def _gradients(self, scores: torch.Tensor, gradient: torch.Tensor, others: Sequence[Any]) -> tuple[torch.Tensor, list[Any]]:
        """The gradients of the scores before their modification, and of the captured tensors, from those of the modified scores."""
        return self.functions.call_of(Attention, others).gradients_by_score(scores, gradient)

    def _blocks(self, count: int) -> tuple[Any, ...]:
        """What the block mask lists: `count` tensors or None, the first four as `attention_blocks.blocked_attention` takes them, the others
        the same of the blocks of rows that see each block of keys; and the sizes of a block. Nothing if the mask function allows all
        scores, because eager then computes all blocks."""
        lists, sizes = self.block_mask[2 : 2 + count], self.block_mask[-3:-1]
        found = [n.meta["val"] for n in lists[:4] if isinstance(n, fx.Node)]
        known = [getattr(v, "ndim", 0) for v in found] in ([3, 4], [3, 4, 3, 4]) and all(isinstance(s, int) for s in sizes)
        return (*lists, *sizes) if known and reads_arguments(self.graphs[0].graph) else ()

    # Tracing.

    def _inputs(self) -> list[Any]:
        """The nodes and numbers that the traced function takes, without its constants."""
        return [*self.tensors, *self.captured, *self.mask_captured]

    def _traced(self) -> fx.GraphModule:
        given = [value.meta["val"] if isinstance(value, fx.Node) else value for value in self._inputs()]
        with self.fake_mode:
            constants = [torch.empty_strided(c.shape, c.stride(), dtype=c.dtype, device=c.device) for c in self.constants.values()]
        with torch.no_grad(), python_dispatcher(), self.fake_mode:
            traced = make_fx(self._function(len(self.tensors)), decomposition_table=self._table())(given, constants)
        traced.graph.eliminate_dead_code()
        if any(True for _ in traced.graph.find_nodes(op="get_attr")):
            raise UnsupportedGraph("a constant that its functions make")
        return traced

    def _table(self) -> dict[Any, Callable[..., Any]]:
        """The decompositions for tracing."""
        targets = {n.target for graph in self.graphs for n in graph.graph.nodes}
        scatters = {t: scatter_to_zeros for t in targets if str(t) == _SCATTER}
        return {**decomposition_table(on_cpu=self.tensors[0].meta["val"].device.type == "cpu"), **scatters}

    def _function(self, tensors: int) -> Callable[..., Any]:
        """The function of the given values and the constants."""

        def call(given: Sequence[Any], constants: Sequence[torch.Tensor]) -> Any:
            results = self._formula(self.functions.call(Attention, given[tensors:], constants), *given[:tensors])
            pairs = zip(tree_leaves(results), tree_leaves(self.node.meta["val"]), strict=True)
            return [_laid_out(r, like) if isinstance(r, torch.Tensor) and isinstance(like, torch.Tensor) else None for r, like in pairs]

        return call

    # The graph.

    def _inlined(self, traced: fx.GraphModule) -> Any:
        """Copies the traced operators before the call; returns the call's results, as nodes."""
        graph = self.graph_module.graph
        meta = {k: v for k, v in self.node.meta.items() if k not in _OWN}
        with graph.inserting_before(self.node):
            inputs = [*self._inputs(), *(self._constant(number, name) for number, name in self.constants)]
            values: dict[fx.Node, Any] = dict(zip(traced.graph.find_nodes(op="placeholder"), inputs, strict=True))
            for inner in traced.graph.nodes:
                if inner.op == "call_function":
                    values[inner] = made = graph.node_copy(inner, values.__getitem__)
                    made.meta = {**meta, "val": inner.meta["val"]}
        flat = iter(fx.map_arg(traced.graph.output_node().args[0], values.__getitem__))
        return _nested(self.node.meta["val"], flat)

    def _constant(self, number: int, name: str) -> fx.Node:
        """Makes a constant of a subgraph an attribute of the graph; returns its node."""
        value = self.constants[number, name]
        node = self.graph_module.graph.get_attr(self._own_attribute(name.replace(".", "_"), value))
        with self.fake_mode:
            node.meta["val"] = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device=value.device)
        return node

    def _own_attribute(self, name: str, value: Any) -> str:
        """Gives the graph's module an attribute; returns its name."""
        own = next(n for n in (f"{name}_{i}" for i in range(10**6)) if not hasattr(self.graph_module, n))
        setattr(self.graph_module, own, value)
        return own

    def _used(self, node: fx.Node, results: Any) -> Iterator[tuple[fx.Node, fx.Node]]:
        """The users of the call's results that are tensors, each with the node of its result."""
        for user in list(node.users):
            result = results[user.args[1]]
            if isinstance(result, (list, tuple)):
                yield from self._used(user, result)
            elif isinstance(result, fx.Node):
                yield user, result


def _attribute(module: Any, name: str) -> Any:
    for part in name.split("."):
        module = getattr(module, part)
    return module


def _value(node: Any) -> Any:
    """The fake tensor of a node; what is no node, as it is."""
    return node.meta["val"] if isinstance(node, fx.Node) else node


def _nested(value: Any, flat: Iterator[Any]) -> Any:
    """`value` with the next of `flat` in place of each leaf."""
    return [_nested(v, flat) for v in value] if isinstance(value, (list, tuple)) else next(flat)


def _laid_out(result: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """The result with the dtype and strides of `like`."""
    return laid_out(result, _order(like), like.dtype)


def _order(tensor: torch.Tensor) -> tuple[int, ...]:
    """A tensor's dimensions in the order in which they lie in memory, the outermost first."""
    return tuple(sorted(range(tensor.dim()), key=lambda d: -_hint(tensor.stride(d))))


def _hint(size: Any) -> int:
    """An integer that orders strides."""
    return size if isinstance(size, int) else int(size.node.hint)


def _erase(node: fx.Node) -> None:
    """Erases a node and its users, of which nothing uses a result."""
    for user in list(node.users):
        _erase(user)
    node.graph.erase_node(node)


def _refresh(graph: fx.Graph, stale: set[int], fake_mode: Any) -> None:
    """Computes again the fake tensors that share memory with values that the graph no longer has: views of replaced results."""
    for node in graph.nodes:
        leaves = [v for v in tree_leaves(node.meta.get("val")) if isinstance(v, torch.Tensor)]
        if node.op == "call_function" and any(storage_id(v) in stale for v in leaves):
            args, kwargs = fx.map_arg((node.args, node.kwargs), lambda n: n.meta.get("val"))
            with fake_mode:
                node.meta["val"] = node.target(*args, **kwargs)
