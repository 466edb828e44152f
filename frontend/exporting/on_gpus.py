"""Programs that were exported on the CPU, as programs on a GPU: no GPU is needed, because nothing is computed."""

from __future__ import annotations

from typing import Any

import torch
from torch import fx
from torch.export import ExportedProgram
from torch.fx.node import map_aggregate

from ...errors import NotALibrary
from ...torch_internals.fake_tensors import FakeTensor, detect_fake_mode
from ...torch_internals.operators import given_arguments, schema_of

GPU = "cuda:0"


def move_to_gpu(program: ExportedProgram) -> dict[str, torch.Tensor]:
    """Changes a program on the CPU into one on a GPU, whose parameters, buffers and constants have no memory; returns these tensors of the
    CPU by name. What the export decided by the device stays as it is. Raises NotALibrary."""
    mode = detect_fake_mode([node.meta.get("val") for node in program.graph.nodes])
    if mode is None:
        raise NotALibrary("a program without tensors can't be moved to a GPU")

    def moved(tensor: torch.Tensor) -> torch.Tensor:
        # Under gradients PyTorch would look for the GPU's runtime.
        with mode:
            return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device=GPU)

    values: dict[str, torch.Tensor] = {}
    written = _written_through(program.graph_module)
    for kept in (program.state_dict, program.constants):
        for name, value in list(kept.items()):
            if isinstance(value, torch.Tensor):
                values[name] = value
                kept[name] = torch.nn.Parameter(moved(value), False) if isinstance(value, torch.nn.Parameter) else moved(value)
    for module in program.graph_module.modules():
        for node in module.graph.nodes if isinstance(module, fx.GraphModule) else ():
            _free_of_strides(node, written)
            node.args, node.kwargs = (map_aggregate(given, _device) for given in (node.args, node.kwargs))
            if "val" in node.meta:
                node.meta["val"] = map_aggregate(node.meta["val"], lambda value: moved(value) if isinstance(value, FakeTensor) else value)
    return values


def _written_through(module: fx.GraphModule) -> set[fx.Node]:
    """The nodes that operators write, and those of which these are views."""
    found: set[fx.Node] = set()
    for graph_module in (m for m in module.modules() if isinstance(m, fx.GraphModule)):
        for node in reversed(graph_module.graph.nodes):
            if not isinstance(node.target, torch._ops.OpOverload):
                continue
            schema = schema_of(node.target)
            values = given_arguments(node.target, node.args, node.kwargs)
            writes = [values.get(a.name) for a in schema.arguments if a.alias_info is not None and a.alias_info.is_write]
            shares = [values.get(a.name) for a in schema.arguments if a.alias_info is not None and node in found]
            map_aggregate([*writes, *shares], lambda value: found.add(value) if isinstance(value, fx.Node) else None)
    return found


def _free_of_strides(node: fx.Node, written: set[fx.Node]) -> None:
    """Changes a call that may fail because tensors have other strides on a GPU: the export of PyTorch 2.11 drops what copies
    nothing on the CPU, such as `contiguous`. A view that is `written` must stay one. Raises NotALibrary for a call that would give other
    values."""
    if node.target is torch.ops.aten.view.default and node not in written:
        node.target = torch.ops.aten.reshape.default
    elif node.target is torch.ops.aten.as_strided.default:
        raise NotALibrary(f"{node.target}: its results depend on strides, which may be others on a GPU; compile the program there")


def _device(value: Any) -> Any:
    return torch.device(GPU) if isinstance(value, torch.device) else value
