"""What fusion knows of a graph: its kernels as light structures, what each load reads through views, and which order must stay."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from torch_mlir import ir

from ...dialects import aten_ops
from ...dialects.aten import TensorInfo
from ...dialects.aten_schema import Schema
from ...dialects.narrowing import integers
from ...passes.analysis.alias_analysis import marked, waited_operands
from ...passes.verify.verify_functional import EPILOGUE_OP
from ...tuning.kernels import TUNING
from ..index import index_expr as ie
from ..index import index_maps
from ..index.index_expr import IndexExpr
from ..index.index_substitution import substitute_dims
from ..kernel.kernel_body import BodyStep, KernelBody, kernel_key, read_body
from ..launch.convert_to_host import Storages
from ..views import is_view_operator, view_base, view_coordinates
from .collectives import is_start

# Non-arithmetic operations that cost more than one unit of work.
_HEAVY = {"arith.divsi": 8, "arith.divui": 8, "arith.remsi": 8, "arith.remui": 8, "arith.divf": 3, "math.sqrt": 3}
_LIGHT_MATH = {"math.absf", "math.absi", "math.floor", "math.ceil", "math.trunc", "math.roundeven", "math.copysign", "math.fma"}


@dataclass(slots=True, eq=False)
class LoadSource:
    """What a load reads: the element of `value` (no view) at `coords`, over the kernel's dimensions."""

    value: ir.Value
    coords: tuple[IndexExpr, ...]


@dataclass(slots=True, eq=False)
class FusionNode:
    """An operation of the graph that is no view. `inputs`: the values that it reads, through views.

    Equal kernels share `kernel` and `stores`: its steps are operations of the first of them.
    """

    index: int
    op: ir.OpView
    before: set[FusionNode] = field(default_factory=set)  # nodes that must run before this one
    overwritten_by: set[FusionNode] = field(default_factory=set)  # the next nodes that write what this one reads
    inputs: list[ir.Value] = field(default_factory=list)
    kernel: KernelBody | None = None
    sources: dict[BodyStep, LoadSource] = field(default_factory=dict)  # by load
    stores: dict[int, BodyStep] = field(default_factory=dict)  # the only, plain store of each result; for all results or none
    cost: int = 0
    checks: bool = False  # whether the kernel can fail
    scans: bool = False  # whether the kernel holds a scan

    @property
    def body(self) -> KernelBody:
        """The kernel, where the node is one."""
        assert self.kernel is not None
        return self.kernel

    @property
    def device(self) -> str:
        """Where the kernel's tensors are."""
        return TensorInfo.of(self.op.results[0].type).device

    @property
    def fusible(self) -> bool:
        """Whether each result of the kernel is written once, completely, element by element."""
        return bool(self.stores)


class Graph:
    """The nodes of a function's block in order, and which node makes which value."""

    def __init__(self, block: ir.Block) -> None:
        self.block = block
        self.nodes: list[FusionNode] = []
        self.producers: dict[ir.Value, tuple[FusionNode, int]] = {}
        self.sizes: dict[ir.Value, tuple[IndexExpr, ...]] = {}
        self.storages = Storages(block)
        self._views: dict[ir.Value, tuple[ir.Value, tuple[IndexExpr, ...]]] = {}
        self._first: dict[object, FusionNode] = {}  # the first node of equal kernels, by `kernel_key`
        for op in list(block.operations):
            if not self._read_view(op):
                self._read_node(op)
        _order_effects(self)

    def _read_view(self, op: ir.OpView) -> bool:
        if not aten_ops.is_operator(op) or not is_view_operator(aten_ops.pytorch_name(op)):
            return False
        maps = [view_coordinates(op.operation, n) for n in range(len(op.results))]
        known = [tuple(coords) for coords in maps if coords is not None]
        if len(known) < len(maps):
            return False
        for result, coords in zip(op.results, known, strict=True):
            self._views[result] = (view_base(op.operation), coords)
        return True

    def _read_node(self, op: ir.OpView) -> None:
        node = FusionNode(len(self.nodes), op)
        self.nodes.append(node)
        node.inputs = [self.base(v) for v in op.operands]
        node.before = {self.producers[v][0] for v in node.inputs if v in self.producers}
        for number, result in enumerate(op.results):
            self.producers[result] = (node, number)
        if op.operation.name == "loop.kernel":
            self._read_kernel(node)

    def _read_kernel(self, node: FusionNode) -> None:
        first = self._first.setdefault(kernel_key(node.op), node)
        if first is node:
            _read_body(node)
        else:
            node.kernel, node.stores, node.cost = first.kernel, first.stores, first.cost
            node.checks, node.scans = first.checks, first.scans
        operands, ranges = list(node.op.operands), node.body.ranges()
        for step in node.body.steps:
            if step.name == "loop.load":
                node.sources[step] = self._source(operands[step.buffer], step.coords, ranges)

    def _source(self, value: ir.Value, coords: tuple[IndexExpr, ...], ranges: ie.Ranges) -> LoadSource:
        while value in self._views:
            base, maps = self._views[value]
            coords = tuple(substitute_dims(m, coords, ranges) for m in maps)
            value = base
        return LoadSource(value, coords)

    def is_mapped_view(self, op: ir.OpView) -> bool:
        """Whether an operation is a view that loads can read through."""
        return any(r in self._views for r in op.results)

    def base(self, value: ir.Value) -> ir.Value:
        """The value whose elements `value` shows."""
        while value in self._views:
            value = self._views[value][0]
        return value

    def size(self, value: ir.Value) -> tuple[IndexExpr, ...]:
        """The sizes of a tensor."""
        if value not in self.sizes:
            self.sizes[value] = tuple(index_maps.from_size(s) for s in TensorInfo.of(value.type).sizes)
        return self.sizes[value]

    def updates(self, node: FusionNode, value: ir.Value) -> bool:
        """Whether a kernel's result updates `value`."""
        updated = integers(node.op.attributes["updates"])
        return any(u >= 0 and self.base(node.op.operands[u]) == value for u in updated)

    def kernel_of(self, value: ir.Value) -> tuple[FusionNode, int] | None:
        """The fusible kernel that makes `value`, and which of its results it is."""
        found = self.producers.get(value)
        return found if found is not None and found[0].fusible else None


def _read_body(node: FusionNode) -> None:
    """Reads what equal kernels share."""
    kernel = node.kernel = read_body(node.op)
    kernel.drop_unit_dims()
    names = [step.name for step in kernel.steps]
    node.cost = sum(_cost(name) for name in names if name != "loop.load")
    node.checks, node.scans = "loop.check" in names, "loop.scan" in names
    updated = any(u >= 0 for u in integers(node.op.attributes["updates"]))
    stores = [s for s in kernel.steps if s.name == "loop.store"]
    if not updated and len(stores) == len(node.op.results) and all(_is_plain(s, kernel) for s in stores):
        node.stores = {s.buffer: s for s in stores}


def _cost(name: str) -> int:
    if name.startswith("math."):
        return _HEAVY.get(name, 1 if name in _LIGHT_MATH else TUNING.heavy_math)
    return 0 if name in ("arith.constant", "loop.store") else _HEAVY.get(name, 1)


def _is_plain(store: BodyStep, kernel: KernelBody) -> bool:
    """Whether a store writes every element of its buffer once: each coordinate is a dimension, and all dimensions occur except the reduced
    ones."""
    if store.mask is not None or "accumulate" in store.origin.attributes:
        return False
    atoms = [c.atom for c in store.coords if c != ie.ZERO]
    dims = [a[1] for a in atoms if a is not None and a[0] == "d"]
    return len(dims) == len(atoms) == len(set(dims)) and set(dims) in (
        set(range(len(kernel.extents))),
        set(range(len(kernel.extents))) - kernel.reduced,
    )


def dims_at(store: BodyStep, coords: tuple[IndexExpr, ...]) -> dict[int, IndexExpr]:
    """The values of the kernel's dimensions, by number, for which a plain store writes the element at `coords`."""
    return {c.atom[1]: at for c, at in zip(store.coords, coords, strict=True) if c.atom is not None}


def _order_effects(graph: Graph) -> None:
    """Adds to `before` the order of reads and writes of a storage, of effects on the random state, and of collectives."""
    storages = graph.storages
    readers: dict[ir.Value, list[FusionNode]] = {}
    writers: dict[ir.Value, FusionNode] = {}
    effect: FusionNode | None = None
    collective: FusionNode | None = None
    failures = _Failures(graph)
    for node in graph.nodes:
        roots = {storages.root(v) for v in (*node.op.operands, *waited_operands(node.op))}
        node.before |= {writers[r] for r in roots if r in writers}
        schema = aten_ops.schema(node.op) if aten_ops.is_operator(node.op) else None
        if schema is not None and (schema.mutates or schema.random or schema.ordered):
            node.before |= {effect} if effect is not None else set()
            effect = node
        if is_start(node.op):
            node.before |= {collective} if collective is not None else set()
            collective = node
        written = {storages.root(value) for _, value in marked(node.op)}
        if schema is not None and schema.mutates:
            written |= _written_roots(node, schema, storages)
        is_ordered = schema is not None and schema.ordered
        failures.order(node, is_ordered, written)
        if is_ordered:
            roots |= set(graph.block.arguments)  # if it raises, the caller sees them
        if written:
            for root in written:  # a reader from before an earlier write runs before that write, and so before this one
                _overwrites(node, readers.pop(root, []))
                writers[root] = node
        for root in roots:
            readers.setdefault(root, []).append(node)
        node.before.discard(node)
    last = graph.nodes[-1]
    last.before.update(graph.nodes[:-1])


class _Failures:
    """The order of kernels that can fail and what the caller sees if they do: ordered calls, and writes of graph inputs."""

    def __init__(self, graph: Graph) -> None:
        self.storages = graph.storages
        copies = [n.op for n in graph.nodes if n.op.operation.name == EPILOGUE_OP]
        self.copied = {graph.storages.root(op.operands[1]) for op in copies}  # may be written to an input in place
        self.ordered: FusionNode | None = None  # the last ordered call
        self.failing: set[FusionNode] = set()  # the kernels that can fail since then; each of the others precedes one of them

    def order(self, node: FusionNode, is_ordered: bool, written: Collection[ir.Value]) -> None:
        """Adds to `before` of the next node. `written`: the storages that it writes."""
        if is_ordered:
            node.before |= self.failing
            self.ordered, self.failing = node, set()
            return
        if any(isinstance(r, ir.BlockArgument) for r in written) or any(self.storages.root(r) in self.copied for r in node.op.results):
            node.before |= self.failing
        if node.checks:
            node.before |= {self.ordered} if self.ordered is not None else set()
            if len(self.failing) >= TUNING.most_failing:
                node.before |= self.failing
                self.failing = set()
            self.failing.add(node)


def _overwrites(writer: FusionNode, readers: list[FusionNode]) -> None:
    writer.before.update(readers)
    for reader in readers:
        reader.overwritten_by.add(writer)


def _written_roots(node: FusionNode, schema: Schema, storages: Storages) -> set[ir.Value]:
    arguments = aten_ops.arguments(node.op)
    written = [arguments[a.name] for a in schema.arguments if a.writes and arguments[a.name] is not None]
    flat = [v for w in written for v in (w if isinstance(w, list) else [w])]
    return {storages.root(v) for v in flat}
