"""Training graphs without AOTAutograd's wrappers, where these would do nothing: an `autograd.Function` around two runners.

AOTAutograd's own function handles everything: views of inputs, writes to them, tensor subclasses, random states, gradients of gradients.
For a graph that has none of these, a class derived from it is called here. Its forward and backward only save tensors and load them again.
An unusual backward is left to AOTAutograd's class.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx
from torch.autograd.graph import increment_version

from ..runner import Runner
from .direct_call import has_work, innermost, inside, passes_on, uses_own_operators
from .entries import private
from .modes import is_autocast_on, no_autocast
from .tensors import is_view, plain_tensor
from .untraced import as_needed

_WITHOUT = "training steps go through AOTAutograd's function"
_transforms_active = private("torch._C._are_functorch_transforms_active", "a training step under a functorch transform", _WITHOUT)
_graph_is_kept = private("torch._C._autograd._get_current_graph_task_keep_graph", "whether a backward may run again", _WITHOUT)
_default_hooks = private("torch._C._autograd._top_saved_tensors_default_hooks", "whether saved tensors go through hooks", _WITHOUT)
_peek_interpreter = private("torch._C._functorch.peek_interpreter_stack", "a backward under a functorch transform", _WITHOUT)
_has_context = private("torch._C._is_key_in_tls", "Python's context variables of the thread that called backward()", _WITHOUT)
_get_context = private("torch._C._get_obj_in_tls", "Python's context variables of the thread that called backward()", _WITHOUT)
_wrappers = "torch._functorch._aot_autograd.runtime_wrappers."
_mark_dynamic = private(
    _wrappers + "mark_dynamo_propagated_dynamic_indices",
    "which sizes of outputs are symbolic",
    _WITHOUT,
    older=[_wrappers + "maybe_mark_dynamic_helper"],
)
_coerce = private(_wrappers + "coerce_to_expected_memory_format", "restores the traced strides of a gradient", _WITHOUT)
_OutputType = private("torch._functorch._aot_autograd.schemas.OutputType", "which outputs' gradients a backward takes", _WITHOUT)
_NAMES = (
    _transforms_active, _graph_is_kept, _default_hooks, _peek_interpreter, _has_context, _get_context, _mark_dynamic, _coerce, _OutputType
)  # fmt: skip

# Further fields of AOTAutograd's metadata that count work of the wrappers in training.
_TRAINING_WORK = ("num_graphsafe_rng_states", "num_backward_tokens")
_TANGENTS = () if _OutputType is None else (_OutputType.non_alias, _OutputType.unsafe_view_alias, _OutputType.custom_function_view)


@dataclass
class Training:
    """What is known of a training graph after its partition; empty if it was not partitioned."""

    runner: Runner | None = None
    own_operators: bool = False
    has_gradient: Sequence[bool] = ()

    def note_partition(self, forward: fx.GraphModule, backward: fx.GraphModule) -> None:
        """Records whether the forward calls custom operators, and which inputs have a gradient."""
        self.own_operators = uses_own_operators(forward)
        self.note_gradients(backward)

    def note_gradients(self, backward: fx.GraphModule) -> None:
        """Records which inputs have a gradient."""
        self.has_gradient = [value is not None for value in backward.graph.output_node().args[0]]


def training_call(wrapped: Callable[..., Any], example_inputs: Sequence[Any], made: Training) -> Callable[..., Any]:
    """The callable for Dynamo: `wrapped`, as AOTAutograd made it, or a function of ours, which saves a training step 50 us or more; the
    saving grows with the number of saved tensors."""
    run = made.runner
    function = _autograd_function(wrapped, run) if run is not None and torch.is_grad_enabled() and not made.own_operators else None
    if run is None or function is None or not _is_plain(function, made.has_gradient):
        return wrapped
    if len(example_inputs) != len(function.metadata.input_info):  # the wrapper adds the graph module's parameters
        return wrapped
    if not all(isinstance(value, (torch.Tensor, int, float, torch.SymInt, torch.SymFloat)) for value in example_inputs):
        return wrapped
    apply = super(torch.autograd.Function, _derived(function, innermost(run))).apply
    written = getattr(function.metadata, "mutated_graph_handled_indices_seen_by_autograd", ())
    dynamic = _dynamic(function.metadata)

    def call(*inputs: Any) -> Any:
        if _transforms_active():
            return wrapped(*inputs)
        if written:
            increment_version(tuple(inputs[i] for i in written))
        outputs = apply(*inputs)
        for i, dims in dynamic:
            _mark_dynamic(outputs[i], dims)
        return outputs

    return call


def saves_through_hooks() -> bool:
    """Whether tensors that are saved now go through hooks. True if unknown."""
    return _default_hooks is None or _default_hooks(True) is not None


def _autograd_function(wrapped: Callable[..., Any], forward: Runner) -> Any:
    """The class that AOTAutograd made for a training graph; None if it has other wrappers than the runtime wrapper, or if the forward's
    runner has any."""
    function = getattr(getattr(inside(wrapped), "__wrapped__", None), "__self__", None)
    if not (isinstance(function, type) and issubclass(function, torch.autograd.Function)):
        return None
    return function if passes_on(getattr(function, "compiled_fw", None), forward) else None


def _is_plain(function: Any, has_gradient: Sequence[bool]) -> bool:
    """Whether, by the metadata of a training graph, all outputs are new tensors, the graph itself does all writes to inputs that autograd
    sees, and every input that needs a gradient has one."""
    metadata = function.metadata
    if None in _NAMES or has_work(metadata, _TRAINING_WORK):
        return False
    if getattr(metadata, "num_opaque_objects_saved_for_bw", None):
        return False
    if len(has_gradient) != len(metadata.input_info) or len(_tangents(metadata)) != len(metadata.subclass_tangent_meta):
        return False
    if function.maybe_subclass_metadata is not None:
        return False
    return all(given or not info.requires_grad for given, info in zip(has_gradient, metadata.input_info, strict=True))


def _dynamic(metadata: Any) -> list[tuple[int, set[int]]]:
    """The outputs with sizes that Dynamo shall treat as symbolic, and the dimensions of these sizes."""
    return [(i, info.dynamic_dims) for i, info in enumerate(metadata.output_info) if info.dynamic_dims]


def _derived(function: Any, run: Runner) -> Any:
    """The derived class, whose forward and backward are ours."""
    call = _call_without_autocast if is_autocast_on() else _call
    forward, backward = _forward(function, run, call), _backward(function, call)
    return type(function)(function.__name__, (function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


def _call(run: Runner, inputs: list[Any]) -> Sequence[Any]:
    return run(inputs)


def _call_without_autocast(run: Runner, inputs: list[Any]) -> Sequence[Any]:
    with no_autocast():
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
        saved = [value.detach() if is_view(value) else value for value in outputs[checked]]
        ctx._tensors_no_vc_check = held = [value.detach() if is_view(value) else value for value in outputs[unchecked]]
        for i, dims in dynamic:
            _mark_dynamic(saved[i] if i < len(saved) else held[i - len(saved)], dims)
        ctx.save_for_backward(*saved)
        ctx.hooked = [(t.dtype, t.device, t.shape) for t in saved] if _default_hooks(True) is not None else None
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
            or _graph_is_kept()
            or _peek_interpreter() is not None
            or (nondeterministic and torch.are_deterministic_algorithms_enabled())
            or len(gradients) != metadata.num_outputs
            or any(type(gradients[i]) is not torch.Tensor for i in tangents)
        )

    def backward(ctx: Any, *arguments: Any) -> tuple[Any, ...]:
        run = innermost(as_needed(function.compiled_bw))
        gradients: Any = arguments[0] if boxed else arguments
        if run is None or not is_ordinary(gradients):
            eager: tuple[Any, ...] = function.backward(ctx, *arguments)
            return eager
        saved = ctx.saved_tensors if ctx.hooked is None else _as_saved(ctx.saved_tensors, ctx.hooked)
        inputs = [*ctx.symints, *saved, *ctx._tensors_no_vc_check]
        del saved
        inputs += [_in_format(gradients[i], wanted) for i, wanted in zip(tangents, formats, strict=True)]
        if boxed:
            gradients.clear()
        ctx.maybe_clear_saved_tensors()
        context = _get_context("context") if _has_context("context") else None  # of the thread that called backward()
        return tuple(call(run, inputs) if context is None else context.run(call, run, inputs))

    return backward


def _as_saved(tensors: Sequence[torch.Tensor], wanted: Sequence[Any]) -> list[torch.Tensor]:
    """The tensors that hooks returned for saved tensors. Raises RuntimeError if their dtype, device or shape differs, because kernels rely
    on these."""
    for tensor, (dtype, device, shape) in zip(tensors, wanted, strict=True):
        if (tensor.dtype, tensor.device, tensor.shape) != (dtype, device, shape):
            raise RuntimeError(
                f"saved_tensors_hooks: unpack gave a tensor of {tensor.dtype}, {list(tensor.shape)} on {tensor.device} for {dtype}, "
                f"{list(shape)} on {device}: let it give one like that"
            )
    return [plain_tensor(tensor) for tensor in tensors]


def _tangents(metadata: Any) -> list[int]:
    """The numbers of the outputs whose gradients the backward takes."""
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
