"""Compiles a graph, or loads what an earlier process compiled."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import logging
from collections.abc import Collection

import torch
from torch import fx

from ...options import Options
from ...passes.patterns.engine import pattern_set
from ...runner import Runner
from ...runtime.artifacts import container, folder, surroundings
from ...runtime.artifacts.container import DamagedEntry
from ...runtime.artifacts.folder import UntrustedFolder
from ...runtime.artifacts.native_graph import NativeGraph, NotCacheable
from ...runtime.artifacts.parts import GraphParts
from ...runtime.report import reports_wanted
from ...torch_internals.aot import makes_views_by_offset
from ..calling.constants import with_constants
from ..calling.eager_rerun import rerun_in_eager
from ..calling.size_guards import guarded_by
from ..compile import compile_graph
from ..counters import counters
from .graph_text import constant_tensors, graph_text, guard_count

log = logging.getLogger(__name__)

# Options with which a graph is compiled in each process: they ask for what a compilation prints or writes, or for more than native code.
_NEED_A_COMPILATION = (
    "verify_each", "print_ir_before_all", "print_ir_after_all", "print_ir_after_change", "timing", "access_log", "stop_after",
    "kernel_debug", "report", "freezing", "max_autotune", "cuda_graphs", "replay",
)  # fmt: skip
# Options that change no code.
_WITHOUT_EFFECT = frozenset({"reproducer", "dump_dir", "cache"})


def compile_or_load(
    graph_module: fx.GraphModule, options: Options, name: str, static: Collection[int] = (), donated: Collection[int] = ()
) -> Runner:
    """`compile_graph`, or the same from the cache on disk, if the options say so."""
    if not options.cache:
        return compile_graph(graph_module, options, name, static, donated)
    try:
        _check(options)
        key = _key(graph_module, options, static, donated)
        constants = constant_tensors(graph_module)
    except NotCacheable as reason:
        _count(str(reason))
        return compile_graph(graph_module, options, name, static, donated)
    runner = _load(key, graph_module, constants, name)
    if runner is not None:
        counters.cache["hit"] += 1
        counters.compiled += 1
        return runner
    counters.cache["miss"] += 1
    made, guards = GraphParts(), guard_count(graph_module)
    runner = compile_graph(graph_module, options, name, static, donated, made)
    try:
        if guard_count(graph_module) != guards:
            raise NotCacheable("its compilation adds guards")
        _save(key, made, constants)
    except NotCacheable as reason:
        _count(str(reason))
    return runner


def _count(reason: str) -> None:
    if reason not in counters.cache:
        log.info("a graph is not cached: %s", reason)
    counters.cache[reason] += 1


def _check(options: Options) -> None:
    """Raises NotCacheable if the graph must be compiled."""
    for option in _NEED_A_COMPILATION:
        if getattr(options, option):
            raise NotCacheable(f"option {option}")
    if options.host != "native":
        raise NotCacheable("option host")
    if options.post_grad_before or options.post_grad_after:
        raise NotCacheable("the user's passes have no identity")
    if any(pattern_set.patterns(p) or pattern_set.rewrites(p) for p in pattern_set.OPEN_PASSES):
        raise NotCacheable("the user's patterns have no identity")
    if reports_wanted():
        raise NotCacheable("a report is wanted")


def _key(graph_module: fx.GraphModule, options: Options, static: Collection[int], donated: Collection[int]) -> str:
    given = {f.name: repr(getattr(options, f.name)) for f in dataclasses.fields(options) if f.name not in _WITHOUT_EFFECT}
    try:
        graph = [graph_text(graph_module), sorted(static), sorted(donated), makes_views_by_offset()]
        parts = [graph, given, surroundings.of_process(), surroundings.of_moment()]
    except NotCacheable:
        raise
    except Exception as error:
        log.debug("a graph has no key", exc_info=True)
        raise NotCacheable(f"no key: {type(error).__name__}: {error}") from error
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _load(key: str, graph_module: fx.GraphModule, constants: list[torch.Tensor], name: str) -> Runner | None:
    """The runner from the cache; None if there is none that can be used."""
    try:
        content = folder.read(key)
        if content is None:
            return None
        header, pieces = container.unpack_entry(key, content)
        graph = NativeGraph.unpacked(header, pieces)
        if header["constants"] != len(constants):
            raise DamagedEntry("it has another number of constants")
        again = rerun_in_eager(graph_module) if header["repeats"] else None
        runner = with_constants(graph.runner(name, again), constants)
        conditions = [str(condition) for condition in header["conditions"]]
        return guarded_by(runner, conditions, graph_module, name)
    except (UntrustedFolder, OSError) as error:
        _warn(f"the cache can't be read: {error}")
    except Exception as error:
        log.debug("an entry can't be used", exc_info=True)
        _count(f"an entry can't be used: {error}")
        folder.remove_file(key)
    return None


def _save(key: str, made: GraphParts, constants: list[torch.Tensor]) -> None:
    """Writes what was compiled. Raises NotCacheable."""
    if not made.done or made.native is None:
        raise NotCacheable("it does not run as one native function")
    if [id(t) for t in made.constants] != [id(t) for t in constants]:
        raise NotCacheable("its compilation makes constants")
    try:
        missing = made.native.missing_symbols()
        if missing:
            raise NotCacheable(f"its code needs {', '.join(missing)}")
        if surroundings.sources_changed():
            raise NotCacheable("the compiler's own files have changed since they were imported")
        header, pieces = made.native.packed()
        header |= {"conditions": made.conditions, "constants": len(constants), "repeats": made.repeats}
        folder.write(key, container.pack_entry(key, header, pieces))
    except NotCacheable:
        raise
    except Exception as error:
        log.debug("the cache can't be written", exc_info=True)
        _warn(f"the cache can't be written: {error}")


def _warn(text: str) -> None:
    if text not in counters.cache:
        log.warning("%s", text)
    counters.cache[text] += 1
