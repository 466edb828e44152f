"""Which values of a joint graph may be saved between forward and backward. Results of the forward count as results of the graph."""

from __future__ import annotations

from torch_mlir import ir

from ...dialects.narrowing import AnyOp, integers

# On a joint graph's function: the numbers of the arguments that are gradients of results.
TANGENTS = "aten.tangents"
# On an operator that AOTAutograd traced in the backward, as long as it has its original operands. No other operator inherits it.
BACKWARD = "aten.backward"


def may_be_saved(function: ir.OpView) -> set[ir.Value]:
    """The values of the forward that the backward needs, directly or to recompute others. Empty for other graphs."""
    if TANGENTS not in function.attributes:
        return set()
    block = function.regions[0].blocks[0]
    backward: set[ir.Value] = {block.arguments[n] for n in integers(function.attributes[TANGENTS])}
    for op in block.operations:
        if not backward.isdisjoint(op.operands):
            backward.update(op.results)
    needed: set[ir.Value] = set()
    for op in reversed(list(block.operations)):
        results = list(op.results)
        if op.operation.name != "func.return" and not (backward.isdisjoint(results) and needed.isdisjoint(results)):
            needed.update([v for v in op.operands if v not in backward])
    return needed


def read_by_backward(op: AnyOp, value: ir.Value) -> bool:
    """Whether autograd itself saves `value` for `op`: a write to it before the backward is autograd's error in eager too."""
    return BACKWARD in op.attributes and value in list(op.operands)
