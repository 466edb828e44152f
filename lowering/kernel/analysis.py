"""Reads a `loop.func` once into plain Python: which value depends on which dimensions, and after which reduction passes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch_mlir import ir

from ...dialects.loop import signless
from ...dialects.narrowing import affine_map, integer, text
from ...tuning.kernels import TUNING

# The predicate of `arith.cmpf` that is true if an operand is NaN.
UNORDERED = 14

# An index expression: ("dim", k), ("symbol", k), ("constant", v), or (operator, left, right).
ExprTree = tuple[Any, ...]

_BINARY = {
    ir.AffineAddExpr: "add",
    ir.AffineMulExpr: "mul",
    ir.AffineFloorDivExpr: "floordiv",
    ir.AffineCeilDivExpr: "ceildiv",
    ir.AffineModExpr: "mod",
}


def read_expr(expr: ir.AffineExpr) -> ExprTree:
    """An affine expression as nested tuples."""
    expr = expr.maybe_downcast()
    if isinstance(expr, ir.AffineConstantExpr):
        return ("constant", expr.value)
    if isinstance(expr, ir.AffineDimExpr):
        return ("dim", expr.position)
    if isinstance(expr, ir.AffineSymbolExpr):
        return ("symbol", expr.position)
    assert isinstance(expr, ir.AffineBinaryExpr), expr
    return (_BINARY[type(expr)], read_expr(expr.lhs), read_expr(expr.rhs))


def substitute_leaves(expr: ExprTree, kind: str, values: Sequence[ExprTree]) -> ExprTree:
    """`expr` with values[k] in place of its dimension k (`kind` "dim") or its symbol k ("symbol")."""
    if expr[0] == kind:
        return values[expr[1]]
    if expr[0] in ("dim", "symbol", "constant", "value"):
        return expr
    return (expr[0], substitute_leaves(expr[1], kind, values), substitute_leaves(expr[2], kind, values))


def dims_of(expr: ExprTree) -> set[int]:
    """The dimensions that occur in `expr`."""
    if expr[0] == "dim":
        return {expr[1]}
    if expr[0] in ("symbol", "constant", "value"):
        return set()
    return dims_of(expr[1]) | dims_of(expr[2])


@dataclass(slots=True, eq=False)
class Node:
    """An operation of the body. Operands and results are indices into `Kernel.values`."""

    name: str
    operands: list[int]
    results: list[int]
    attributes: dict[str, Any]
    deps: int  # the dimensions that it depends on, as bits
    phase: int  # the number of reduction passes that must end before it can run
    expr: ExprTree | None = None  # of a load, store or apply: over the operands in `indices`
    indices: list[int] = field(default_factory=list)
    mask: int | None = None


@dataclass(slots=True, eq=False)
class Value:
    """A value of the body: its element type and its origin."""

    type: ir.Type
    deps: int = 0
    phase: int = 0
    producer: Node | None = None
    buffer: int | None = None
    dim: int | None = None


@dataclass(slots=True, eq=False)
class Kernel:
    """A `loop.func`. `reduction_dims` has a bit for each dimension that the kernel reduces or scans; the others are parallel."""

    name: str
    extents: list[int | ExprTree]
    symbols: int
    buffers: list[ir.Type]
    values: list[Value] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    reduction_dims: int = 0

    @property
    def phases(self) -> int:
        """The number of phases: one more than the reduction passes that something waits for."""
        return 1 + max((n.phase for n in self.nodes), default=0)

    def add(self, node: Node, types: Sequence[ir.Type], unused: Collection[int] = ()) -> list[int]:
        """Appends a node with results of these types; returns the results. The node does not depend on the operands at `unused`."""
        for position, number in enumerate(node.operands):
            if position not in unused:
                node.deps |= self.values[number].deps
                node.phase = max(node.phase, self.values[number].phase)
        deps, phase = node.deps, node.phase
        if node.name == "loop.reduce":
            dims = sum(1 << ir.IntegerAttr(d).value for d in node.attributes["dims"])
            deps, phase = deps & ~dims, phase + 1
            self.reduction_dims |= dims
        if node.name == "loop.scan":
            deps |= 1 << integer(node.attributes["dim"])
            self.reduction_dims |= 1 << integer(node.attributes["dim"])
            node.deps = deps
        for type_ in types:
            node.results.append(len(self.values))
            self.values.append(Value(type_, deps, phase, node))
        self.nodes.append(node)
        return node.results

    def of(self, names: Sequence[str]) -> list[Node]:
        """The nodes with one of these names, in order."""
        return [n for n in self.nodes if n.name in names]

    def sinks(self) -> list[Node]:
        """The effects of the kernel: stores and checks."""
        return self.of(("loop.store", "loop.check"))

    def index_expr(self, node: Node) -> ExprTree:
        """The expression of a load, store or apply over the domain's dimensions; other indices are ("value", id)."""
        return substitute_leaves(node.expr or ("constant", 0), "dim", [self.index_value(i) for i in node.indices])

    def unused_indices(self, node: Node) -> set[int]:
        """The positions of the operands that the node's index map takes but does not use."""
        if node.expr is None or not node.indices:
            return set()
        first = {"loop.load": 1, "loop.store": 2, "loop.apply": 0}[node.name]
        return {first + d for d in range(len(node.indices)) if d not in dims_of(node.expr)}

    def indexed(self, node: Node) -> int:
        """The dimensions in a node's index expression, as bits."""
        return sum(1 << d for d in dims_of(self.index_expr(node)))

    def reads_data(self, expr: ExprTree) -> bool:
        """Whether an index expression depends on loaded values."""
        if expr[0] in ("dim", "symbol", "constant"):
            return False
        if expr[0] != "value":
            return self.reads_data(expr[1]) or self.reads_data(expr[2])
        node = self.values[expr[1]].producer
        if node is None or node.name == "loop.apply":
            return node is not None and self.reads_data(self.index_expr(node))
        return node.name.startswith("loop.") or any(self.reads_data(self.index_value(i)) for i in node.operands)

    def index_value(self, value: int) -> ExprTree:
        """An index operand as an expression."""
        info = self.values[value]
        if info.dim is not None:
            return ("dim", info.dim)
        if info.producer is not None and info.producer.name == "loop.apply":
            return self.index_expr(info.producer)
        return ("value", value)


def element_type(buffer: ir.Type) -> ir.Type:
    """The signless element type of a buffer."""
    return signless(ir.ShapedType(buffer).element_type)


def is_half(type_: ir.Type) -> bool:
    """f16 or bf16"""
    return isinstance(type_, ir.F16Type | ir.BF16Type)


def read_kernel(op: ir.Operation, two_sums: int = TUNING.two_sums) -> Kernel:
    """The analysis of a `loop.func`. Welford's moments of up to `two_sums` elements are read as two sums."""
    attributes = op.attributes
    domain = affine_map(attributes["domain"])
    block = op.regions[0].blocks[0]
    extents = [e[1] if e[0] == "constant" else e for e in map(read_expr, domain.results)]
    arguments = list(block.arguments)
    count = len(arguments) - len(extents)
    kernel = Kernel(
        name=ir.StringAttr(attributes["sym_name"]).value,
        extents=extents,
        symbols=domain.n_symbols,
        buffers=[element_type(a.type) for a in arguments[:count]],
    )
    ids: dict[ir.Value, int] = {}
    for position, argument in enumerate(arguments):
        ids[argument] = position
        if position < count:
            kernel.values.append(Value(kernel.buffers[position], buffer=position))
        else:
            kernel.values.append(Value(argument.type, deps=1 << (position - count), dim=position - count))
    for body_op in block.operations:
        _read_node(kernel, body_op.operation, ids, two_sums)
    return kernel


def _read_node(kernel: Kernel, op: ir.Operation, ids: dict[ir.Value, int], two_sums: int) -> None:
    attributes = dict(op.attributes)
    node = Node(op.name, [ids[v] for v in op.operands], [], attributes, 0, 0)
    if node.name == "loop.reduce" and text(attributes["kind"]) == "welford" and _two_sums_are_better(kernel, node, two_sums):
        results = _two_sums(kernel, node)
    else:
        if "map" in attributes:
            _read_indices(node)
        results = kernel.add(node, [result.type for result in op.results], kernel.unused_indices(node))
    ids.update(zip(op.results, results, strict=True))


def _two_sums_are_better(kernel: Kernel, node: Node, limit: int) -> bool:
    """Whether a second walk over the reduced range is cheap; unknown sizes count as cheap."""
    count = 1
    for dim in node.attributes["dims"]:
        extent = kernel.extents[ir.IntegerAttr(dim).value]
        count *= extent if isinstance(extent, int) else 1
    return count <= limit and isinstance(kernel.values[node.operands[0]].type, ir.F32Type | ir.F64Type)


def _two_sums(kernel: Kernel, node: Node) -> list[int]:
    """Replaces Welford's results by two reduction passes, which are more accurate and faster.

    First mean = sum(x) * (1 / n), then the sums of d = x - mean and of d^2. sum(d) is the rounding error of the first mean: the corrected
    mean is mean + sum(d) / n, and the sum of squares is reduced by sum(d)^2 / n. So equal elements have their own value as mean, and no
    variance. T. F. Chan, G. H. Golub, R. J. LeVeque, Algorithms for Computing the Sample Variance: Analysis and Recommendations, The
    American Statistician 37 (1983), the corrected two-pass algorithm.
    """
    (x,) = node.operands
    type_ = kernel.values[x].type
    reduction = {**node.attributes, "kind": ir.StringAttr.get("add")}

    def add(name: str, operands: list[int], attributes: dict[str, Any] | None = None, result: ir.Type | None = None) -> int:
        return kernel.add(Node(name, operands, [], attributes or {}, 0, 0), [result or type_])[0]

    one, zero = (add("arith.constant", [], {"value": ir.FloatAttr.get(type_, value)}) for value in (1.0, 0.0))
    # This corrects the rounding of 1 / n too.
    share = add("arith.divf", [one, add("arith.sitofp", [_count(kernel, node)])])
    first = add("arith.mulf", [add("loop.reduce", [x], reduction), share])
    distance = add("arith.subf", [x, first])
    rest = add("loop.reduce", [distance], reduction)
    squares = add("loop.reduce", [add("arith.mulf", [distance, distance])], reduction)
    shift = add("arith.mulf", [rest, share])
    # If an element is infinite the first mean stays: the rest is NaN.
    infinite = add("arith.cmpf", [shift, shift], {"predicate": _integer(UNORDERED)}, ir.IntegerType.get_signless(1))
    mean = add("arith.select", [infinite, first, add("arith.addf", [first, shift])])
    excess = add("arith.mulf", [rest, shift])
    return [mean, add("arith.maximumf", [add("arith.subf", [squares, excess]), zero])]


def _count(kernel: Kernel, node: Node) -> int:
    """The number of elements that a reduction combines, an i64."""
    size: ExprTree = ("constant", 1)
    for dim in node.attributes["dims"]:
        extent = kernel.extents[ir.IntegerAttr(dim).value]
        size = ("mul", size, ("constant", extent) if isinstance(extent, int) else extent)
    (index,) = kernel.add(Node("loop.apply", [], [], {}, 0, 0, expr=size), [ir.IndexType.get()])
    cast = Node("arith.index_cast", [index], [], {}, 0, 0)
    return kernel.add(cast, [ir.IntegerType.get_signless(64)])[0]


def _integer(value: int) -> ir.IntegerAttr:
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)


def _read_indices(node: Node) -> None:
    """Splits the operands of an operation with an index map: [buffer, value,] indices [, mask]."""
    first = {"loop.load": 1, "loop.store": 2, "loop.apply": 0}[node.name]
    affine = affine_map(node.attributes["map"])
    node.expr = read_expr(affine.results[0])
    node.indices = node.operands[first : first + affine.n_dims]
    rest = node.operands[first + affine.n_dims :]
    node.mask = rest[0] if rest else None
