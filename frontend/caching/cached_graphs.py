"""Compiles a graph, or loads what an earlier process compiled."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from torch import fx

from ...options import Options
from ...runner import Runner
from ...runtime.artifacts.native_graph import NotCacheable
from ...runtime.artifacts.parts import GraphParts
from ...torch_internals.aot import boxed_function, makes_views_by_offset
from ..calling.eager_rerun import rerun_in_eager
from ..compile import compile_graph
from ..counters import counters
from .graph_text import constant_tensors, graph_text, guard_count
from .stored_graphs import StoredGraph, check_options, count, gpus_of, key_of, load_graph, pickled_graph, save_graph


def compile_or_load(
    graph_module: fx.GraphModule, options: Options, name: str, static: Collection[int] = (), donated: Collection[int] = ()
) -> Runner:
    """`compile_graph`, or the same from the cache on disk, if the options say so."""
    if not options.cache:
        return compile_graph(graph_module, options, name, static, donated)
    return _compile_or_load(graph_module, options, name, static, donated)[0]


def compile_stored(
    graph_module: fx.GraphModule,
    options: Options,
    name: str,
    static: Collection[int] = (),
    donated: Collection[int] = (),
    tangents: Sequence[int] = (),
) -> tuple[Runner, StoredGraph | None]:
    """The runner of `compile_or_load`, and the graph's entry in the cache; None if it has none."""
    try:
        constants, pickled = tuple(constant_tensors(graph_module)), pickled_graph(graph_module)
    except NotCacheable as reason:
        count(reason)
        return compile_graph(graph_module, options, name, static, donated), None
    runner, key = _compile_or_load(graph_module, options, name, static, donated)
    return runner, None if key is None else StoredGraph(key, name, constants, pickled, tuple(tangents))


def _compile_or_load(
    graph_module: fx.GraphModule, options: Options, name: str, static: Collection[int], donated: Collection[int]
) -> tuple[Runner, str | None]:
    """The runner, and its key if it is in the cache."""
    try:
        check_options(options)
        key = _key(graph_module, options, static, donated)
        constants = constant_tensors(graph_module)
    except NotCacheable as reason:
        count(reason)
        return compile_graph(graph_module, options, name, static, donated), None
    loaded = load_graph(key, constants, name, lambda: rerun_in_eager(graph_module), boxed_function(graph_module.forward))
    if loaded is not None:
        counters.cache["hit"] += 1
        counters.compiled += 1
        return loaded, key
    counters.cache["miss"] += 1
    made, guards = GraphParts(), guard_count(graph_module)
    runner = compile_graph(graph_module, options, name, static, donated, made)
    try:
        if guard_count(graph_module) != guards:
            raise NotCacheable("its compilation adds guards")
        return runner, key if save_graph(key, made, constants) else None
    except NotCacheable as reason:
        count(reason)
        return runner, None


def _key(graph_module: fx.GraphModule, options: Options, static: Collection[int], donated: Collection[int]) -> str:
    gpus = gpus_of(node.meta.get("val") for node in graph_module.graph.nodes)
    return key_of(options, gpus, lambda: [graph_text(graph_module), sorted(static), sorted(donated), makes_views_by_offset()])
