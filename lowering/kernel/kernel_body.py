"""Kernels as light Python structures: read once from `loop.kernel` or `loop.func`, changed, and written once by cloning.

A body is a list of steps. A step uses other steps' results, `(step, number)`, or index expressions over the domain's dimensions
(`loop.apply` and the index arguments become such expressions). An index that is computed from loaded values appears in expressions as the
variable `value(n)`, and is in the kernel's list `values`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from torch_mlir import ir

from ...dialects.aten import parse_expr, size_attr, size_of
from ...dialects.narrowing import AnyOp, affine_map, array, dense_integers, integer, integers, text, texts
from ..index import index_expr as ie
from ..index import index_maps
from ..index.index_expr import IndexExpr, Ranges
from ..index.index_substitution import substitute_dims

Ref: TypeAlias = "tuple[BodyStep, int] | IndexExpr"


def is_on_gpu(kernel: ir.OpView) -> bool:
    """Whether a kernel's buffers are on a GPU."""
    return "device" in kernel.attributes and text(kernel.attributes["device"]).startswith("cuda")


@dataclass(slots=True, eq=False)
class BodyStep:
    """One operation of a body. `op` is the operation that it was read from, which writing clones; None for a `created` one: (result type,
    attributes)."""

    name: str
    op: AnyOp | None
    operands: list[Ref]  # the value of a store, the condition of a check, the inputs of anything else
    buffer: int = -1  # of a load: the input's number; of a store: the output's
    coords: tuple[IndexExpr, ...] = ()
    mask: Ref | None = None
    dims: tuple[int, ...] = ()  # of a reduction or a scan
    created: tuple[ir.Type, dict[str, ir.Attribute]] | None = None

    @property
    def origin(self) -> AnyOp:
        """The operation that it was read from; it is no created one."""
        assert self.op is not None, self.name
        return self.op

    def uses(self) -> Iterable[Ref]:
        """Everything that it uses except the values inside its coordinates."""
        return self.operands if self.mask is None else [*self.operands, self.mask]


@dataclass(slots=True, eq=False)
class KernelBody:
    """A body and its domain. `names`: the names of the operators that it computes, in order."""

    names: tuple[str, ...]
    extents: list[IndexExpr]
    steps: list[BodyStep]
    values: list[Ref] = field(default_factory=list)

    @property
    def reduced(self) -> frozenset[int]:
        """The dimensions that the body reduces over."""
        return frozenset(d for s in self.steps if s.name == "loop.reduce" for d in s.dims)

    def ranges(self) -> Ranges:
        """The ranges of the domain's dimensions."""
        return Ranges(self.extents)

    def replace_domain(self, dims: Sequence[IndexExpr], extents: list[IndexExpr]) -> None:
        """Sets a new domain; dims[i], over the new dimensions, replaces the old dimension i."""
        self.substitute_dims(dims, Ranges(extents))
        self.extents = extents
        for step in self.steps:
            step.dims = tuple(sorted({v[1] for d in step.dims for v in dims[d].variables() if v[0] == "d"}))

    def drop_unit_dims(self) -> None:
        """Removes dimensions of extent 1 from the domain. A reduction over nothing else returns its input."""
        self._drop_unit_reductions()
        wanted = {step.dims[-1] for step in self.steps if step.dims}
        scanned = {d for step in self.steps if step.name == "loop.scan" for d in step.dims}
        if any(self.extents[d] != ie.ONE for d in self.reduced):
            wanted -= self.reduced
        kept = [d for d, e in enumerate(self.extents) if e != ie.ONE or d in wanted | scanned]
        if len(kept) < len(self.extents):
            positions = {d: n for n, d in enumerate(kept)}
            dims = [ie.dim(positions[d]) if d in positions else ie.ZERO for d in range(len(self.extents))]
            self.replace_domain(dims, [self.extents[d] for d in kept])

    def _drop_unit_reductions(self) -> None:
        reductions = [s for s in self.steps if s.name == "loop.reduce"]
        if not reductions or any(self.extents[d] != ie.ONE for d in self.reduced):
            return
        if any(text(s.origin.attributes["kind"]) == "welford" for s in reductions):
            return
        same: dict[Ref, Ref] = {}
        steps: list[BodyStep] = []
        for step in self.steps:
            if step.name != "loop.reduce":
                steps.append(step)
                continue
            type_ = step.origin.results[0].type
            if text(step.origin.attributes["kind"]) == "add" and isinstance(type_, ir.FloatType):
                zero = BodyStep("arith.constant", None, [], created=(type_, {"value": ir.FloatAttr.get(type_, 0.0)}))
                added = BodyStep("arith.addf", None, [step.operands[0], (zero, 0)], created=(type_, {}))  # sums of -0.0 are 0.0
                steps += [zero, added]
                same[step, 0] = (added, 0)
            else:
                same.update({(step, n): ref for n, ref in enumerate(step.operands)})

        def followed(ref: Ref) -> Ref:
            while isinstance(ref, tuple) and ref in same:
                ref = same[ref]
            return ref

        self.steps = steps
        self.values = [followed(v) for v in self.values]
        for step in self.steps:
            step.operands = [followed(r) for r in step.operands]
            step.mask = None if step.mask is None else followed(step.mask)

    def prune(self) -> None:
        """Removes unused steps."""
        needed: set[BodyStep] = set()
        kept = []
        for step in reversed(self.steps):
            if step not in needed and step.name not in ("loop.store", "loop.check"):
                continue
            kept.append(step)
            needed.update(ref[0] for ref in self.all_uses(step) if isinstance(ref, tuple))
        self.steps = kept[::-1]

    def substitute_dims(self, dims: Sequence[IndexExpr], ranges: Ranges | None) -> None:
        """Replaces dimension i by dims[i] in every index expression; `ranges`: of the new dimensions."""
        for step in self.steps:
            step.coords = tuple(substitute_dims(c, dims, ranges) for c in step.coords)
            step.operands = [substitute_dims(r, dims, ranges) if isinstance(r, IndexExpr) else r for r in step.operands]

    def all_uses(self, step: BodyStep) -> Iterable[Ref]:
        """Everything that `step` uses, including the values inside its index expressions."""
        for ref in step.uses():
            yield ref
            if isinstance(ref, IndexExpr):
                yield from self._values_in(ref)
        for coord in step.coords:
            yield from self._values_in(coord)

    def _values_in(self, expr: IndexExpr) -> Iterable[Ref]:
        return [self.values[v[1]] for v in expr.variables() if v[0] == "v"]


# Reading.
def symbol_values(op: AnyOp) -> list[IndexExpr]:
    """The values of the symbols of the maps in `op`."""
    return [index_maps.from_size(size_of(s)) for s in array(op.attributes["symbols"])]


class _Reader:
    def __init__(self, op: AnyOp, inputs: int, outputs: int) -> None:
        self.symbols = symbol_values(op)
        domain = affine_map(op.attributes["domain"])
        self.extents = [index_maps.from_affine(e, (), self.symbols, None) for e in domain.results]
        self.ranges = Ranges(self.extents)
        self.values: list[Ref] = []
        self._opaque: dict[ir.Value, IndexExpr] = {}
        self.refs: dict[ir.Value, Ref] = {}
        arguments = list(op.regions[0].blocks[0].arguments)
        self.buffers: dict[ir.Value, int] = {a: n for n, a in enumerate(arguments[:inputs])}
        self.buffers.update({a: n for n, a in enumerate(arguments[inputs : inputs + outputs])})
        for n, a in enumerate(arguments[inputs + outputs :]):
            self.refs[a] = ie.dim(n)

    def index(self, value: ir.Value) -> IndexExpr:
        ref = self.refs[value]
        if isinstance(ref, IndexExpr):
            return ref
        if value not in self._opaque:
            self._opaque[value] = ie.value(len(self.values))
            self.values.append(ref)
        return self._opaque[value]

    def coords(self, op: ir.OpView, indices: Iterable[ir.Value]) -> tuple[IndexExpr, ...]:
        dims = [self.index(v) for v in indices]
        return tuple(index_maps.from_affine(e, dims, self.symbols, self.ranges) for e in affine_map(op.attributes["map"]).results)

    def step(self, op: ir.OpView) -> BodyStep | None:
        name = op.operation.name
        operands = list(op.operands)
        if name == "loop.apply":
            self.refs[op.results[0]] = self.coords(op, operands)[0]
            return None
        if name in ("loop.load", "loop.store"):
            step = self._memory(name, op, operands)
        else:
            step = BodyStep(name, op, [self.refs[v] for v in operands])
        if name == "loop.reduce":
            step.dims = tuple(integers(op.attributes["dims"]))
        elif name == "loop.scan":
            step.dims = (integer(op.attributes["dim"]),)
        for n, result in enumerate(op.results):
            self.refs[result] = (step, n)
        return step

    def _memory(self, name: str, op: ir.OpView, operands: list[ir.Value]) -> BodyStep:
        segments = dense_integers(op.attributes["operandSegmentSizes"])
        mask = self.refs[operands.pop()] if segments[-1] else None
        first = 1 if name == "loop.load" else 2
        stored = [self.refs[v] for v in operands[1:first]]
        return BodyStep(name, op, stored, self.buffers[operands[0]], self.coords(op, operands[first:]), mask)


def read_body(op: AnyOp) -> KernelBody:
    """Reads a `loop.kernel`, or a `loop.func` (its `coords` are then one element offset)."""
    if op.operation.name == "loop.kernel":
        inputs, outputs = len(op.operands), len(op.results)
    else:
        outputs = integer(op.attributes["outputs"])
        inputs = sum(not isinstance(t, ir.IndexType) for t in op.regions[0].blocks[0].arguments.types) - outputs
    reader = _Reader(op, inputs, outputs)
    steps = [reader.step(inner) for inner in op.regions[0].blocks[0].operations if inner.operation.name != "loop.yield"]
    return KernelBody(names_of(op), reader.extents, [s for s in steps if s], reader.values)


def kernel_key(op: AnyOp) -> object:
    """Equal for kernels that differ in the names of their operands and in locations alone: as their text would be, in half the time. The
    body's operations have no regions."""
    block = op.regions[0].blocks[0]
    arguments = list(block.arguments)
    numbers: dict[ir.Value, int] = {argument: n for n, argument in enumerate(arguments)}
    key: list[object] = [tuple(op.attributes.items()), tuple([a.type for a in arguments])]
    for inner in block.operations:
        results = list(inner.results)
        operands = tuple([numbers[v] for v in inner.operands])
        key.append((inner.operation.name, operands, tuple(inner.attributes.items()), tuple([r.type for r in results])))
        for result in results:
            numbers[result] = len(numbers)
    return tuple(key)


def names_of(op: AnyOp) -> tuple[str, ...]:
    """The names of the operators that a kernel computes."""
    if "computes" in op.attributes:
        return tuple(texts(op.attributes["computes"]))
    return (text(op.attributes["kernel_name"]),) if "kernel_name" in op.attributes else ("kernel",)


# Writing.
class _Writer:
    def __init__(
        self, kernel: KernelBody, builder: index_maps.MapBuilder, block: ir.Block, inputs: Sequence[ir.Value], outputs: Sequence[ir.Value]
    ):
        self.kernel, self.builder, self.inputs, self.outputs = kernel, builder, inputs, outputs
        self.ip = ir.InsertionPoint(block)
        self.dims = list(block.arguments)[len(block.arguments) - len(kernel.extents) :]
        self.index = ir.IndexType.get()
        self.results: dict[BodyStep, list[ir.Value]] = {}
        self.applied: dict[IndexExpr, ir.Value] = {}

    def ref(self, ref: Ref) -> ir.Value:
        return self.apply(ref) if isinstance(ref, IndexExpr) else self.results[ref[0]][ref[1]]

    def apply(self, expr: IndexExpr) -> ir.Value:
        if expr.atom is not None and expr.atom[0] in "dv":
            return self.variable(expr.atom)
        if expr not in self.applied:
            attribute, indices = self.map([expr])
            segments = ir.DenseI32ArrayAttr.get([len(indices)])
            attributes = {"map": attribute, "operandSegmentSizes": segments}
            self.applied[expr] = ir.Operation.create("loop.apply", [self.index], indices, attributes, ip=self.ip).result
        return self.applied[expr]

    def variable(self, atom: ie.Atom) -> ir.Value:
        return self.dims[atom[1]] if atom[0] == "d" else self.ref(self.kernel.values[atom[1]])

    def map(self, exprs: Sequence[IndexExpr]) -> tuple[ir.AffineMapAttr, list[ir.Value]]:
        affine, variables = self.builder.map(exprs)
        return ir.AffineMapAttr.get(affine), [self.variable(v) for v in variables]

    def write(self, step: BodyStep) -> None:
        if step.name == "loop.load":
            self._load(step)
        elif step.name == "loop.store":
            self._store(step)
        else:
            self._clone(step)

    def _load(self, step: BodyStep) -> None:
        attribute, indices = self.map(step.coords)
        mask: list[ir.Value] = [] if step.mask is None else [self.ref(step.mask)]
        attributes = {"map": attribute, "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, len(indices), len(mask)])}
        operands = [self.inputs[step.buffer], *indices, *mask]
        op = ir.Operation.create("loop.load", [step.origin.results[0].type], operands, attributes, loc=step.origin.location, ip=self.ip)
        self.results[step] = [op.result]

    def _store(self, step: BodyStep) -> None:
        attribute, indices = self.map(step.coords)
        mask: list[ir.Value] = [] if step.mask is None else [self.ref(step.mask)]
        attributes = {"map": attribute, "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 1, len(indices), len(mask)])}
        if "accumulate" in step.origin.attributes:
            attributes["accumulate"] = step.origin.attributes["accumulate"]
        operands = [self.outputs[step.buffer], self.ref(step.operands[0]), *indices, *mask]
        ir.Operation.create("loop.store", [], operands, attributes, loc=step.origin.location, ip=self.ip)

    def _clone(self, step: BodyStep) -> None:
        operands = [self.ref(r) for r in step.operands]
        if step.created is not None:
            type_, attributes = step.created
            self.results[step] = [ir.Operation.create(step.name, [type_], operands, attributes, ip=self.ip).result]
            return
        op = step.origin.operation.clone(ip=self.ip)
        for n, operand in enumerate(operands):
            op.operands[n] = operand
        if step.name == "loop.reduce":
            op.attributes["dims"] = ir.ArrayAttr.get([size_attr(d) for d in step.dims])
        elif step.name == "loop.scan":
            op.attributes["dim"] = size_attr(step.dims[0])
        self.results[step] = list(op.results)


def map_builder(kernel: KernelBody) -> index_maps.MapBuilder:
    """A builder that knows every symbol of `kernel`."""
    builder = index_maps.MapBuilder()
    builder.add_symbols(kernel.extents)
    for step in kernel.steps:
        builder.add_symbols([*step.coords, *(r for r in step.uses() if isinstance(r, IndexExpr))])
    return builder


def write_body(
    kernel: KernelBody, builder: index_maps.MapBuilder, block: ir.Block, inputs: Sequence[ir.Value], outputs: Sequence[ir.Value]
) -> None:
    """Writes the steps of `kernel` into the empty `block`, whose last arguments are the dimensions; inputs and outputs: by number."""
    writer = _Writer(kernel, builder, block, inputs, outputs)
    for step in kernel.steps:
        writer.write(step)
    ir.Operation.create("loop.yield", ip=writer.ip)


def domain_attributes(kernel: KernelBody, builder: index_maps.MapBuilder) -> dict[str, ir.Attribute]:
    """The attributes `domain`, `symbols` and `computes`."""
    return {
        "domain": ir.AffineMapAttr.get(builder.domain(kernel.extents)),
        "symbols": ir.ArrayAttr.get([size_attr(parse_expr(s)) for s in builder.symbols]),
        "computes": ir.ArrayAttr.get([ir.StringAttr.get(n) for n in kernel.names]),
    }


def write_func(kernel: KernelBody, name: str, inputs: Sequence[ir.Type], outputs: Sequence[ir.Type], ip: ir.InsertionPoint) -> ir.Operation:
    """Writes `kernel`, whose coordinates are element offsets, as the `loop.func` called `name`, over buffers of these types."""
    builder = map_builder(kernel)
    attributes = domain_attributes(kernel, builder) | {"sym_name": ir.StringAttr.get(name), "outputs": size_attr(len(outputs))}
    op = ir.Operation.create("loop.func", attributes=attributes, regions=1, ip=ip)
    types = [*inputs, *outputs, *[ir.IndexType.get()] * len(kernel.extents)]
    block = op.regions[0].blocks.append(*types, arg_locs=[ir.Location.unknown()] * len(types))
    arguments = list(block.arguments)
    write_body(kernel, builder, block, arguments[: len(inputs)], arguments[len(inputs) : len(inputs) + len(outputs)])
    return op
