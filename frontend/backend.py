"""The backend of `torch.compile(backend="mlirind")`: loads what the cache has; else traces and compiles what Dynamo captured.

The compiler, and with it MLIR, is imported when the first graph is traced: a process that finds all its graphs in the cache needs neither.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any

from torch import fx

from ..options import Options
from ..torch_internals.dynamo import counters, flatten_graph_inputs
from ..torch_internals.entries import can_compile
from ..torch_internals.operators import keep_checks
from ..torch_internals.serializable import compiles_ahead
from ..torch_internals.untraced import skip_own_files
from ..torch_internals.wrapper_check import wrappers_are_known
from .caching.traced_graphs import load_traced, traced_key
from .caching.users_code import steps
from .calling.forward_mode import with_tangents
from .calling.plain_inputs import with_plain_inputs
from .patterns.pattern_guard import guard_on_patterns

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
    if compiles_ahead():
        from .caching.saved_functions import saved_function

        return saved_function(graph_module, example_inputs, given, _compile)
    counters["aot_autograd"]["total"] += 1  # DistributedDataParallel's graph splitter reads this: AOTAutograd is in use
    called = _load_or_compile(graph_module, example_inputs, given)
    return with_tangents(with_plain_inputs(called, graph_module), graph_module)


def _load_or_compile(graph_module: fx.GraphModule, example_inputs: Sequence[Any], options: Options) -> Callable[..., Any]:
    """The callable for Dynamo."""
    key = traced_key(graph_module, example_inputs, options)
    loaded = None if key is None else load_traced(key, graph_module, example_inputs)
    if loaded is not None:
        guard_on_patterns(steps(options))
        return loaded
    from .tracing import check_parts

    check_parts(options)
    guard_on_patterns(steps(options))
    if options.check:
        return _checked(graph_module, example_inputs, options)
    return _compile(graph_module, example_inputs, options, key)


def _checked(graph_module: fx.GraphModule, example_inputs: Sequence[Any], options: Options) -> Callable[..., Any]:
    """The same with option `check`: each call is compared with the captured graph in eager mode."""
    from .checking.checked_function import captured_graph_copy, checked_function
    from .checking.checked_graphs import ordered

    original, ordered.graphs = captured_graph_copy(graph_module), 0
    called = _compile(graph_module, example_inputs, options)
    return checked_function(called, original, options, functools.partial(_compile, options=dataclasses.replace(options, check="")))


def _compile(graph_module: fx.GraphModule, example_inputs: Sequence[Any], options: Options, key: str | None = None) -> Callable[..., Any]:
    """Runs the users' passes before AOTAutograd, and compiles. `key`: under which the cache keeps it."""
    from .calls.true_masks import drop_true_masks
    from .patterns.pre_grad import run_pre_grad
    from .tracing import trace_and_compile

    run_pre_grad(graph_module, options)
    if options.rounding != "eager":
        drop_true_masks(graph_module)
    return trace_and_compile(graph_module, example_inputs, options, key)


def _is_named(value: Any) -> bool:
    """Whether `value` is a tensor with named dimensions (PyTorch up to 2.12). `aten` has no names, so such graphs are not compiled."""
    has_names = getattr(value, "has_names", None)  # not `value.names`: PyTorch 2.11's fake tensors raise there
    return has_names is not None and bool(has_names())
