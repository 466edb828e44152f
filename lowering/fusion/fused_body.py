"""The body of a fused kernel, computed from its stored results backwards.

A load of a value that another member computes becomes that member's value at the loaded coordinates. The same value at the same
coordinates is computed once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch_mlir import ir

from ...dialects.aten import TensorInfo
from ...dialects.narrowing import integers
from ..index import index_expr as ie
from ..index.index_expr import Atom, IndexExpr, Ranges
from ..index.index_substitution import substitute, substitute_dims
from ..kernel.kernel_body import BodyStep, KernelBody, Ref
from .fusion_graph import FusionNode, Graph, dims_at
from .fusion_groups import Group, coordinates_in


class FusedBody:
    """Makes the kernel of one group. `inlined`: the nodes whose values may be computed in it; `outputs`: the (node, result) pairs that are
    its results, in order."""

    def __init__(self, graph: Graph, group: Group, inlined: set[FusionNode], outputs: Sequence[tuple[FusionNode, int]]) -> None:
        self.graph, self.group, self.inlined, self.outputs = graph, group, inlined, outputs
        self.ranges = Ranges(group.extents)
        self.kernel = KernelBody((), list(group.extents), [])
        self.inputs: list[ir.Value] = []
        self.nodes: dict[BodyStep, FusionNode] = {}  # the node from whose kernel a step is
        self.names: list[str] = []
        self.reduced = tuple(sorted(group.reduced))
        self._input_numbers: dict[ir.Value, int] = {}
        self._values: dict[Ref, int] = {}
        self._loads: dict[tuple[Any, ...], Ref] = {}
        self._constants: dict[str, Ref] = {}
        self._masks: dict[tuple[Ref, Ref], Ref] = {}
        self._copies: dict[tuple[Any, ...], _Copy] = {}

    @property
    def computed(self) -> set[FusionNode]:
        """The nodes that it computes."""
        return {node for node, _, _ in self._copies}

    def finish(self) -> tuple[KernelBody, list[ir.Value], list[int]]:
        """The kernel, its inputs, and for each output the input that it updates (-1: none)."""
        for output, (node, number) in enumerate(self.outputs):
            if node.fusible:
                self._store(node, number, output)
        kernel = self.kernel
        kernel.names = tuple(self.names)
        kernel.prune()
        self._order_dims()
        updated = [self._updated(*o) for o in self.outputs]
        used = {s.buffer for s in kernel.steps if s.name == "loop.load"}
        # An updated tensor is an input of its own: a kernel does not load from it.
        wanted = [(self.inputs[n], False) for n in sorted(used)] + [(u, True) for u in updated if u is not None]
        inputs = sorted(dict.fromkeys(wanted), key=lambda entry: str(entry[0].type))
        numbers = {entry: n for n, entry in enumerate(inputs)}
        for step in kernel.steps:
            if step.name == "loop.load":
                step.buffer = numbers[self.inputs[step.buffer], False]
        return kernel, [v for v, _ in inputs], [-1 if u is None else numbers[u, True] for u in updated]

    def _updated(self, node: FusionNode, number: int) -> ir.Value | None:
        update = integers(node.op.attributes["updates"])[number]
        return node.op.operands[update] if update >= 0 else None

    def _order_dims(self) -> None:
        """Makes the reduced dimensions the last ones."""
        order = [*sorted(self.group.parallel), *self.reduced]
        positions = {d: n for n, d in enumerate(order)}
        self.kernel.extents = [self.group.extents[d] for d in order]
        self.kernel.substitute_dims([ie.dim(positions[d]) for d in range(len(order))], None)
        for step in self.kernel.steps:
            step.dims = tuple(positions[d] for d in step.dims)

    def _store(self, node: FusionNode, number: int, output: int) -> None:
        """Stores a member's result at the member's own coordinates."""
        coordinates = self.group.coordinates[node]
        store = node.stores[number]
        coords = tuple(substitute_dims(c, coordinates, self.ranges) for c in store.coords)
        stored = self.copy(node, coordinates, None).stored[number]
        self.add(BodyStep("loop.store", store.op, [stored], output, coords), node)

    def copy(self, node: FusionNode, coordinates: tuple[IndexExpr, ...], mask: Ref | None) -> _Copy:
        """The steps of `node` for its dimensions at `coordinates`, where `mask` is true."""
        key = (node, coordinates, mask)
        if key not in self._copies:
            self.names += [n for n in node.body.names if n not in self.names]
            self._copies[key] = _Copy(self, node, coordinates, mask)
        return self._copies[key]

    def load(self, value: ir.Value, coords: tuple[IndexExpr, ...], mask: Ref | None, template: BodyStep, reader: FusionNode) -> Ref:
        """The element of `value` at `coords`, for `reader`: computed here, or loaded."""
        found = self.graph.kernel_of(value)
        if found is not None and found[0] in self.inlined:
            node, number = found
            coordinates = coordinates_in(self.group, node, dims_at(node.stores[number], coords))
            assert coordinates is not None, "planned"
            # At its own coordinates a node is computed for the whole domain, masked or not.
            inner = None if coordinates == self.group.coordinates.get(node) else mask
            ref = self.copy(node, coordinates, inner).stored[number]
            return ref if mask is None else self._masked(mask, ref, template)
        if mask is not None and self._is_of_a_row(value, coords):
            return self._masked(mask, self.load(value, coords, None, template, reader), template)
        key = (value, coords, mask)
        if key not in self._loads:
            if value not in self._input_numbers:
                self._input_numbers[value] = len(self.inputs)
                self.inputs.append(value)
            step = BodyStep("loop.load", template.op, [], self._input_numbers[value], coords, mask)
            self._loads[key] = self.add(step, reader)
        return self._loads[key]

    def _is_of_a_row(self, value: ir.Value, coords: tuple[IndexExpr, ...]) -> bool:
        """Whether an element does not depend on the last dimension, and exists for every point of the domain. It is loaded once a row; with
        a mask it would be loaded for each point."""
        extents = self.group.extents
        for coord, size in zip(coords, TensorInfo.of(value.type).sizes, strict=True):
            if coord.constant is not None:
                inside = isinstance(size, int) and 0 <= coord.constant < size
            else:
                number = coord.atom[1] if coord.atom is not None and coord.atom[0] == "d" else len(extents) - 1
                inside = number != len(extents) - 1 and isinstance(size, int) and extents[number].constant == size
            if not inside:
                return False
        return True

    def add(self, step: BodyStep, node: FusionNode | None = None) -> Ref:
        """Appends a step, of a node's kernel unless it is a created one; its first result."""
        self.kernel.steps.append(step)
        if node is not None and step.created is None:
            self.nodes[step] = node
        return (step, 0)

    def value(self, ref: Ref) -> IndexExpr:
        """The variable for `ref`, an index computed in the body."""
        if ref not in self._values:
            self._values[ref] = len(self.kernel.values)
            self.kernel.values.append(ref)
        return ie.value(self._values[ref])

    def constant(self, step: BodyStep, node: FusionNode) -> Ref:
        """A constant of a node's kernel, once."""
        key = str(step.origin.attributes["value"] if step.created is None else step.created[1]["value"])
        if key not in self._constants:
            self._constants[key] = self.add(BodyStep(step.name, step.op, [], created=step.created), node)
        return self._constants[key]

    def create(self, name: str, type_: ir.Type, operands: list[Ref], attributes: dict[str, ir.Attribute] | None = None) -> Ref:
        """Appends an operation that no kernel held."""
        return self.add(BodyStep(name, None, operands, created=(type_, attributes or {})))

    def true(self) -> Ref:
        """The constant true."""
        if "true" not in self._constants:
            value = ir.BoolAttr.get(True)
            self._constants["true"] = self.create("arith.constant", value.type, [], {"value": value})
        return self._constants["true"]

    def both(self, a: Ref | None, b: Ref | None) -> Ref | None:
        """The conjunction of two masks."""
        if a is None or b is None or a == b:
            return a if b is None else b
        if (a, b) not in self._masks:
            self._masks[a, b] = self.create("arith.andi", ir.IntegerType.get_signless(1), [a, b])
        return self._masks[a, b]

    def _masked(self, mask: Ref, ref: Ref, template: BodyStep) -> Ref:
        """`ref` where the mask is true, else zero."""
        type_ = template.origin.results[0].type
        zero = ir.FloatAttr.get(type_, 0.0) if isinstance(type_, ir.FloatType) else ir.IntegerAttr.get(type_, 0)
        key = str(zero)
        if key not in self._constants:
            self._constants[key] = self.create("arith.constant", type_, [], {"value": zero})
        return self.create("arith.select", type_, [mask, ref, self._constants[key]])


class _Copy:
    """One member's steps in a fused body; `stored`: the member's stored values, by result."""

    def __init__(self, body: FusedBody, node: FusionNode, coordinates: tuple[IndexExpr, ...], mask: Ref | None) -> None:
        self.body, self.node, self.coordinates, self.mask = body, node, coordinates, mask
        self.source = node.body
        self.copies: dict[BodyStep, Ref] = {}
        self.stored: dict[int, Ref] = {}
        own = body.group.coordinates.get(node)
        # At other coordinates a reduction's rows stay those of its own; only the steps after it are computed again.
        self.rows = body.copy(node, own, None) if node.body.reduced and own is not None and own != coordinates else None
        for step in self.source.steps:
            if step.name != "loop.store":
                self.copies[step] = self._step(step)
            elif node.fusible:
                self.stored[step.buffer] = self._ref(step.operands[0])
            else:
                self._copy_store(step)

    def _copy_store(self, step: BodyStep) -> None:
        """Copies a store that is not plain: its kernel is alone in its group."""
        mask = None if step.mask is None else self._ref(step.mask)
        output = self.body.outputs.index((self.node, step.buffer))
        coords = tuple(map(self._expr, step.coords))
        self.body.add(BodyStep("loop.store", step.op, [self._ref(step.operands[0])], output, coords, mask), self.node)

    def _ref(self, ref: Ref) -> Ref:
        if isinstance(ref, IndexExpr):
            return self._expr(ref)
        copy = self.copies[ref[0]]
        # A load may have become a later result of a computation, whose results start at its first.
        return (copy[0], copy[1] + ref[1]) if isinstance(copy, tuple) else copy

    def _expr(self, expr: IndexExpr) -> IndexExpr:
        return substitute(expr, self._variable, self.body.ranges)

    def _variable(self, atom: Atom) -> IndexExpr | None:
        if atom[0] == "d":
            at: IndexExpr = self.coordinates[atom[1]]
            return at
        return self.body.value(self._ref(self.source.values[atom[1]])) if atom[0] == "v" else None

    def _step(self, step: BodyStep) -> Ref:
        if step.name == "loop.load":
            source = self.node.sources[step]
            mask = self.body.both(self.mask, None if step.mask is None else self._ref(step.mask))
            return self.body.load(source.value, tuple(map(self._expr, source.coords)), mask, step, self.node)
        if step.name == "arith.constant":
            return self.body.constant(step, self.node)
        if step.name == "loop.reduce" and self.rows is not None:
            return self.rows.copies[step]
        operands = [self._ref(r) for r in step.operands]
        if step.name == "loop.check" and self.mask is not None:
            bit = ir.IntegerType.get_signless(1)
            operands = [self.body.create("arith.select", bit, [self.mask, operands[0], self.body.true()])]
        dims = step.dims
        if step.name == "loop.reduce":
            dims = self.body.reduced
        elif step.name == "loop.scan":
            dims = tuple(e.atom[1] for e in (self.coordinates[d] for d in step.dims) if e.atom is not None)
        return self.body.add(BodyStep(step.name, step.op, operands, dims=dims, created=step.created), self.node)
