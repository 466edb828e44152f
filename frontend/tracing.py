"""AOTAutograd around `compile_graph`: traces what Dynamo captured, splits a joint graph, compiles inference, forward and backward."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import fx

from ..collector import paused_collector
from ..errors import MlirindError
from ..lowering.cpu.target import check_features
from ..options import Options
from ..passes.plugins import check_plugins
from ..progress import compiling
from ..runner import Runner
from ..torch_internals.aot import aot_graph_name, aot_module_simplified, boxed_function, donated_inputs, graph_metadata, static_inputs
from ..torch_internals.direct_call import InferenceGraph, uses_own_operators
from ..torch_internals.fake_tensors import true_offsets
from ..torch_internals.traced_results import allow_kept_graphs, making_results
from ..torch_internals.training_call import Training
from ..torch_internals.untraced import untraced
from ..torch_internals.wrapper_check import called_directly
from .caching.cached_graphs import compile_or_load, compile_stored
from .caching.compiled_code import CompiledCode
from .caching.traced_graphs import save_traced
from .calling.plain_inputs import tangents_of, with_plain_gradients
from .checking.joint_check import JointCheck
from .decompositions.foreach import erase_uses
from .decompositions.resampling import whole_resampling
from .decompositions.table import decomposition_table
from .joint.joint_partition import partition_joint
from .run_report import reported
from .timing import captured_graph, part


def check_parts(options: Options) -> None:
    """Raises MlirindError for processor features and passes that do not exist."""
    check_features(options.target_features)
    check_plugins(options)


def trace_and_compile(
    graph_module: fx.GraphModule, example_inputs: Sequence[Any], options: Options, key: str | None = None
) -> Callable[..., Any]:
    """The callable for Dynamo. `key`: under which the cache keeps what AOTAutograd makes; None if it keeps nothing."""
    inference, training, stored = InferenceGraph(), Training(), key is not None
    joint = JointCheck(options) if options.check else None
    on_cpu = all(value.device.type == "cpu" for value in example_inputs if isinstance(value, torch.Tensor))
    with (
        paused_collector(),
        true_offsets(example_inputs),
        whole_resampling() if on_cpu else contextlib.nullcontext(),
        reported(options.report, graph_module),
        compiling(),
        captured_graph(options),
        making_results() if stored else contextlib.nullcontext(),
    ):
        # Dynamo must not trace the compilers. It marks the returned callable itself; a second mark would cost a microsecond per call.
        wrapped = aot_module_simplified(
            graph_module,
            list(example_inputs),
            fw_compiler=untraced(functools.partial(_compile_forward, options=options, made=training, stored=stored, joint=joint)),
            bw_compiler=untraced(functools.partial(_compile_backward, options=options, stored=stored)),
            inference_compiler=untraced(functools.partial(_compile_inference, options=options, made=inference, stored=stored)),
            partition_fn=untraced(functools.partial(_partition, options=options, made=training, check=joint)),
            decompositions=decomposition_table(options.fallback_random, on_cpu),
            keep_inference_input_mutations=True,
        )
        if key is not None:
            save_traced(key, wrapped, inference, training)
    return called_directly(wrapped, graph_module, example_inputs, inference, training)


def _partition(*args: Any, options: Options, made: Training, **kwargs: Any) -> Any:
    if options.freezing:
        raise MlirindError("option freezing: gradients are wanted here; call under torch.no_grad(), or compile without it for training")
    with part("joint graph: passes, partition"):
        forward, backward = partition_joint(*args, options=options, **kwargs)
    made.note_partition(forward, backward)
    return forward, backward


def _compile_backward(graph_module: fx.GraphModule, example_inputs: Sequence[Any], options: Options, stored: bool) -> Runner:
    tangents, traced, name = tangents_of(graph_module), boxed_function(graph_module), aot_graph_name()
    with part(name):
        if not stored:
            run = compile_or_load(graph_module, options, name, donated=donated_inputs())
            return untraced(with_plain_gradients(run, tangents, traced))
        donated = donated_inputs()
        allow_kept_graphs(graph_metadata())  # the native function copies saved tensors that the graph still holds
        run, found = compile_stored(graph_module, options, name, donated=donated, tangents=tangents)
    return untraced(CompiledCode(with_plain_gradients(run, tangents, traced), found))


def _compile(graph_module: fx.GraphModule, options: Options, stored: bool) -> Runner:
    name = aot_graph_name()
    with part(name):
        if not stored:
            return compile_or_load(graph_module, options, name, static_inputs())
        return CompiledCode(*compile_stored(graph_module, options, name, static_inputs()))


def _compile_forward(
    graph_module: fx.GraphModule, example_inputs: Sequence[Any], options: Options, made: Training, stored: bool, joint: JointCheck | None
) -> Runner:
    runner = _compile(graph_module, options, stored)
    made.runner = runner if joint is None else joint.checked(runner)
    return made.runner


def _compile_inference(
    graph_module: fx.GraphModule, example_inputs: Sequence[Any], options: Options, made: InferenceGraph, stored: bool
) -> Runner:
    erase_uses(graph_module)
    own_operators = uses_own_operators(graph_module)  # before compilation changes the graph
    runner = _compile(graph_module, options, stored)
    metadata = graph_metadata()
    if metadata is not None:
        made.note(runner, metadata, own_operators)
    return runner
