"""What the fused kernel of a group depends on: groups of equal structure have equal kernels, on other tensors."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from torch_mlir import ir

from ...dialects.narrowing import integers
from .fusion_graph import FusionNode, Graph
from .fusion_groups import Group


@dataclass(frozen=True)
class Structure:
    """`key`: equal for groups of equal structure. `nodes`: the group's nodes in order; `values`: the tensors that they read
    or update, with their numbers. The key refers to both by number."""

    key: object
    nodes: Sequence[FusionNode]
    values: dict[ir.Value, int]


def structure_of(
    graph: Graph, group: Group, nodes: Sequence[FusionNode], copied: Collection[FusionNode], outputs: Sequence[tuple[FusionNode, int]]
) -> Structure:
    """The structure of a group. `nodes`: its members, and the nodes of other groups that it computes; `copied`: those that it computes at
    their own coordinates; `outputs`: the (node, result) pairs that are the kernel's results, in order."""
    numbers = {node: n for n, node in enumerate(nodes)}
    values: dict[ir.Value, int] = {}

    def read(value: ir.Value) -> object:
        found = graph.kernel_of(value)
        if found is not None and found[0] in numbers:
            return numbers[found[0]], found[1]
        return values.setdefault(value, len(values))

    # Nodes with one `body` have equal attributes, results and steps.
    read_by = tuple([(n.body, group.coordinates.get(n), tuple([(read(s.value), s.coords) for s in n.sources.values()])) for n in nodes])
    for node, result in outputs:
        update = integers(node.op.attributes["updates"])[result]
        if update >= 0:
            operand = node.op.operands[update]
            values.setdefault(operand, len(values))
    key = (
        group.extents,
        group.reduced,
        read_by,
        tuple([numbers[node] for node in copied]),
        tuple([(numbers[node], result) for node, result in outputs]),
        tuple([value.type for value in values]),
    )
    return Structure(key, nodes, values)
