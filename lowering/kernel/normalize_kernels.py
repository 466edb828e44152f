"""`normalize-kernels`: sorts a kernel's dimensions by stride and collapses them; equal kernels that result become one.

Parallel dimensions are ordered by the strides of the first store, then of the other accesses, and so are the dimensions of sums on GPUs;
dimensions of extent 1 are removed; neighbours that every access walks as one are merged. Bodies are canonicalized, and common
subexpressions merged.
"""

from __future__ import annotations

from collections.abc import Iterable

from torch_mlir import ir
from torch_mlir.passmanager import PassManager

from ...dialects import narrowing
from ...passes.registry import register_pass
from ...passes.working_on import works_on_operation
from ...tuning.kernels import TUNING
from ..index import index_expr as ie
from ..index.index_expr import IndexExpr, Ranges
from ..launch.convert_to_host import graph_function
from .kernel_body import KernelBody, is_on_gpu, names_of, read_body, write_func

_CLEANUP = "builtin.module(loop.func(canonicalize,cse))"


def normalize_kernels(module: ir.Module) -> None:
    """Normalizes every `loop.func` of the module."""
    renamed: dict[str, tuple[str, ir.Attribute]] = {}
    PassManager.parse(_CLEANUP).run(module.operation)
    functions: dict[str, str] = {}
    for op in [op for op in module.body.operations if op.operation.name == "loop.func"]:
        name = narrowing.text(op.attributes["sym_name"])
        new = _normalized(op)
        op.operation.erase()
        symbols = new.attributes["symbols"]
        text = _text_without_names(new)
        if text in functions:
            new.erase()
        renamed[name] = functions.setdefault(text, name), symbols
    for op in graph_function(module).regions[0].blocks[0].operations:
        if op.operation.name == "host.launch":
            name, symbols = renamed[narrowing.text(op.attributes["kernel"])]
            op.attributes["kernel"] = ir.FlatSymbolRefAttr.get(name)
            op.attributes["symbols"] = symbols


def _text_without_names(op: ir.Operation) -> str:
    text = op.get_asm(use_local_scope=True)
    for name in ("sym_name", "computes"):
        text = text.replace(f"{name} = {op.attributes[name]}", "", 1)
    return text


@works_on_operation
def _normalized(op: ir.OpView) -> ir.Operation:
    """A normalized copy, placed before `op`."""
    kernel = read_body(op)
    kernel.names = names_of(op)
    if not _order_matters(kernel) and ie.ZERO not in kernel.extents:
        kernel.drop_unit_dims()
        # A GPU divides the points of a row among lanes, so that no order of summing is eager's.
        _order(kernel, is_on_gpu(op) and _sums(kernel))
        _collapse(kernel)
    outputs = narrowing.integer(op.attributes["outputs"])
    buffers = [a.type for a in op.regions[0].blocks[0].arguments if not isinstance(a.type, ir.IndexType)]
    split = len(buffers) - outputs
    new = write_func(kernel, narrowing.text(op.attributes["sym_name"]), buffers[:split], buffers[split:], ir.InsertionPoint(op))
    if "device" in op.attributes:
        new.attributes["device"] = op.attributes["device"]
    return new


def _order_matters(kernel: KernelBody) -> bool:
    """Whether the order of the points matters: scans, and stores that may write one element several times."""
    for step in kernel.steps:
        if step.name == "loop.scan" or (step.name == "loop.store" and "accumulate" in step.origin.attributes):
            return True
        if step.name == "loop.store" and any(v[0] == "v" for v in step.coords[0].variables()):
            return True
    return False


def _sums(kernel: KernelBody) -> bool:
    """Whether all reductions give sums or moments."""
    kinds = {narrowing.text(s.origin.attributes["kind"]) for s in kernel.steps if s.name == "loop.reduce"}
    return kinds <= {"add", "welford"}


def _exprs(kernel: KernelBody) -> Iterable[IndexExpr]:
    for step in kernel.steps:
        yield from step.coords
        yield from (r for r in step.operands if isinstance(r, IndexExpr))


def _order(kernel: KernelBody, sorted_reductions: bool) -> None:
    reduced = kernel.reduced
    accesses = [s.coords[0] for s in kernel.steps if s.name == "loop.store"]
    accesses += [s.coords[0] for s in kernel.steps if s.name == "loop.load"]
    weights = [_strides(a) for a in accesses]
    parallel = [d for d in range(len(kernel.extents)) if d not in reduced]
    reduction = [d for d in range(len(kernel.extents)) if d in reduced]

    def by_strides(dims: list[int]) -> list[int]:
        return sorted(dims, key=lambda d: [-w.get(d, 0) for w in weights])

    # Sums over several dimensions may be taken in any order, but the first of equal elements is found by position.
    order = by_strides(parallel) + (by_strides(reduction) if sorted_reductions else reduction)
    if order != list(range(len(order))):
        positions = {d: n for n, d in enumerate(order)}
        kernel.replace_domain([ie.dim(positions[d]) for d in range(len(order))], [kernel.extents[d] for d in order])


def _strides(offset: IndexExpr) -> dict[int, int]:
    """The stride along each dimension, if it is the same everywhere; symbols are estimated."""
    strides: dict[int, int] = {}
    for monomial, k in offset.terms:
        dims = [a[1] for a in monomial if a[0] == "d"]
        if len(dims) != 1 or any(a[0] not in "ds" for a in monomial):
            continue
        strides[dims[0]] = strides.get(dims[0], 0) + abs(k) * TUNING.symbol_estimate ** (len(monomial) - 1)
    return strides


def _collapse(kernel: KernelBody) -> None:
    """Merges neighbouring dimensions, innermost first, if no index expression needs a division for it."""
    inner = len(kernel.extents) - 1
    while inner > 0:
        outer = inner - 1
        same_kind = (outer in kernel.reduced) == (inner in kernel.reduced)
        if same_kind and all(_walked_as_one(e, outer, inner, kernel.extents[inner]) for e in set(_exprs(kernel))):
            extent = kernel.extents[inner]
            merged = [*kernel.extents[:outer], kernel.extents[outer] * extent, *kernel.extents[inner + 1 :]]
            ranges = Ranges(merged)
            dims = [ie.dim(d if d <= outer else d - 1) for d in range(len(kernel.extents))]
            dims[outer], dims[inner] = ie.floordiv(ie.dim(outer), extent, ranges), ie.mod(ie.dim(outer), extent, ranges)
            kernel.replace_domain(dims, merged)
        inner -= 1


def _walked_as_one(expr: IndexExpr, outer: int, inner: int, extent: IndexExpr) -> bool:
    """Whether `expr` has the two dimensions only as multiples of outer * extent + inner."""
    weights = {outer: ie.ZERO, inner: ie.ZERO}
    for monomial, k in expr.terms:
        dims = {v[1] for a in monomial for v in ie.IndexExpr((((a,), 1),)).variables() if v[0] == "d"} & weights.keys()
        if not dims:
            continue
        plain = [a for a in monomial if a[0] == "d"]
        if len(plain) != 1 or any(a[0] not in "ds" for a in monomial):
            return False
        weights[plain[0][1]] += IndexExpr(((tuple(a for a in monomial if a[0] == "s"), k),))
    return weights[outer] == weights[inner] * extent


register_pass("normalize-kernels", normalize_kernels)
