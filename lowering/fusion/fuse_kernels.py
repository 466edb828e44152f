"""`fuse-kernels`: kernels that share a domain become one, and producers are computed where their values are needed.

The plan is made on light structures (`fusion_graph`, `fusion_groups`, `fusion_stores`); then every fused body is built once.
"""

from __future__ import annotations

import heapq

from torch_mlir import ir

from ...dialects.aten import size_attr
from ...dialects.segments import run_sizes_attr
from ...passes.analysis.inplace_rules import MARK
from ...passes.registry import register_pass
from ..kernel.kernel_body import KernelBody, domain_attributes, map_builder, write_body
from ..kernel.outline_kernels import kernel_name
from ..launch.convert_to_host import graph_function
from .fused_body import FusedBody
from .fusion_graph import FusionNode, Graph
from .fusion_groups import Group, Grouping
from .fusion_memory import LiveTensors
from .fusion_stores import Stores


def fuse_kernels(module: ir.Module) -> None:
    """Fuses the kernels of the graph's function."""
    function = graph_function(module)
    graph = Graph(function.regions[0].blocks[0])
    grouping = Grouping(graph, LiveTensors(graph, function))
    stores = Stores(graph, grouping)
    order = _order(graph, grouping)
    _sort(graph, order)
    builder = _Builder(graph, stores)
    for group in order:
        builder.build(group)
    builder.erase()


def _order(graph: Graph, grouping: Grouping) -> list[Group]:
    """The groups in an order that runs each after the groups that it needs, otherwise as in the graph."""
    before: dict[Group, set[Group]] = {}
    for node in graph.nodes:
        group = grouping.group_of[node]
        before.setdefault(group, set()).update(grouping.group_of[b] for b in node.before)
    after: dict[Group, list[Group]] = {}
    for group, others in before.items():
        others.discard(group)
        for other in others:
            after.setdefault(other, []).append(group)
    waiting = {group: len(others) for group, others in before.items()}
    ready = [group.number for group, count in waiting.items() if not count]
    heapq.heapify(ready)
    order = []
    while ready:
        group = grouping.order.groups[heapq.heappop(ready)]
        order.append(group)
        for other in after.get(group, ()):
            waiting[other] -= 1
            if not waiting[other]:
                heapq.heappush(ready, other.number)
    assert len(order) == len(waiting), "the plan has a cycle"
    return order


def _sort(graph: Graph, order: list[Group]) -> None:
    """Moves the operations into the order of their groups. The group's kernel is inserted at the last member, so a view stands after its
    base and after its base's whole group."""
    views: dict[ir.Value, list[ir.OpView]] = {}
    for op in graph.block.operations:
        if graph.is_mapped_view(op):
            views.setdefault(op.operands[0], []).append(op)
    end = list(graph.block.operations)[-1]

    def place(waiting: list[ir.OpView]) -> None:
        while waiting:
            current = waiting.pop(0)
            if current != end:
                current.move_before(end)
            waiting += [v for r in current.results for v in views.get(r, ())]

    for argument in graph.block.arguments:
        place(list(views.get(argument, ())))
    for group in order:
        place([node.op for node in sorted(group.coordinates, key=lambda n: n.index)])


class _Builder:
    """Writes the fused kernels, in order. `current`: the present value for each value of the original graph."""

    def __init__(self, graph: Graph, stores: Stores) -> None:
        self.graph, self.stores = graph, stores
        self.replaced: set[ir.Value] = set()  # the first result of each kernel that is replaced
        self.current: dict[ir.Value, ir.Value] = {}

    def build(self, group: Group) -> None:
        members = sorted(group.coordinates, key=lambda n: n.index)
        if members[0].kernel is None:
            return
        outputs = [(n, r) for n in members for r in range(len(n.op.results)) if (n, r) in self.stores.stored or not n.fusible]
        inlined = self.stores.inlined.get(group, set())
        used = len(outputs) == sum(len(n.op.results) for n in members)
        if len(members) == 1 and not inlined and used and not self._reads_views(members[0]):
            return
        self.replaced.update(n.op.results[0] for n in members)
        if not outputs:
            return
        outputs.sort(key=lambda o: str(o[0].op.results[o[1]].type))
        body = FusedBody(self.graph, group, {*members, *inlined}, outputs)
        for node in members:
            if not node.fusible or group in self.stores.homes[node]:
                body.copy(node, group.coordinates[node], None)
        location = ir.Location.fused([n.op.location for n in sorted({*members, *inlined}, key=lambda n: n.index)])
        self._write(body, members[-1], outputs, location)

    def _reads_views(self, node: FusionNode) -> bool:
        return any(node.op.operands[step.buffer] != source.value for step, source in node.sources.items())

    def _write(self, body: FusedBody, last: FusionNode, outputs: list[tuple[FusionNode, int]], location: ir.Location) -> None:
        """Inserts the kernel before the last member and replaces the members' results."""
        kernel, values, updates = body.finish()
        inputs = [self.current.get(v, v) for v in values]
        types = [n.op.results[r].type for n, r in outputs]
        op = write_kernel(kernel, inputs, types, updates, last.op, location)
        marked = [size_attr(u) for (node, _), u in zip(outputs, updates, strict=True) if u >= 0 and MARK in node.op.attributes]
        if marked:
            op.attributes[MARK] = ir.ArrayAttr.get(marked)
        for (node, number), result in zip(outputs, op.results, strict=True):
            self.current[node.op.results[number]] = result
            node.op.results[number].replace_all_uses_with(result)

    def erase(self) -> None:
        """Erases the replaced kernels and unused views."""
        while self._erase_unused():
            pass

    def _erase_unused(self) -> bool:
        """Erases what is unused now; returns whether there was anything. A kernel may stand before the view that it reads: then the view
        is left for the next round."""
        erased = False
        for op in reversed(list(self.graph.block.operations)):
            goes = self.graph.is_mapped_view(op) or any(r in self.replaced for r in op.results)
            if goes and not any(True for r in op.results for _ in r.uses):
                op.operation.erase()
                erased = True
        return erased


def write_kernel(
    kernel: KernelBody,
    inputs: list[ir.Value],
    types: list[ir.Type],
    updates: list[int],
    before: ir.OpView,
    location: ir.Location | None = None,
) -> ir.Operation:
    """Writes a `loop.kernel` before an operation; its location is that operation's unless given."""
    builder = map_builder(kernel)
    attributes = domain_attributes(kernel, builder) | {
        "updates": ir.ArrayAttr.get([size_attr(u) for u in updates]),
        "kernel_name": ir.StringAttr.get(kernel_name(kernel.names)),
        "operandSegmentSizes": run_sizes_attr([i.type for i in inputs]),
        "resultSegmentSizes": run_sizes_attr(types),
    }
    loc, ip = location or before.location, ir.InsertionPoint(before)
    op = ir.Operation.create("loop.kernel", types, inputs, attributes, regions=1, loc=loc, ip=ip)
    arguments = [i.type for i in inputs] + types + [ir.IndexType.get()] * len(kernel.extents)
    block = op.regions[0].blocks.append(*arguments, arg_locs=[loc] * len(arguments))
    values = list(block.arguments)
    write_body(kernel, builder, block, values[: len(inputs)], values[len(inputs) : len(inputs) + len(types)])
    return op


register_pass("fuse-kernels", fuse_kernels)
