"""The backend of `torch.compile(backend="mlirind")`: AOTAutograd around `compile_graph`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from torch import fx
from torch._dynamo import disable
from torch._dynamo.utils import flatten_graph_inputs
from torch._functorch._aot_autograd.logging_utils import get_aot_graph_name
from torch._functorch.aot_autograd import aot_module_simplified

from ..errors import MlirindError
from ..options import Options
from ..passes.plugins import check_plugins
from .compile import Runner, compile_graph
from .decompositions import decomposition_table
from .joint import partition_joint

# Accepted for the sake of programs that say them; mlirind has one way to compile.
MODES = ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs")


def mlirind(
    graph_module: fx.GraphModule, example_inputs: Sequence[Any], options: dict[str, Any] | None = None, mode: str | None = None
) -> Callable[..., Any]:
    """Compiles what Dynamo captured; `options` are those of `mlirind.Options`. A `mode` of torch.compile's changes nothing."""
    if mode is not None and mode not in MODES:
        raise MlirindError(f"unknown mode {mode!r} for backend 'mlirind': known modes are {', '.join(MODES)}")
    if any(isinstance(value, (list, tuple, dict)) for value in example_inputs):  # of graphs that compiled autograd captured
        return flatten_graph_inputs(graph_module, list(example_inputs), functools.partial(mlirind, options=options))
    given = Options.from_dict(options)
    check_plugins(given)
    compiler = functools.partial(_compile, options=given)
    compiled = aot_module_simplified(
        graph_module,
        list(example_inputs),
        fw_compiler=compiler,
        bw_compiler=compiler,
        inference_compiler=compiler,
        partition_fn=functools.partial(_partition, options=given),
        decompositions=decomposition_table(),
        keep_inference_input_mutations=True,
    )
    return disable(compiled, reason="compiled by mlirind")


def _partition(*args: Any, **kwargs: Any) -> Any:
    return disable(partition_joint, reason="the compiler is not to be traced")(*args, **kwargs)


def _compile(graph_module: fx.GraphModule, example_inputs: Sequence[Any], options: Options) -> Runner:
    return disable(compile_graph, reason="the compiler is not to be traced")(graph_module, options, get_aot_graph_name())
