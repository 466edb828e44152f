"""`fuse-kernels`: kernels that share a domain become one, and producers are computed where their values are needed.

The plan is made on light structures (`fusion_graph`, `fusion_groups`, `fusion_stores`); then the kernels are written, each once: where
a network repeats a layer, a kernel is a copy of the earlier layer's (`group_structure`).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from torch_mlir import ir

from ...dialects.aten import size_attr
from ...dialects.narrowing import AnyOp
from ...dialects.segments import run_sizes_attr
from ...passes.analysis.alias_analysis import is_wait
from ...passes.analysis.inplace_rules import MARK
from ...passes.recording import is_recording_changes, note_refusals
from ...passes.registry import register_pass
from ...passes.value_names import NAMES, name_of, set_name
from ..kernel.kernel_body import KernelBody, domain_attributes, map_builder, write_body
from ..kernel.outline_kernels import kernel_name
from ..launch.convert_to_host import graph_function
from .collectives import is_start, overlapped
from .fused_body import FusedBody
from .fusion_graph import FusionNode, Graph
from .fusion_groups import Group, Grouping
from .fusion_memory import LiveTensors
from .fusion_refusals import refusals
from .fusion_stores import Stores
from .group_structure import Structure, structure_of


def fuse_kernels(module: ir.Module) -> None:
    """Fuses the kernels of the graph's function."""
    function = graph_function(module)
    graph = Graph(function.regions[0].blocks[0])
    grouping = Grouping(graph, LiveTensors(graph, function))
    stores = Stores(graph, grouping)
    order = _order(graph, grouping)
    _sort(graph, order)
    builder = _Builder(graph, stores)
    kernels = {group: builder.build(group) for group in order}
    builder.erase()
    if is_recording_changes():
        note_refusals(refusals(graph, grouping, {group: op for group, op in kernels.items() if op is not None}))


def _order(graph: Graph, grouping: Grouping) -> list[Group]:
    """The groups in an order that runs each after the groups that it needs, otherwise as in the graph; around collectives as `overlapped`
    has it."""
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
    starts, waits = ({grouping.group_of[n] for n in graph.nodes if of_kind(n.op)} for of_kind in (is_start, is_wait))
    return overlapped(order, before, starts.__contains__, waits.__contains__) if starts else order


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


@dataclass(frozen=True)
class _Written:
    """A fused kernel. `inputs`: its operands, as numbers of the structure's values; `origins`: for each operation of the body the number of
    the node from whose kernel it is, None for others; `computed`: the numbers of the nodes that it computes."""

    op: ir.Operation
    inputs: list[int]
    origins: list[int | None]
    computed: list[int]


class _Builder:
    """Writes the fused kernels, in order. `current`: the present value for each value of the original graph."""

    def __init__(self, graph: Graph, stores: Stores) -> None:
        self.graph, self.stores = graph, stores
        self.replaced: set[ir.Value] = set()  # the first result of each kernel that is replaced
        self.current: dict[ir.Value, ir.Value] = {}
        self.written: dict[object, _Written] = {}  # by the key of the group's structure
        self.type_texts: dict[ir.Type, str] = {}

    def build(self, group: Group) -> AnyOp | None:
        """Writes the kernel of a group, and returns it; None if there is none."""
        members = sorted(group.coordinates, key=lambda n: n.index)
        if members[0].kernel is None:
            return None
        outputs = [(n, r) for n in members for r in range(len(n.op.results)) if (n, r) in self.stores.stored or not n.fusible]
        inlined = self.stores.inlined.get(group, set())
        used = len(outputs) == sum(len(n.op.results) for n in members)
        if len(members) == 1 and not inlined and used and not self._reads_views(members[0]):
            return members[0].op
        self.replaced.update(n.op.results[0] for n in members)
        if not outputs:
            return None
        outputs.sort(key=lambda o: self._type_text(o[0].op.results[o[1]].type))
        copied = [n for n in members if not n.fusible or group in self.stores.homes[n]]
        nodes = sorted({*members, *inlined}, key=lambda n: n.index)
        structure = structure_of(self.graph, group, nodes, copied, outputs)
        known = self.written.get(structure.key)
        if known is None:
            known = self.written[structure.key] = self._write(group, structure, copied, outputs, members[-1])
            op = known.op
        else:
            op = self._copy(known, structure, members[-1])
        _set_locations(op, nodes, known)
        _pass_names_on(outputs, op)
        for (node, number), result in zip(outputs, op.results, strict=True):
            self.current[node.op.results[number]] = result
            node.op.results[number].replace_all_uses_with(result)
        return op

    def _type_text(self, type_: ir.Type) -> str:
        if type_ not in self.type_texts:
            self.type_texts[type_] = str(type_)
        return self.type_texts[type_]

    def _reads_views(self, node: FusionNode) -> bool:
        return any(node.op.operands[step.buffer] != source.value for step, source in node.sources.items())

    def _write(
        self, group: Group, structure: Structure, copied: Iterable[FusionNode], outputs: list[tuple[FusionNode, int]], last: FusionNode
    ) -> _Written:
        """Builds a group's kernel and inserts it before the last member."""
        body = FusedBody(self.graph, group, set(structure.nodes), outputs)
        for node in copied:
            body.copy(node, group.coordinates[node], None)
        kernel, values, updates = body.finish()
        inputs = [self.current.get(v, v) for v in values]
        types = [n.op.results[r].type for n, r in outputs]
        op = write_kernel(kernel, inputs, types, updates, last.op)
        marked = [size_attr(u) for (node, _), u in zip(outputs, updates, strict=True) if u >= 0 and MARK in node.op.attributes]
        if marked:
            op.attributes[MARK] = ir.ArrayAttr.get(marked)
        steps = iter(kernel.steps)  # each is an operation; `loop.apply`s are between them
        written = [None if o.operation.name in ("loop.apply", "loop.yield") else next(steps) for o in op.regions[0].blocks[0].operations]
        numbers = {node: n for n, node in enumerate(structure.nodes)}
        origins = [None if step is None or step not in body.nodes else numbers[body.nodes[step]] for step in written]
        computed = sorted(numbers[node] for node in body.computed)
        return _Written(op, [structure.values[v] for v in values], origins, computed)

    def _copy(self, known: _Written, structure: Structure, last: FusionNode) -> ir.Operation:
        """Inserts a copy of a kernel before the last member of a group of equal structure."""
        op = known.op.clone(ip=ir.InsertionPoint(last.op))
        values = list(structure.values)
        for n, number in enumerate(known.inputs):
            op.operands[n] = self.current.get(values[number], values[number])
        return op

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


def _pass_names_on(outputs: Sequence[tuple[FusionNode, int]], op: ir.Operation) -> None:
    """Gives a kernel the names of the values that it makes; those of a copied kernel go."""
    if NAMES in op.attributes:
        del op.attributes[NAMES]
    for (node, number), result in zip(outputs, op.results, strict=True):
        name = name_of(node.op.results[number])
        if name:
            set_name(result, name)


def _set_locations(op: ir.Operation, nodes: Sequence[FusionNode], written: _Written) -> None:
    """Gives a fused kernel the locations of the nodes that it computes, and each operation of its body the location of its own node. A
    member of the group whose value is only needed elsewhere, and computed there, is none of them."""
    locations = [node.op.location for node in nodes]
    op.location = ir.Location.fused([locations[n] for n in written.computed])
    block = op.regions[0].blocks[0]
    for argument in block.arguments:
        argument.set_location(op.location)
    for inner, origin in zip(block.operations, written.origins, strict=True):
        if origin is not None:
            inner.operation.location = locations[origin]


def write_kernel(kernel: KernelBody, inputs: list[ir.Value], types: list[ir.Type], updates: list[int], before: ir.OpView) -> ir.Operation:
    """Writes a `loop.kernel` before an operation, with that operation's location."""
    builder = map_builder(kernel)
    attributes = domain_attributes(kernel, builder) | {
        "updates": ir.ArrayAttr.get([size_attr(u) for u in updates]),
        "kernel_name": ir.StringAttr.get(kernel_name(kernel.names)),
        "operandSegmentSizes": run_sizes_attr([i.type for i in inputs]),
        "resultSegmentSizes": run_sizes_attr(types),
    }
    loc, ip = before.location, ir.InsertionPoint(before)
    op = ir.Operation.create("loop.kernel", types, inputs, attributes, regions=1, loc=loc, ip=ip)
    arguments = [i.type for i in inputs] + types + [ir.IndexType.get()] * len(kernel.extents)
    block = op.regions[0].blocks.append(*arguments, arg_locs=[loc] * len(arguments))
    values = list(block.arguments)
    write_body(kernel, builder, block, values[: len(inputs)], values[len(inputs) : len(inputs) + len(types)])
    return op


register_pass("fuse-kernels", fuse_kernels)
