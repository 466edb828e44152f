"""Whether a kernel that writes a part of a tensor may also compute the written values from the old elements: `x[2:4].add_(y)`."""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir

from ...dialects.narrowing import integers
from ..index import index_expr as ie
from ..index.index_expr import IndexExpr, Ranges
from ..index.index_substitution import substitute_dims
from .fusion_graph import FusionNode, Graph


def reads_what_it_replaces(graph: Graph, node: FusionNode, writer: FusionNode, coordinates: Sequence[tuple[IndexExpr, ...]]) -> bool:
    """Whether `node` may be computed in `writer`'s kernel, at these coordinates: it reads no element of the memory that `writer` writes,
    except the one that the same iteration overwrites afterwards. False if `writer` does not store exactly one region."""
    region = _region(graph, writer)
    if region is None or not coordinates:
        return False
    value, written = region
    root, ranges = graph.storages.root(value), Ranges(writer.body.extents)
    for source in node.sources.values():
        if graph.storages.root(source.value) != root:
            continue
        if source.value != value or any(tuple(substitute_dims(c, at, ranges) for c in source.coords) != written for at in coordinates):
            return False
    return True


def _region(graph: Graph, writer: FusionNode) -> tuple[ir.Value, tuple[IndexExpr, ...]] | None:
    """The tensor that a kernel updates, and the coordinates that it writes; None unless these are affine and it writes each once."""
    kernel = writer.kernel
    if kernel is None or kernel.reduced or writer.scans or writer.checks or len(writer.op.results) != 1:
        return None
    (update,) = integers(writer.op.attributes["updates"])
    stores = [s for s in kernel.steps if s.name == "loop.store"]
    if update < 0 or len(stores) != 1 or stores[0].mask is not None or "accumulate" in stores[0].origin.attributes:
        return None
    value, coords = writer.op.operands[update], tuple(stores[0].coords)
    dims = {("d", n) for n, extent in enumerate(kernel.extents) if extent != ie.ONE}
    if graph.base(value) != value or not all(map(_is_simple, coords)) or {v for c in coords for v in c.variables()} != dims:
        return None
    return value, coords


def _is_simple(coordinate: IndexExpr) -> bool:
    """Whether a coordinate is a number, or a multiple of one dimension plus a number."""
    others = [monomial for monomial, _ in coordinate.terms if monomial]
    positive = all(factor > 0 for _, factor in coordinate.terms)
    return positive and len(others) <= 1 and all(len(m) == 1 and m[0][0] == "d" for m in others)
