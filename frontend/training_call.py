"""Training graphs without AOTAutograd's wrappers in between, where these would do nothing: an `autograd.Function` around two runners.

AOTAutograd's own function is right for everything: views of inputs, writes to them, tensor subclasses, random states, gradients of
gradients. For a graph that has none of these a class derived from it is called here, whose forward and backward do what is left to
do: save tensors and take them again. A backward that is no ordinary one goes AOTAutograd's way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx
from torch._C import _are_functorch_transforms_active as transforms_active
from torch._C._autograd import _get_current_graph_task_keep_graph as graph_is_kept
from torch._C._autograd import _top_saved_tensors_default_hooks as default_hooks
from torch._C._functorch import peek_interpreter_stack
from torch._functorch._aot_autograd import runtime_wrappers
from torch._functorch._aot_autograd.schemas import OutputType
from torch.autograd.graph import increment_version

from ..runtime.python_runner import Runner
from .direct_call import has_work, inside, passes_on, uses_own_operators
from .plain_inputs import plain
from .untraced import as_needed

# What else AOTAutograd's wrappers have work with, beyond what they have in inference.
_TRAINING_WORK = ("num_graphsafe_rng_states", "num_backward_tokens")
_TANGENTS = (OutputType.non_alias, OutputType.unsafe_view_alias, OutputType.custom_function_view)
# AOTAutograd's functions (2.13's, 2.11's name): one marks which sizes are symbolic, one gives a gradient the strides it was traced with.
_mark_dynamic: Any = getattr(runtime_wrappers, "mark_dynamo_propagated_dynamic_indices", None)
_mark_dynamic = _mark_dynamic or getattr(runtime_wrappers, "maybe_mark_dynamic_helper", None)
_coerce: Any = getattr(runtime_wrappers, "coerce_to_expected_memory_format", None)


@dataclass
class Training:
    """What is known of a training graph once it is partitioned; empty if it was not."""

    runner: Runner | None = None
    own_operators: bool = False
    has_gradient: Sequence[bool] = ()

    def note_partition(self, forward: fx.GraphModule, backward: fx.GraphModule) -> None:
        """Remembers whose operators the forward calls, and which inputs have a gradient."""
        self.own_operators = uses_own_operators(forward)
        self.has_gradient = [value is not None for value in backward.graph.output_node().args[0]]


def training_call(wrapped: Callable[..., Any], example_inputs: Sequence[Any], made: Training) -> Callable[..., Any]:
    """The callable for Dynamo: `wrapped`, as AOTAutograd made it, or one that calls a function of ours. It saves a training step some
    50 us and more, the more tensors are saved."""
    run = made.runner
    function = _autograd_function(wrapped, run) if run is not None and torch.is_grad_enabled() and not made.own_operators else None
    if run is None or function is None or not _is_plain(function, made.has_gradient):
        return wrapped
    if not all(isinstance(value, (torch.Tensor, int, float, torch.SymInt, torch.SymFloat)) for value in example_inputs):
        return wrapped
    apply = super(torch.autograd.Function, _derived(function, run)).apply
    written = getattr(function.metadata, "mutated_graph_handled_indices_seen_by_autograd", ())
    dynamic = _dynamic(function.metadata)

    def call(*inputs: Any) -> Any:
        if transforms_active():
            return wrapped(*inputs)
        if written:
            increment_version(tuple(inputs[i] for i in written))
        outputs = apply(*inputs)
        for i, dims in dynamic:
            _mark_dynamic(outputs[i], dims)
        return outputs

    return call


def _autograd_function(wrapped: Callable[..., Any], forward: Runner) -> Any:
    """The class that AOTAutograd made for a training graph, if nothing but the wrapper at runtime is around it, and nothing around the
    runner of the forward."""
    function = getattr(getattr(inside(wrapped), "__wrapped__", None), "__self__", None)
    if not (isinstance(function, type) and issubclass(function, torch.autograd.Function)):
        return None
    return function if passes_on(getattr(function, "compiled_fw", None), forward) else None


def _is_plain(function: Any, has_gradient: Sequence[bool]) -> bool:
    """Whether the metadata of a training graph says that outputs are new tensors, no input is seen to be written but by the graph
    itself, and every input that needs a gradient has one."""
    metadata = function.metadata
    if _mark_dynamic is None or _coerce is None or has_work(metadata, _TRAINING_WORK):
        return False
    if getattr(metadata, "num_opaque_objects_saved_for_bw", None):
        return False
    if len(has_gradient) != len(metadata.input_info) or len(_tangents(metadata)) != len(metadata.subclass_tangent_meta):
        return False
    if function.maybe_subclass_metadata is not None:
        return False
    return all(given or not info.requires_grad for given, info in zip(has_gradient, metadata.input_info, strict=True))


def _dynamic(metadata: Any) -> list[tuple[int, set[int]]]:
    """Which outputs have sizes that Dynamo is to take for symbolic ones, and which of them."""
    return [(i, info.dynamic_dims) for i, info in enumerate(metadata.output_info) if info.dynamic_dims]


def _derived(function: Any, run: Runner) -> Any:
    """The class whose forward and backward are ours."""
    call = _call_without_autocast if torch._C._is_any_autocast_enabled() else _call
    forward, backward = _forward(function, run, call), _backward(function, call)
    return type(function)(function.__name__, (function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


def _call(run: Runner, inputs: list[Any]) -> Sequence[Any]:
    return run(inputs)


def _call_without_autocast(run: Runner, inputs: list[Any]) -> Sequence[Any]:
    with torch._C._DisableAutocast():
        return run(inputs)


def _forward(function: Any, run: Runner, call: Callable[[Runner, list[Any]], Sequence[Any]]) -> Callable[..., Any]:
    metadata = function.metadata
    given = metadata.num_forward_returns
    checked, unchecked = metadata.tensors_saved_for_backwards_with_vc_check_slice, metadata.tensors_saved_for_backwards_no_vc_check_slice
    symbols = metadata.symints_saved_for_backwards_slice
    dynamic = list(metadata.dynamic_saved_tensors_idxs.items())
    unsafe_views = metadata.unsafe_view_out_indices
    tensors = [i for i, info in enumerate(metadata.output_info) if issubclass(info.raw_type, torch.Tensor)]
    without_gradient = [i for i in tensors if not metadata.output_info[i].requires_grad]

    def forward(ctx: Any, *inputs: Any) -> tuple[Any, ...]:
        outputs = call(run, list(inputs))
        saved = [value.detach() if value._is_view() else value for value in outputs[checked]]
        ctx._tensors_no_vc_check = held = [value.detach() if value._is_view() else value for value in outputs[unchecked]]
        for i, dims in dynamic:
            _mark_dynamic(saved[i] if i < len(saved) else held[i - len(saved)], dims)
        ctx.save_for_backward(*saved)
        ctx.hooked = [(t.dtype, t.device, t.shape) for t in saved] if default_hooks(True) is not None else None
        ctx.symints = outputs[symbols]
        ctx.opaque_objects = ()
        results = [*outputs[:given]]
        for i in unsafe_views:
            results[i] = torch.ops.aten._unsafe_view(results[i], results[i].shape)
        if without_gradient:
            ctx.mark_non_differentiable(*[results[i] for i in without_gradient])
        ctx._materialize_non_diff_grads = False
        return tuple(results)

    return forward


def _backward(function: Any, call: Callable[[Runner, list[Any]], Sequence[Any]]) -> Callable[..., Any]:
    metadata = function.metadata
    boxed = getattr(function, "boxed_grads_call", False)
    nondeterministic = metadata.deterministic is False
    tangents = _tangents(metadata)
    formats = [meta.memory_format for meta in metadata.subclass_tangent_meta]

    def is_ordinary(gradients: Sequence[Any]) -> bool:
        return not (
            torch.is_grad_enabled()
            or graph_is_kept()
            or peek_interpreter_stack() is not None
            or (nondeterministic and torch.are_deterministic_algorithms_enabled())
            or len(gradients) != metadata.num_outputs
            or any(type(gradients[i]) is not torch.Tensor for i in tangents)
        )

    def backward(ctx: Any, *arguments: Any) -> tuple[Any, ...]:
        run = as_needed(function.compiled_bw)
        gradients: Any = arguments[0] if boxed else arguments
        if run is None or not is_ordinary(gradients):
            return function.backward(ctx, *arguments)
        saved = ctx.saved_tensors if ctx.hooked is None else _as_saved(ctx.saved_tensors, ctx.hooked)
        inputs = [*ctx.symints, *saved, *ctx._tensors_no_vc_check]
        del saved
        inputs += [_in_format(gradients[i], wanted) for i, wanted in zip(tangents, formats, strict=True)]
        if boxed:
            gradients.clear()
        ctx.maybe_clear_saved_tensors()
        if torch._C._is_key_in_tls("context"):  # of the thread that called backward(), for Python's context variables
            return tuple(torch._C._get_obj_in_tls("context").run(call, run, inputs))
        return tuple(call(run, inputs))

    return backward


def _as_saved(tensors: Sequence[torch.Tensor], wanted: Sequence[Any]) -> list[torch.Tensor]:
    """What hooks gave for saved tensors, if it is like these; RuntimeError if not, for kernels read it as what was saved."""
    for tensor, (dtype, device, shape) in zip(tensors, wanted, strict=True):
        if (tensor.dtype, tensor.device, tensor.shape) != (dtype, device, shape):
            raise RuntimeError(
                f"saved_tensors_hooks: unpack gave a tensor of {tensor.dtype}, {list(tensor.shape)} on {tensor.device} for {dtype}, "
                f"{list(shape)} on {device}: let it give one like that"
            )
    return [plain(tensor) for tensor in tensors]


def _tangents(metadata: Any) -> list[int]:
    """Which outputs' gradients the backward takes."""
    found = []
    for i, info in enumerate(metadata.output_info):
        needed = getattr(info, "requires_grad_for_backward", info.requires_grad)
        if needed and info.output_type in _TANGENTS and issubclass(info.raw_type, torch.Tensor):
            found.append(i)
    return found


def _in_format(gradient: torch.Tensor, wanted: Any) -> torch.Tensor:
    """A gradient with the strides that the backward was traced with."""
    if wanted.memory_format is None and gradient.stride() == wanted.stride and gradient.shape == wanted.size:
        return gradient
    return _coerce(gradient, wanted)
