"""The joint graph of forward and backward: passes on it as `aten`, then functorch's partition into two graphs.

The partition decides which values the forward saves: by min-cut, so that the backward reads as little as possible and recomputes the rest,
within `activation_memory_budget`. A joint graph that can't be imported is partitioned unchanged, and counted.
"""

from __future__ import annotations

import logging
import operator
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import torch
from torch import fx
from torch.utils.checkpoint import CheckpointPolicy

from ...dialects.aten_schema import ORDERED
from ...dialects.context import compile_context
from ...errors import UnsupportedGraph, UserPassFailed
from ...options import Options
from ...passes.driver import PassFailed, run_passes
from ...passes.pipeline import JOINT
from ...passes.plugins import run_plugins
from ...passes.recording import note_module, phase
from ...passes.rewrite_limit import numbered, process_numbering
from ...passes.snapshots import keep_snapshots, take_snapshot
from ...runtime.report_requests import stages_wanted
from ...runtime.source_lines import annotated
from ...torch_internals.aot import must_recompute
from ...torch_internals.functorch_partition import Partition, partition
from ...torch_internals.fx_graphs import use_lazy_graph_modules
from ...torch_internals.operators import given_arguments, schema_of
from ..calling.size_guards import copy_assertions
from ..calls.effect_calls import expand_effect_calls
from ..calls.functional_calls import expand_functional_calls
from ..calls.object_inputs import without_objects
from ..calls.triton_calls import expand_triton_calls
from ..calls.view_bits import plain_graph
from ..checking.culprits import IMPORTED
from ..checking.joint_check import JointCheck
from ..checking.reproducers import reduce_reproducer
from ..counters import counters
from ..decompositions.foreach import erase_uses
from ..importing.exporter import export_graph
from ..importing.importer import import_graph
from ..log_channels import logged
from ..timing import recorded
from .cheap_values import save_less
from .joint_nodes import is_backward, is_view_node
from .made_values import without_makers
from .partition_report import PartitionReport, partition_collectors, record_partition
from .pool_indices import narrow_pool_indices
from .saved_halves import save_halves
from .saved_inputs import save_inputs
from .saved_results import results_read_by_backward, save_copies
from .tangent_sizes import unify_sizes

log = logging.getLogger(__name__)

# At a budget of 0 functorch recomputes everything, even values that are marked to be saved.
_ALMOST_NOTHING = 1e-6


@logged()
def partition_joint(
    joint_module: fx.GraphModule,
    inputs: Sequence[Any],
    *,
    options: Options,
    num_fwd_outputs: int,
    static_lifetime_input_indices: list[int] | None = None,
    check: JointCheck | None = None,
) -> Partition:
    """The forward and the backward graph of a joint one: AOTAutograd's `partition_fn`. `check` takes what it needs to compare them."""
    stages: dict[str, str] = {}
    erase_uses(joint_module)
    unify_sizes(joint_module)
    read = results_read_by_backward(joint_module.graph, num_fwd_outputs)
    if check is not None:
        check.keep(joint_module)
    with recorded("the joint graph", options) as passes, keep_snapshots(check is not None) as snapshots:
        reason = _transform(joint_module, options, stages)
    graph = joint_module.graph
    once = {node.name for node in [*_readers_of_written_inputs(graph), *_forward_draws(graph), *_forward_effects(graph)]}
    for node in joint_module.graph.nodes:
        if node.name in once:
            for saved in (node, *(user for user in node.users if user.target is operator.getitem)):
                saved.meta["recompute"] = CheckpointPolicy.MUST_SAVE
    budget = max(options.activation_memory_budget, _ALMOST_NOTHING) if once else options.activation_memory_budget
    forward, backward = partition(
        joint_module,
        inputs,
        kind=options.partition,
        budget=budget,
        num_fwd_outputs=num_fwd_outputs,
        static_indices=static_lifetime_input_indices,
    )
    _check_once(backward, once)
    save_inputs(forward, backward, num_fwd_outputs)
    if options.partition == "min-cut":
        save_halves(forward, backward, num_fwd_outputs)
        save_less(forward, backward, num_fwd_outputs)
        narrow_pool_indices(forward, backward, num_fwd_outputs)
    save_copies(forward, num_fwd_outputs, read)
    if check is not None:
        check.note(snapshots, forward)
    if partition_collectors:
        record_partition(PartitionReport.of(forward, backward, num_fwd_outputs, reason, stages, passes))
    return forward, backward


def _transform(joint_module: fx.GraphModule, options: Options, stages: dict[str, str]) -> str | None:
    """Runs the passes, in place; returns the reason why they did not run, or None."""
    if options.stop_after == "import":
        return 'stop_after is "import"'
    try:
        graph_module = _run_passes(joint_module, options, stages)
    except UnsupportedGraph as unsupported:
        reason = str(unsupported) + (f" ({unsupported.at})" if unsupported.at else "")
    except UserPassFailed:
        raise
    except Exception as error:
        if options.check and isinstance(error, PassFailed):
            reduce_reproducer(error)
        if not options.fallback or options.check:
            raise
        log.debug("the passes on a joint graph failed", exc_info=True)
        reason = f"{type(error).__name__}: {error}"
    else:
        _adopt(joint_module, graph_module)
        return None
    if reason not in counters.joint_unchanged:
        log.info("a joint graph is partitioned without passes on it: %s", reason)
    counters.joint_unchanged[reason] += 1
    return reason


def _run_passes(joint_module: fx.GraphModule, options: Options, stages: dict[str, str]) -> fx.GraphModule:
    with compile_context(), numbered(process_numbering(options.rewrite_limit, options.dump_dir)):
        bare = without_objects(joint_module)
        joint_module = bare.graph_module if bare else joint_module
        bits = plain_graph(joint_module)
        joint_module = expand_functional_calls(bits.graph_module if bits else joint_module)
        expand_triton_calls(joint_module)
        expand_effect_calls(joint_module)
        made = without_makers(joint_module)
        joint_module = made.graph_module if made else joint_module
        _write_before_backward(joint_module.graph)
        with phase("import of the joint graph"):
            imported = import_graph(joint_module, joint=True)
        note_module("imported", imported.module)
        take_snapshot(IMPORTED, imported.module)
        run_plugins(imported.module, options, "joint_before")
        run_passes(imported.module, [p for p in JOINT if options.fuse_attention or p != "fuse-attention"], options)
        run_plugins(imported.module, options, "joint_after")
        if stages_wanted():
            stages["joint"] = annotated(imported.module)
        # The joint graph is never run, so its code is not generated.
        with use_lazy_graph_modules(True), phase("export of the joint graph"):
            changed = export_graph(imported)
        copy_assertions(joint_module.graph, changed.graph)
        changed = made.put_back(changed) if made else changed
        if bits:
            bits.set_bits(changed.graph)
        if bare:
            bare.put_back(changed.graph)
        return changed


def _adopt(joint_module: fx.GraphModule, changed: fx.GraphModule) -> None:
    """Puts the changed graph into the joint module, with writes to inputs at the end again."""
    for name, buffer in changed.named_buffers():
        joint_module.register_buffer(name, buffer, persistent=False)
    output = changed.graph.output_node()
    for node in list(_writes(changed.graph)):
        output.prepend(node)
    joint_module.graph = changed.graph


def _writes(graph: fx.Graph) -> Iterator[fx.Node]:
    yield from graph.find_nodes(op="call_function", target=torch.ops.aten.copy_.default)


def _write_before_backward(graph: fx.Graph) -> None:
    """Moves the forward's writes to inputs from the end of the graph to their original position, before the backward."""
    order = {node: n for n, node in enumerate(graph.nodes)}
    start = next((n for n in graph.nodes if n.op == "call_function" and is_backward(n)), None)
    if start is None:
        return
    for node in list(_writes(graph)):
        if not is_backward(node) and all(order[n] < order[start] for n in node.all_input_nodes):
            start.prepend(node)


def _readers_of_written_inputs(graph: fx.Graph) -> Iterator[fx.Node]:
    """Values that the forward computes from an input before it writes that input: a second computation would read the new value."""
    readers = [node.args[0] for node in _writes(graph) if not is_backward(node)]
    while readers:
        value = readers.pop()
        for user in value.users if isinstance(value, fx.Node) else ():
            if user.target is torch.ops.aten.copy_.default or is_backward(user):
                continue
            # An element of a list of views is a view.
            if is_view_node(user) or user.target is operator.getitem:
                readers.append(user)
            else:
                yield user


def _draws(graph: fx.Graph) -> Iterator[fx.Node]:
    """The calls that draw random numbers, except those that a checkpoint repeats with the generator's state."""
    for node in graph.nodes:
        if node.op == "call_function" and is_random(node) and not must_recompute(node):
            yield node


def is_random(node: fx.Node) -> bool:
    """Whether a call's result depends on the random generator."""
    if not isinstance(node.target, torch._ops.OpOverload) or torch.Tag.nondeterministic_seeded not in node.target.tags:
        return False
    # Attention draws only for its dropout.
    dropouts = [a for a in schema_of(node.target).arguments if a.name == "dropout_p"]
    return not dropouts or given_arguments(node.target, node.args, node.kwargs).get("dropout_p", 0.0) != 0.0


def _forward_draws(graph: fx.Graph) -> Iterator[fx.Node]:
    """The forward's draws: a second draw would give other numbers."""
    return (node for node in _draws(graph) if not is_backward(node))


def _forward_effects(graph: fx.Graph) -> Iterator[fx.Node]:
    """The forward's calls that are ordered by tokens: they happen once, except those that a checkpoint repeats."""
    for node in graph.nodes:
        ordered = isinstance(node.target, torch._ops.OpOverload) and node.target.namespace == ORDERED
        if ordered and not is_backward(node) and not must_recompute(node):
            yield node


def _check_once(backward: fx.GraphModule, once: Collection[str]) -> None:
    """Proves that the partition repeats no random draw, and reads no input that the forward has written since."""
    again = [node.name for node in backward.graph.nodes if node.op == "call_function" and node.name in once]
    assert not again, f"the partition computes again what it must not: {again}"
