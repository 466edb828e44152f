"""Opaque calls of `flex_attention` as bytes, in the entries of graphs that make them.

The body of a call in blocks has an entry of its own. Kernels on GPUs are pickled: plans, and the texts of their functions; so is native
code on the CPU, as object code.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import fx

from ...bridge.opaque_calls import OpaqueCall, opaque_operator
from ...disk_cache.container import DamagedEntry
from ...runner import Runner
from ...runtime.artifacts.native_graph import NotCacheable
from ..calls.attention_blocks import DENSE, KERNEL
from ..calls.attention_launches import AttentionLauncher
from ..calls.attention_tiles import TiledAttention
from ..importing.call_graphs import BodyFit, CallGraph

if TYPE_CHECKING:
    from ..importing.subgraph_bodies import SubgraphBody
    from .stored_graphs import StoredGraph

# Writes the entry of a body, by its key.
SaveBody = Callable[[str, "SubgraphBody"], "StoredGraph"]


@dataclass(frozen=True)
class _Operand:
    """An operand of the call, by its number."""

    number: int


@dataclass(frozen=True)
class _Body:
    """The body of the call, or its kernel or native code."""


@dataclass(frozen=True)
class StoredBody:
    """A compiled body, by its entry."""

    graph: StoredGraph
    fit: BodyFit

    def loaded(self) -> LoadedBody:
        """The body as a function. Raises DamagedEntry if its entry is gone."""
        runner = self.graph.runner()
        if runner is None:
            raise DamagedEntry("the body of a call is not in the cache any more")
        return LoadedBody(runner, self.graph.traced_runner(), self.fit)


@dataclass(frozen=True)
class LoadedBody:
    """A body from the cache; `otherwise` runs for values for which the code is not right."""

    runner: Runner
    otherwise: Runner
    fit: BodyFit

    def __call__(self, *values: Any) -> Any:
        results = (self.runner if self.fit.fits(values) else self.otherwise)(list(values))
        return results[0] if self.fit.returns_one else tuple(results)


@dataclass(frozen=True)
class StoredMeta:
    """What a kernel on a GPU, or native code on the CPU, has in the `meta` of a graph."""

    meta: dict[str, Any]

    def loaded(self) -> StoredMeta:
        """Itself: `walk` reads its `meta`."""
        return self


@dataclass(frozen=True)
class StoredCall:
    """A call. `walk`: the function that makes it; `arguments`: what it takes; the others are fields of `CallGraph` and `OpaqueCall`."""

    walk: Callable[..., Any]
    arguments: tuple[Any, ...]
    body: StoredBody | StoredMeta
    leaves: tuple[int, ...]
    is_flat: bool
    form: tuple[Any, ...]
    fresh: bool

    def loaded(self) -> OpaqueCall:
        """The call in this process."""
        opaque_operator(*self.form)
        graph, root = fx.Graph(), torch.nn.Module()
        operands = [graph.placeholder(f"a{n}") for n in range(len(self.form[1]))]
        root.body = self.body.loaded()
        body = graph.get_attr("body")
        graph.output(graph.call_function(self.walk, tuple(_filled(a, operands, body) for a in self.arguments)))
        made = CallGraph(graph, root, self.leaves, self.is_flat, self.form)
        return OpaqueCall(made.function(), (), (), fresh=self.fresh, graph=made)


def written_call(call: OpaqueCall, key: str, save_body: SaveBody) -> bytes:
    """A call as bytes. `key`: that of its body's entry. Raises NotCacheable."""
    graph: CallGraph = call.graph
    operands = {node: _Operand(n) for n, node in enumerate(graph.graph.find_nodes(op="placeholder"))}
    calls = [node for node in graph.graph.nodes if node.op == "call_function"]
    bodies = graph.graph.find_nodes(op="get_attr")
    if len(calls) != 1 or len(bodies) != 1 or calls[0].kwargs:
        raise NotCacheable("an opaque call that computes sizes")
    body = _stored_body(getattr(graph.root, str(bodies[0].target)), key, save_body)
    arguments = tuple(_template(a, operands) for a in calls[0].args)
    stored = StoredCall(calls[0].target, arguments, body, graph.leaves, graph.is_flat, graph.form, call.fresh)
    try:
        return pickle.dumps(stored)
    except Exception as error:
        raise NotCacheable(f"an opaque call can't be pickled: {type(error).__name__}: {error}") from error


def read_call(content: bytes) -> OpaqueCall:
    """The inverse of `written_call`. Raises DamagedEntry if an entry that it needs is gone."""
    stored: StoredCall = pickle.loads(content)
    return stored.loaded()


def _stored_body(body: Any, key: str, save_body: SaveBody) -> StoredBody | StoredMeta:
    if isinstance(body, fx.GraphModule):
        if not isinstance(body.meta.get(KERNEL), (AttentionLauncher, TiledAttention)):
            raise NotCacheable("an opaque call of another kind")
        return StoredMeta({KERNEL: body.meta[KERNEL], DENSE: body.meta[DENSE]})
    return StoredBody(save_body(key, body), body.fit)


def _template(value: Any, operands: dict[fx.Node, _Operand]) -> Any:
    """A value of the call's node with operands by their numbers."""
    if isinstance(value, (list, tuple)):
        return tuple(_template(part, operands) for part in value)
    if isinstance(value, fx.Node):
        return operands.get(value, _Body())
    if value is None or isinstance(value, (int, float, str)):
        return value
    raise NotCacheable(f"an opaque call with an object of type {type(value).__name__}")


def _filled(value: Any, operands: Sequence[fx.Node], body: fx.Node) -> Any:
    if isinstance(value, tuple):
        return tuple(_filled(part, operands, body) for part in value)
    if isinstance(value, _Operand):
        return operands[value.number]
    return body if isinstance(value, _Body) else value
