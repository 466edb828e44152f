"""One ATen graph becomes a callable: import, the passes, the runner. What can't be compiled runs through FX."""

from __future__ import annotations

import functools
import json
import logging
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from torch import fx
from torch_mlir import ir

from ..dialects.context import compile_context
from ..errors import UnprovedAccess, UnprovedKernel, UnsupportedGraph, UnsupportedKernel, UserPassFailed
from ..lowering import aten_to_loop  # noqa: F401  registers the conversions
from ..lowering.bounds.require_bounds import access_counts
from ..lowering.memory.plan_memory import mark_donated
from ..lowering.rules.calls import call_reason
from ..options import Options
from ..passes.driver import PassFailed, run_passes
from ..passes.group_linears import mark_grouping
from ..passes.pad_products import mark_padding
from ..passes.pipeline import GRAPH, HOST, KERNELS, PROVED_KERNELS
from ..passes.plugins import run_plugins
from ..passes.reassociate_products import mark_rounding
from ..passes.recording import note_module, phase
from ..passes.rewrite_limit import numbered, process_numbering
from ..passes.snapshots import keep_snapshots, take_snapshot
from ..passes.value_names import text_with_names
from ..passes.verify.verify_functional import EPILOGUE
from ..progress import compiling
from ..runner import Runner
from ..runtime.artifacts.parts import GraphParts
from ..runtime.build import build_runner
from ..runtime.kernel_comparison import KernelComparison
from ..runtime.kernel_functions import may_fail
from ..runtime.memory_traffic import staying_copies
from ..runtime.report import CallEntry, GraphReport, add_report
from ..runtime.report_requests import reports_wanted, stages_wanted
from ..runtime.source_lines import annotated
from ..torch_internals.aot import boxed_function, mark_boxed
from ..torch_internals.python_objects import memory_offsets
from .calling.constants import with_constants
from .calling.eager_rerun import rerun_in_eager
from .calling.guarded import guarded_by
from .calling.size_guards import requirement_guards, size_guards
from .calls.effect_calls import expand_effect_calls
from .calls.flex_attention import expand_flex_attention
from .calls.functional_calls import expand_functional_calls
from .calls.numbers_from_data import returned_truths, with_float_bits, with_truths
from .calls.object_inputs import without_objects
from .calls.random_calls import expand_random_calls
from .calls.random_in_kernels import draw_seeds_at_once
from .calls.rounded_sizes import with_rounded_sizes
from .calls.subgraph_calls import inline_subgraphs
from .calls.triton_calls import expand_triton_calls
from .calls.view_bits import plain_graph
from .checking.checked_graphs import IMPORTED, checked
from .checking.reproducers import reduce_reproducer
from .counters import counters
from .cut_graphs import CutGraph, cut_around, cut_at_maker, cut_at_view
from .importing.exporter import export_graph
from .importing.frozen import FrozenPart, mark_parameters, with_frozen
from .importing.importer import ImportedGraph, import_graph
from .importing.subgraph_bodies import SubgraphBody
from .log_channels import logged
from .timing import recorded

log = logging.getLogger(__name__)

# A graph is cut at so many calls that can't be compiled; each part calls the next one.
MOST_CUTS = 16
_REST = ".rest"


@compiling()
@logged()
def compile_graph(
    graph_module: fx.GraphModule,
    options: Options,
    name: str = "graph",
    static: Collection[int] = (),
    donated: Collection[int] = (),
    made: GraphParts | None = None,
) -> Runner:
    """The callable of a functional ATen graph, as AOTAutograd hands it over. `static`: inputs that have the same address in every call, as
    parameters have. `donated`: inputs that AOTAutograd does not read after the call. `made` takes what the cache needs of it."""
    stages: dict[str, str] = {}
    try:
        rewritten = _compile_rewritten(graph_module, options, name, static, donated, made)
        if rewritten is not None:
            return rewritten
        parts = cut_at_maker(graph_module)
        if parts is not None:
            return _compile_parts(parts, options, name, static)
        truths = returned_truths(graph_module)
        runner = _compile_in_turn(graph_module, options, name, stages, static, donated, None if truths else made)
        runner = with_truths(runner, truths) if truths else runner
    except UnsupportedGraph as unsupported:
        parts = _parts_around(graph_module, unsupported) if name.count(_REST) < MOST_CUTS else None
        if parts is not None:
            log.info("%s is cut at %s: %s", name, unsupported.at, unsupported)
            return _compile_parts(parts, options, name, static)
        if not options.fallback:
            raise
        return _fall_back(graph_module, name, str(unsupported), stages, unsupported.at)
    except UserPassFailed:
        raise
    except Exception as error:
        if options.check and isinstance(error, PassFailed):
            reduce_reproducer(error)
        if not options.fallback or options.check:
            raise
        log.debug("%s could not be compiled", name, exc_info=True)
        return _fall_back(graph_module, name, f"{type(error).__name__}: {error}", stages)
    counters.compiled += 1
    return runner


def _compile_rewritten(
    graph_module: fx.GraphModule,
    options: Options,
    name: str,
    static: Collection[int],
    donated: Collection[int],
    made: GraphParts | None,
) -> Runner | None:
    """The callable of a graph with values that the dialect lacks, from that of a graph in which others stand for them; None without such
    values."""
    for rewrite in (without_objects, plain_graph, with_float_bits, with_rounded_sizes):
        found = rewrite(graph_module)
        if found is not None:
            kept = made if rewrite is plain_graph and made is not None and made.is_for_disk else None
            return found.runner(compile_graph(found.graph_module, options, name, static, donated, kept))
    return None


def _parts_around(graph_module: fx.GraphModule, unsupported: UnsupportedGraph) -> CutGraph | None:
    """The graph, cut at what can't be compiled; None if it can't be cut there."""
    if isinstance(unsupported, UnprovedAccess) and not isinstance(unsupported, UnprovedKernel):
        return cut_at_view(graph_module)
    return cut_around(graph_module, unsupported.node)


def _compile_parts(parts: CutGraph, options: Options, name: str, static: Collection[int]) -> Runner:
    """The callable of a graph that is cut at a node that Python runs: one that makes a size from data, or one that can't be compiled."""
    own = replace(options, cuda_graphs=False, replay=False)
    before = parts.first
    first = compile_graph(before.graph_module, own, f"{name}.first", before.static(static)) if before else None
    target = str(parts.node.target)
    add_report(GraphReport(f"{name}.size", calls=(CallEntry(target, call_reason(target), 1),)))
    rest = compile_graph(parts.rest.graph_module, own, name + _REST, parts.rest.static(static))
    return parts.runner(first, rest)


def _compile_in_turn(
    graph_module: fx.GraphModule,
    options: Options,
    name: str,
    stages: dict[str, str],
    static: Collection[int],
    donated: Collection[int],
    made: GraphParts | None,
) -> Runner:
    """Compiles the graph in the first of three ways that has code and proofs: with all kernels that rules make, fused; with ATen calls for
    operators whose own kernels have no proof; the same without fusion."""
    ways = [("", KERNELS), ("with calls", PROVED_KERNELS), ("without fusion", [p for p in PROVED_KERNELS if p != "fuse-kernels"])]
    while True:
        try:
            return _compile(graph_module, options, name, stages, static, donated, ways.pop(0)[1], made)
        except UnprovedAccess as unproved:
            counters.unproved[str(unproved)] += 1
            _log_accesses(options, {"unproved": str(unproved)})
            if not ways or not isinstance(unproved, UnprovedKernel):
                raise
            log.info("%s is compiled %s: %s", name, ways[0][0], unproved)
        except UnsupportedKernel as unsupported:
            del ways[:-1]
            if not ways:
                raise
            log.info("%s is compiled %s: %s", name, ways[0][0], unsupported)


def _fall_back(graph_module: fx.GraphModule, name: str, reason: str, stages: dict[str, str], at: str = "") -> Runner:
    """Runs the graph through FX. `at`: the node and source line that the reason is about."""
    where = f" ({at})" if at else ""
    if reason not in counters.fallbacks:
        log.warning("a graph runs uncompiled: %s%s", reason, where)
    counters.fallbacks[reason] += 1
    add_report(GraphReport(name, fallback=reason + where, stages=stages))
    return boxed_function(graph_module.forward)


def _compile(
    graph_module: fx.GraphModule,
    options: Options,
    name: str,
    stages: dict[str, str],
    static: Collection[int] = (),
    donated: Collection[int] = (),
    to_kernels: Sequence[str] = KERNELS,
    made: GraphParts | None = None,
) -> Runner:
    """Compiles, and keeps the IR of each stage in `stages` where it is asked for."""
    with (
        compile_context(),
        numbered(process_numbering(options.rewrite_limit, options.dump_dir)),
        recorded(name, options) as passes,
        keep_snapshots(bool(options.check)) as snapshots,
    ):
        imported = _import(graph_module, options, static)
        log.debug("%s, imported:\n%s", name, imported.module)
        if options.stop_after == "import":
            return boxed_function(_exported(imported).forward)
        frozen = _run_graph_passes(imported, options, stages)
        unfrozen = functools.partial(compile_graph, graph_module, replace(options, freezing=False), name, static)
        if options.stop_after == "aten":
            runner = boxed_function(_exported(imported).forward)
            runner = mark_boxed(with_frozen(runner, frozen, (), unfrozen)) if frozen else runner
            return guarded_by(runner, size_guards(graph_module), boxed_function(graph_module.forward), name)
        if memory_offsets() is not None:  # else a reference to an input that others hold can't be detected
            mark_donated(imported.module, donated)
        copies = staying_copies(imported.module) if reports_wanted() else ()
        source = text_with_names(imported.module) if options.compares_kernels else ""
        _run(to_kernels, "loop", imported.module, options, stages)
        copies += staying_copies(imported.module, EPILOGUE) if reports_wanted() else ()
        _run(_host_passes(options), "host", imported.module, options, stages)
        accesses = access_counts(imported.module)
        counters.accesses.update(accesses)
        _log_accesses(options, accesses)
        conditions = size_guards(graph_module) + requirement_guards(imported.module)
        again = rerun_in_eager(graph_module) if may_fail(imported.module) and not donated else None
        watcher = KernelComparison(imported.module, source, name) if source else None
        _compile_bodies(imported.bodies, options, name, made)  # native code of the graph calls theirs
        runner = build_runner(imported.module, options, name, stages, copies, static, again, made, passes, watcher)
        if frozen:
            runner = mark_boxed(with_frozen(runner, frozen, imported.constants, unfrozen))
        else:
            runner = with_constants(runner, imported.constants)
        if made is not None and not frozen and (all(c.graph for c in imported.calls) if made.is_for_disk else not options.check):
            made.note_calls(conditions, imported.constants, again is not None)
        runner = guarded_by(runner, conditions, boxed_function(graph_module.forward), name)
        return checked(runner, graph_module, imported, snapshots, options, name, donated)


def _host_passes(options: Options) -> list[str]:
    """The passes on launch sequences. A comparison of kernels sees each result in a buffer of its own."""
    left_out = {"plan-memory", "allocate-results"} if options.compares_kernels else set() if options.reuse_memory else {"plan-memory"}
    return [p for p in HOST if p not in left_out]


def _import(graph_module: fx.GraphModule, options: Options, static: Collection[int]) -> ImportedGraph:
    """The graph as a module, marked with what the options allow the passes."""
    with phase("import of the graph"):
        imported = import_graph(_expand_calls(graph_module, options))
    note_module("imported", imported.module)
    take_snapshot(IMPORTED, imported.module)
    if options.rounding != "library":
        mark_rounding(imported.module, options.rounding)
    if options.pad_products:
        mark_padding(imported.module)
    if options.freezing:
        mark_parameters(imported, static)
    if options.group_linears:
        mark_grouping(imported.module)
    return imported


def _compile_bodies(bodies: Sequence[SubgraphBody], options: Options, name: str, made: GraphParts | None) -> None:
    """Compiles the subgraphs that opaque calls run. A capture would return the same memory in each run of a loop's body."""
    own = replace(options, freezing=False, cuda_graphs=False, replay=False)
    for number, body in enumerate(bodies):
        body.compile(functools.partial(_compile_body, own, f"{name}.body_{number}"), made is not None and made.is_for_disk)


def _compile_body(options: Options, name: str, graph_module: fx.GraphModule, made: GraphParts) -> Runner:
    return compile_graph(graph_module, options, name, made=made)


def _exported(imported: ImportedGraph) -> fx.GraphModule:
    """The module as a graph, which keeps its opaque calls alive."""
    graph_module: Any = export_graph(imported)
    graph_module.opaque_calls = imported.calls
    exported: fx.GraphModule = graph_module
    return exported


def _expand_calls(graph_module: fx.GraphModule, options: Options) -> fx.GraphModule:
    """The graph with operators in place of calls that are not operators."""
    inline_subgraphs(graph_module)
    expand_flex_attention(graph_module, options.target_features)
    graph_module = expand_functional_calls(graph_module)
    expand_triton_calls(graph_module)
    expand_effect_calls(graph_module)
    expand_random_calls(graph_module)
    draw_seeds_at_once(graph_module)
    return graph_module


def _run_graph_passes(imported: ImportedGraph, options: Options, stages: dict[str, str]) -> FrozenPart | None:
    """Runs the passes on `aten`, and the users' passes around them; the pass that marks operands to be written comes last. Returns the
    frozen part."""
    *own, last = [p for p in GRAPH if options.fuse_attention or p != "fuse-attention"]
    module = imported.module
    run_plugins(module, options, "post_grad_before")
    run_passes(module, own, options)
    frozen = FrozenPart.take(imported)
    run_plugins(module, options, "post_grad_after")
    _run([last], "aten", module, options, stages)
    return frozen


def _run(passes: Sequence[str], stage: str, module: ir.Module, options: Options, stages: dict[str, str]) -> None:
    run_passes(module, passes, options)
    if stages_wanted():
        stages[stage] = annotated(module)


def _log_accesses(options: Options, record: dict[str, Any]) -> None:
    """Appends a line to the file of option `access_log`: processes that share it may end at any time."""
    if options.access_log:
        with Path(options.access_log).open("a") as file:
            file.write(json.dumps(record) + "\n")
