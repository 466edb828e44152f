"""Programs that use every entry of the boundary: `COMMON` run without each of them, those of `SPECIAL` without the entries they name.

A program gets `compiled(function, **options of torch.compile)` and returns tensors; eager's answer is what it returns where that gives
the function itself.
"""

from __future__ import annotations

import contextlib
import logging
import math
import os
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.nn.functional as F
from gradient_programs import (
    Compiled,
    Program,
    checkpoints,
    compiled_autograd,
    dynamic_training,
    gradient_batches,
    kept_graph,
    leaves,
    line,
    loss,
    outlived_transform,
    saved_tensor_hooks,
    tangents,
    transforms,
    transposed_gradient,
    zero_gradient,
)
from torch.nn.attention.flex_attention import flex_attention


def mlp(compiled: Compiled) -> Any:
    call, weights = compiled(loss), leaves()
    for _ in range(2):
        total = call(line(5, 8), *weights)
        total.backward()
    return total.detach(), [w.grad for w in weights]


def convolution(compiled: Compiled) -> Any:
    call = compiled(lambda x, k: F.interpolate(F.max_pool2d(F.conv2d(x, k, padding=1).relu(), 2), scale_factor=2.0))
    return call(line(1, 3, 6, 6).to(memory_format=torch.channels_last), line(4, 3, 3, 3))


def dynamic(compiled: Compiled) -> Any:
    call = compiled(lambda x, w: (F.layer_norm(x @ w, [8]).softmax(-1), x.t().argmax(0)), dynamic=True)
    return [call(line(rows, 8), line(8, 8)) for rows in (5, 7)]


def written(compiled: Compiled) -> Any:
    def write(x: torch.Tensor) -> torch.Tensor:
        x.mul_(2)[0].zero_()
        return x.view(-1)

    x = line(5, 8)
    return compiled(write)(x), x, x._version


def random(compiled: Compiled) -> Any:
    torch.manual_seed(3)
    drawn = compiled(lambda x: F.dropout(x, 0.5) + torch.rand_like(x))(line(64))
    return drawn, torch.rand(3)


COMMON: tuple[Program, ...] = (mlp, convolution, dynamic, written, random)


def symbolic_floats(compiled: Compiled) -> Any:
    call = compiled(lambda x: x / math.sqrt(x.shape[0]), dynamic=True)
    return [call(line(rows, 8)) for rows in (5, 7)]


def autocast(compiled: Compiled) -> Any:
    w, _ = leaves()
    with torch.autocast("cpu", torch.bfloat16):
        total = compiled(lambda x, w: (x @ w).float().square().sum())(line(5, 8), w)
    total.backward()
    return total.detach(), w.grad


@contextlib.contextmanager
def scale_operator() -> Iterator[Callable[..., None]]:
    """A custom operator that writes to its argument."""
    library = torch.library.Library("mlirind_boundary", "FRAGMENT")
    library.define("scale(Tensor(a!) x, float factor) -> ()")

    def scale(x: torch.Tensor, factor: float) -> None:
        x.mul_(factor)

    library.impl("scale", scale, "CPU")
    torch.library.register_fake("mlirind_boundary::scale", lambda x, factor: None, lib=library)
    try:
        yield torch.ops.mlirind_boundary.scale
    finally:
        library._destroy()


def written_by_an_operator(compiled: Compiled) -> Any:
    with scale_operator() as scale:

        def function(x: torch.Tensor) -> torch.Tensor:
            y = x + 1
            scale(y, 3.0)
            return y * x

        return compiled(function)(line(5, 8))


def profiled(compiled: Compiled) -> Any:
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]):
        return compiled(lambda x: x.sin() + 1)(line(5, 8))


def unknown_sizes(compiled: Compiled) -> Any:
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True, capture_scalar_outputs=True):
        rows = compiled(lambda x, n: x[-n.item() :].sin())(line(5, 8).requires_grad_(), torch.tensor(3))
        return compiled(lambda x: x[x > 0].exp() * 2)(line(5, 8)), rows


def out_of_range(compiled: Compiled) -> Any:
    try:
        compiled(lambda x, i: x[i] + 1)(line(5, 8), torch.tensor([7]))
    except Exception as error:
        return isinstance(error, IndexError)


def subclass(compiled: Compiled) -> Any:
    from torch.testing._internal.two_tensor import TwoTensor

    result = compiled(lambda x: x.sin() * 2)(TwoTensor(line(5), line(5) + 1))
    return result.a, result.b


def fake_call(compiled: Compiled) -> Any:
    """A compiled function is refused in FakeTensorMode; eager gives a tensor without values."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    call = compiled(lambda x: x.sin() * 2)
    result = call(line(5, 8))
    with FakeTensorMode(allow_non_fake_inputs=True) as mode, contextlib.suppress(RuntimeError):
        call(mode.from_tensor(line(5, 8)))
    return result, call(line(5, 8))


def patterns(compiled: Compiled) -> Any:
    import mlirind.patterns
    from mlirind.passes.patterns.engine import pattern_set
    from mlirind.patterns import register_replacement

    def search(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return F.silu(F.linear(x, w)).relu() * 3

    call, weights, examples = compiled(search), [line(8, 8), line(8, 8).sin()], [torch.randn(4, 8), torch.randn(8, 8)]
    results = [call(*weights)]
    for modes in (contextlib.nullcontext(), torch.overrides.BaseTorchFunctionMode()):
        with modes:
            register_replacement(search, lambda x, w: F.silu(F.linear(x, w)).clamp(min=0) * 3, examples)
            results.append(call(*weights))
        pattern_set.remove_all(mlirind.patterns.DEFAULT_PASS)
    return results


def distributed(compiled: Compiled) -> Any:
    dist = torch.distributed
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        torch.manual_seed(3)
        module = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Tanh(), torch.nn.Linear(8, 8))
        compiled(torch.nn.parallel.DistributedDataParallel(module))(line(5, 8)).sum().backward()
        return [p.grad for p in module.parameters()]
    finally:
        dist.destroy_process_group()


def layouts(compiled: Compiled) -> Any:
    """Operators whose results have the layout that ATen's kernels give them."""
    x = line(2, 4, 3, 3).to(memory_format=torch.channels_last)
    return compiled(lambda x: (F.group_norm(x, 2), F.batch_norm(x, None, None, training=True), F.softplus(x), F.hardsigmoid(x)))(x)


def views(compiled: Compiled) -> Any:
    def function(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y = x.sin()
        return y.t(), y[1:], x.exp().unflatten(1, (2, 4))

    return [compiled(function)(line(5, 8)), compiled(function, options={"host": "python"})(line(5, 8))]


def default_partition(compiled: Compiled) -> Any:
    call, weights = compiled(loss, options={"partition": "default"}), leaves()
    call(line(5, 8), *weights).backward()
    return [w.grad for w in weights]


def resampled(compiled: Compiled) -> Any:
    w = line(1, 2, 4, 4).requires_grad_()
    call = compiled(lambda x: (F.interpolate(x, scale_factor=2.0, mode="bilinear"), F.interpolate(x, size=(7, 5)), F.hardshrink(x)))
    results = call(w)
    sum(r.square().sum() for r in results).backward()
    return [r.detach() for r in results], w.grad


def cached(compiled: Compiled) -> Any:
    """A training step whose graphs are kept on disk, twice."""
    gradients, given = [], os.environ.get("MLIRIND_CACHE_DIR")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MLIRIND_CACHE_DIR"] = folder
        try:
            for _ in range(2):
                torch.compiler.reset()
                call, weights = compiled(loss, options={"cache": True}), leaves()
                call(line(5, 8), *weights).backward()
                gradients += [w.grad for w in weights]
        finally:
            del os.environ["MLIRIND_CACHE_DIR"]
            os.environ.update({} if given is None else {"MLIRIND_CACHE_DIR": given})
    return gradients


def traced(compiled: Compiled) -> Any:
    """A compilation that writes PyTorch's trace."""
    trace, handler = logging.getLogger("torch.__trace"), logging.NullHandler()
    trace.addHandler(handler)
    try:
        return compiled(lambda x: x.sin() + 1)(line(5, 8))
    finally:
        trace.removeHandler(handler)


def attention_in_tiles(compiled: Compiled) -> Any:
    return compiled(lambda q: flex_attention(q, q, q, score_mod=lambda s, b, h, i, j: s + i - j))(line(1, 1, 1040, 8))


# By the last part of an entry's name; what is not here is used by a program of `COMMON`.
SPECIAL: dict[str, tuple[Program, ...]] = {
    "_are_functorch_transforms_active": (transforms,),
    "peek_interpreter_stack": (transforms, gradient_batches),
    "is_legacy_batchedtensor": (gradient_batches,),
    "is_functorch_wrapped_tensor": (outlived_transform,),
    "unwrap_if_dead": (outlived_transform, zero_gradient),
    "_is_zerotensor": (zero_gradient,),
    "_get_current_graph_task_keep_graph": (kept_graph,),
    "_top_saved_tensors_default_hooks": (saved_tensor_hooks,),
    "mark_dynamo_propagated_dynamic_indices": (dynamic_training,),
    "coerce_to_expected_memory_format": (dynamic_training, transposed_gradient),
    "_sym_sqrt": (symbolic_floats,),
    "_cdata": (views, kept_graph),
    "TensorBase": (views,),
    "ADInplaceOrView": (views, layouts),
    "_dispatch_tls_is_dispatch_key_excluded": (views, layouts),
    "_dispatch_tls_set_dispatch_key_excluded": (views, layouts),
    "c10's switch of a thread's dispatch keys": (views, layouts),
    "the layout of PyTorch's tensor objects": (views, layouts),
    "the layout of tensors in C++": (kept_graph, views),
    "libtorch_python's THPVariable_Wrap": (views, layouts),
    "libtorch's enumerations": (views, layouts),
    "libtorch's brgemm": (attention_in_tiles,),
    "AOTAutograd's wrappers": (dynamic_training, views),
    "OutputType": (dynamic_training,),
    "TracingContext": (dynamic_training, patterns),
    "must_recompute": (checkpoints,),
    "run_and_save_rng_state": (checkpoints,),
    "run_with_rng_state": (checkpoints,),
    "default_partition": (default_partition,),
    "flatten_graph_inputs": (compiled_autograd,),
    "auto_functionalized": (written_by_an_operator,),
    "auto_functionalized_v2": (written_by_an_operator,),
    "make_boxed_func": (unknown_sizes,),
    "_set_replacement": (unknown_sizes,),
    "symbol_is_type": (unknown_sizes,),
    "SymT": (unknown_sizes,),
    "_LazyGraphModule": (out_of_range,),
    "is_traceable_wrapper_subclass": (subclass,),
    "_get_dispatch_mode": (fake_call, views),
    "_TorchDispatchModeKey": (fake_call, views),
    "_empty_strided_cpu": (views,),
    "_reinterpret_tensor": (views,),
    "__dict__": (profiled,),
    "counters": (distributed,),
    "trace_structured": (traced,),
    "_DisableAutocast": (autocast,),
    "_is_any_autocast_enabled": (autocast,),
    "suggest_memory_format": (layouts,),
    "decomposition_table": (layouts,),
    "Autograd": (resampled,),
    "CompositeImplicitAutograd": (resampled,),
    "Meta": (resampled,),
    "py_kernels": (resampled,),
    "_dispatch_cache": (resampled,),
    "_op_dk": (resampled,),
    "_dispatch_has_kernel_for_dispatch_key": (resampled,),
    "GlobalStateSource": (patterns, tangents),
    "Guard": (patterns, tangents),
    "add_dual_level_match_guard": (tangents,),
    "SerializableCallable": (mlp,),
    "OutputCode": (cached,),
    "BypassAOTAutogradCache": (cached,),
    "BundledAOTAutogradResult": (cached,),
    "config": (cached,),
    "_config": (cached,),
    "_impls": (cached,),
    "the settings of AOTAutograd's cache": (cached,),
    "the parts of AOTAutograd's results": (cached,),
    "tracing": (patterns,),
    "_len_torch_function_stack": (patterns,),
    "_len_torch_dispatch_stack": (patterns,),
    "_pop_mode_temporarily": (patterns,),
    "_can_decompose": (patterns,),
    "enable_python_dispatcher": (patterns,),
}
