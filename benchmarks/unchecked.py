"""The backend `unchecked`: mlirind's kernels without their checks of indices that are read from memory, to measure what these cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from mlirind.passes import registry
from mlirind.tools.backends import find_backend
from torch_mlir import ir


def unchecked_backend(graph_module: torch.fx.GraphModule, example_inputs: Sequence[Any]) -> Callable[..., Any]:
    """mlirind, except that checks and the masks of loads that they guard are left out when kernels become code."""
    with registry.watched(_drop_checks):
        return find_backend("mlirind")(graph_module, example_inputs)


def _drop_checks(found: registry.Pass, module: ir.Module) -> None:
    if found.name == "convert-loop-to-cpu":
        for kernel in [op for op in module.body.operations if op.operation.name == "loop.func"]:
            _drop_from(kernel)
    found.run(module)


def _drop_from(kernel: ir.OpView) -> None:
    operations = list(kernel.regions[0].blocks[0].operations)
    checks = [op for op in operations if op.operation.name == "loop.check"]
    checked = [op.operands[0] for op in checks]
    for op in operations:
        if op.operation.name == "loop.load" and op.operands[len(op.operands) - 1] in checked:
            _drop_mask(op)
    for check in checks:
        check.operation.erase()


def _drop_mask(load: ir.OpView) -> None:
    operands = list(load.operands)[:-1]
    segments = ir.DenseI32ArrayAttr.get([1, len(operands) - 1, 0])
    attributes = {"map": load.attributes["map"], "operandSegmentSizes": segments}
    plain = ir.Operation.create("loop.load", [load.results[0].type], operands, attributes, loc=load.location, ip=ir.InsertionPoint(load))
    load.results[0].replace_all_uses_with(plain.results[0])
    load.operation.erase()
