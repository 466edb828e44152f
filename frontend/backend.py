"""The backend of `torch.compile(backend="mlirind")`: AOTAutograd around `compile_graph`."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import fx
from torch._dynamo.utils import counters as dynamo_counters
from torch._dynamo.utils import flatten_graph_inputs
from torch._functorch._aot_autograd.logging_utils import get_aot_graph_name
from torch._functorch.aot_autograd import aot_module_simplified
from torch._guards import TracingContext

from ..errors import MlirindError
from ..lowering.cpu.target import check_features
from ..options import Options
from ..passes.plugins import check_plugins
from .compile import Runner, compile_graph
from .decompositions import decomposition_table
from .direct_call import Inference, direct_call, uses_own_operators
from .joint import partition_joint
from .pattern_guard import guard_on_patterns
from .plain_inputs import with_plain_gradients, with_plain_inputs
from .pre_grad import run_pre_grad
from .resampling import whole_resampling
from .training_call import Training, training_call
from .untraced import skip_own_files, untraced

skip_own_files()


def mlirind(
    graph_module: fx.GraphModule, example_inputs: Sequence[Any], options: dict[str, Any] | None = None, mode: str | None = None
) -> Callable[..., Any]:
    """Compiles what Dynamo captured; `options` are those of `mlirind.Options`, `mode` one of `mlirind.options.MODES`."""
    if any(isinstance(value, (list, tuple, dict)) for value in example_inputs):  # of graphs that compiled autograd captured
        return flatten_graph_inputs(graph_module, list(example_inputs), functools.partial(mlirind, options=options, mode=mode))
    given = Options.from_dict(options, mode)
    check_features(given.target_features)
    check_plugins(given)
    guard_on_patterns(given)
    run_pre_grad(graph_module, given)
    inference, training = Inference(), Training()
    on_cpu = all(value.device.type == "cpu" for value in example_inputs if isinstance(value, torch.Tensor))
    dynamo_counters["aot_autograd"]["total"] += 1  # by which DistributedDataParallel's splitter sees that AOTAutograd is at work
    # Not to be traced, as the compiler is not; Dynamo sees to it for what it is given, and once more would cost each call a microsecond.
    with whole_resampling() if on_cpu else contextlib.nullcontext():
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
    if training.runner is not None:
        return with_plain_inputs(training_call(wrapped, example_inputs, training), graph_module)
    return with_plain_inputs(direct_call(wrapped, graph_module, inference), graph_module)


def _partition(*args: Any, options: Options, made: Training, **kwargs: Any) -> Any:
    if options.freezing:
        raise MlirindError("option freezing: gradients are wanted here; call under torch.no_grad(), or compile without it for training")
    forward, backward = partition_joint(*args, options=options, **kwargs)
    made.note_partition(forward, backward)
    return forward, backward


def _compile(graph_module: fx.GraphModule, example_inputs: Sequence[Any], options: Options, is_backward: bool = False) -> Runner:
    static = () if is_backward else _static_inputs()
    donated = _donated_inputs() if is_backward else ()
    return compile_graph(graph_module, options, get_aot_graph_name(), static, donated)


def _compile_backward(graph_module: fx.GraphModule, example_inputs: Sequence[Any], options: Options) -> Runner:
    return untraced(with_plain_gradients(_compile(graph_module, example_inputs, options, is_backward=True), graph_module))


def _compile_forward(graph_module: fx.GraphModule, example_inputs: Sequence[Any], options: Options, made: Training) -> Runner:
    made.runner = _compile(graph_module, example_inputs, options)
    return made.runner


def _compile_inference(graph_module: fx.GraphModule, example_inputs: Sequence[Any], options: Options, made: Inference) -> Runner:
    own_operators = uses_own_operators(graph_module)  # before compilation changes the graph
    runner = _compile(graph_module, example_inputs, options)
    context = TracingContext.try_get()
    if context is not None and context.fw_metadata is not None:
        made.note(runner, context.fw_metadata, own_operators)
    return runner


def _donated_inputs() -> tuple[int, ...]:
    """Which inputs of the backward graph being compiled are saved tensors that nobody reads after it."""
    context = TracingContext.try_get()
    metadata = context.fw_metadata if context is not None else None
    return tuple(metadata.bw_donated_idxs or ()) if metadata is not None else ()


def _static_inputs() -> tuple[int, ...]:
    """Which inputs of the forward graph being compiled are parameters and buffers, at the same address in every call."""
    context = TracingContext.try_get()
    metadata = context.fw_metadata if context is not None else None
    return tuple(metadata.static_input_indices) if metadata is not None else ()
