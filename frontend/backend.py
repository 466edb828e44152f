"""The backend of `torch.compile(backend="mlirind")`: AOTAutograd around `compile_graph`."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import fx

from ..errors import MlirindError
from ..lowering.cpu.target import check_features
from ..options import Options
from ..passes.plugins import check_plugins
from ..runner import Runner
from ..torch_internals.aot import aot_graph_name, aot_module_simplified, donated_inputs, graph_metadata, static_inputs
from ..torch_internals.direct_call import InferenceGraph, direct_call, uses_own_operators
from ..torch_internals.dynamo import counters, flatten_graph_inputs
from ..torch_internals.entries import can_compile
from ..torch_internals.fake_tensors import true_offsets
from ..torch_internals.operators import keep_checks
from ..torch_internals.training_call import Training, training_call
from ..torch_internals.untraced import skip_own_files, untraced
from ..torch_internals.wrapper_check import wrappers_are_known
from .caching.cached_graphs import compile_or_load
from .calling.forward_mode import with_tangents
from .calling.plain_inputs import with_plain_gradients, with_plain_inputs
from .decompositions.foreach import erase_uses
from .decompositions.resampling import whole_resampling
from .decompositions.table import decomposition_table
from .joint.joint_partition import partition_joint
from .patterns.pattern_guard import guard_on_patterns
from .patterns.pre_grad import run_pre_grad
from .run_report import reported

skip_own_files()
keep_checks()
wrappers_are_known()  # computed and cached at import: it may compile small graphs, and no compilation is running yet


def mlirind(
    graph_module: fx.GraphModule, example_inputs: Sequence[Any], options: dict[str, Any] | None = None, mode: str | None = None
) -> Callable[..., Any]:
    """Compiles the graph that Dynamo captured, and returns the callable. `options`: fields of `mlirind.Options`; `mode`: one of
    `mlirind.options.MODES`."""
    eager: Callable[..., Any] = graph_module.forward
    if not can_compile() or any(map(_is_named, example_inputs)):
        return eager
    if any(isinstance(value, (list, tuple, dict)) for value in example_inputs):  # compiled autograd's graphs have these
        if flatten_graph_inputs is None:
            return eager
        compiled = functools.partial(mlirind, options=options, mode=mode)
        flat: Callable[..., Any] = flatten_graph_inputs(graph_module, list(example_inputs), compiled)
        return flat
    given = Options.from_dict(options, mode)
    check_features(given.target_features)
    check_plugins(given)
    guard_on_patterns(given)
    run_pre_grad(graph_module, given)
    inference, training = InferenceGraph(), Training()
    on_cpu = all(value.device.type == "cpu" for value in example_inputs if isinstance(value, torch.Tensor))
    counters["aot_autograd"]["total"] += 1  # DistributedDataParallel's graph splitter reads this: AOTAutograd is in use
    # Dynamo must not trace the compilers. It marks the returned callable itself; a second mark would cost a microsecond per call.
    resampling = whole_resampling() if on_cpu else contextlib.nullcontext()
    with true_offsets(example_inputs), resampling, reported(given.report, graph_module):
        wrapped = aot_module_simplified(
            graph_module,
            list(example_inputs),
            fw_compiler=untraced(functools.partial(_compile_forward, options=given, made=training)),
            bw_compiler=untraced(functools.partial(_compile_backward, options=given)),
            inference_compiler=untraced(functools.partial(_compile_inference, options=given, made=inference)),
            partition_fn=untraced(functools.partial(_partition, options=given, made=training)),
            decompositions=decomposition_table(given.fallback_random, on_cpu),
            keep_inference_input_mutations=True,
        )
    called = _called(wrapped, graph_module, example_inputs, inference, training)
    return with_tangents(with_plain_inputs(called, graph_module), graph_module)


def _called(
    wrapped: Callable[..., Any], graph_module: fx.GraphModule, inputs: Sequence[Any], inference: InferenceGraph, training: Training
) -> Any:
    """The callable for Dynamo: AOTAutograd's own, or an equivalent one without its wrappers."""
    if not wrappers_are_known():
        return wrapped
    if training.runner is not None:
        return training_call(wrapped, inputs, training)
    return direct_call(wrapped, graph_module, inference)


def _is_named(value: Any) -> bool:
    """Whether `value` is a tensor with named dimensions (PyTorch up to 2.12). `aten` has no names, so such graphs are not compiled."""
    has_names = getattr(value, "has_names", None)  # not `value.names`: PyTorch 2.11's fake tensors raise there
    return has_names is not None and bool(has_names())


def _partition(*args: Any, options: Options, made: Training, **kwargs: Any) -> Any:
    if options.freezing:
        raise MlirindError("option freezing: gradients are wanted here; call under torch.no_grad(), or compile without it for training")
    forward, backward = partition_joint(*args, options=options, **kwargs)
    made.note_partition(forward, backward)
    return forward, backward


def _compile(graph_module: fx.GraphModule, example_inputs: Sequence[Any], options: Options, is_backward: bool = False) -> Runner:
    static = () if is_backward else static_inputs()
    donated = donated_inputs() if is_backward else ()
    return compile_or_load(graph_module, options, aot_graph_name(), static, donated)


def _compile_backward(graph_module: fx.GraphModule, example_inputs: Sequence[Any], options: Options) -> Runner:
    return untraced(with_plain_gradients(_compile(graph_module, example_inputs, options, is_backward=True), graph_module))


def _compile_forward(graph_module: fx.GraphModule, example_inputs: Sequence[Any], options: Options, made: Training) -> Runner:
    made.runner = _compile(graph_module, example_inputs, options)
    return made.runner


def _compile_inference(graph_module: fx.GraphModule, example_inputs: Sequence[Any], options: Options, made: InferenceGraph) -> Runner:
    erase_uses(graph_module)
    own_operators = uses_own_operators(graph_module)  # before compilation changes the graph
    runner = _compile(graph_module, example_inputs, options)
    metadata = graph_metadata()
    if metadata is not None:
        made.note(runner, metadata, own_operators)
    return runner
