"""Captures the ATen graphs of a program as AOTAutograd hands them to the compiler."""

from __future__ import annotations

from typing import Any

import torch
from mlirind.frontend.decompositions.table import decomposition_table
from torch import fx
from torch._functorch.aot_autograd import aot_module_simplified, make_boxed_func


def capture(function: Any, *args: Any, backward: bool = False, dynamic: bool | None = None) -> list[fx.GraphModule]:
    """The forward graphs (and the backward ones of the sum of the first output) that `function(*args)` compiles to."""
    found: list[fx.GraphModule] = []

    def compiler(graph_module: fx.GraphModule, _inputs: Any) -> Any:
        found.append(graph_module)
        return make_boxed_func(graph_module.forward)

    def backend(graph_module: fx.GraphModule, inputs: Any) -> Any:
        table = decomposition_table()
        return aot_module_simplified(
            graph_module, inputs, fw_compiler=compiler, bw_compiler=compiler, decompositions=table, keep_inference_input_mutations=True
        )

    torch._dynamo.reset()
    with torch.set_grad_enabled(backward):
        outputs = torch.compile(function, backend=backend, dynamic=dynamic)(*args)
    if backward:
        first = outputs[0] if isinstance(outputs, tuple) else outputs
        first.sum().backward()
    return found
