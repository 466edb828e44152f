"""Attributes of the imported function, its arguments and its operations."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import fx
from torch_mlir import ir

from ...dialects import aten
from ...dialects.aten import Size
from ...passes.analysis.node_identity import checkpoint_region
from ...passes.analysis.saved_values import BACKWARD
from ...passes.verify.verify_functional import EPILOGUE_OP
from ...torch_internals.tensors import storage_id
from ..joint.joint_nodes import is_backward


def joint_attributes(node: fx.Node) -> dict[str, ir.Attribute]:
    """Attributes of an operator in a joint graph: its checkpointed region, and whether it belongs to the backward."""
    return {**checkpoint_region(node.meta), **({BACKWARD: ir.UnitAttr.get()} if is_backward(node) else {})}


def symbol_attribute(expression: Size) -> dict[str, ir.Attribute]:
    """The attribute of an argument that is an integer."""
    if not isinstance(expression, int) and expression.is_Symbol:
        return {"aten.symbol": ir.StringAttr.get(expression.name)}
    return {"aten.expr": aten.size_attr(expression)}


def copied_onto_arguments(block: ir.Block) -> ir.Attribute:
    """The arguments that a `copy_` writes, in order."""
    copies = (op.operands[0] for op in block.operations if op.operation.name == EPILOGUE_OP)
    return ir.ArrayAttr.get([aten.size_attr(v.arg_number) for v in copies if isinstance(v, ir.BlockArgument)])


def alias_groups(inputs: Sequence[fx.Node], returned: Sequence[fx.Node]) -> ir.Attribute:
    """Which arguments (N) and results (-1 - N) share storage, in groups."""
    groups: dict[int, list[int]] = {}
    for number, node in [*enumerate(inputs), *((-1 - n, r) for n, r in enumerate(returned))]:
        value = node.meta.get("val")
        if isinstance(value, torch.Tensor):
            groups.setdefault(storage_id(value), []).append(number)
    shared = [g for g in groups.values() if len(g) > 1]
    return ir.ArrayAttr.get([ir.ArrayAttr.get([aten.size_attr(n) for n in g]) for g in shared])
