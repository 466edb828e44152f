"""Kernels over one dimension, which may share code: what they compute does not depend on how many points they have."""

from __future__ import annotations

from torch_mlir import ir

from ...dialects.narrowing import AnyOp, affine_map, array


def linear_extent(kernel: AnyOp) -> int | None:
    """The number of points of a `loop.func` that computes each point of one dimension of known size; None for other kernels."""
    extents = affine_map(kernel.attributes["domain"]).results
    if len(extents) != 1 or len(array(kernel.attributes["symbols"])):
        return None
    extent = extents[0].maybe_downcast()
    names = {op.operation.name for op in kernel.regions[0].blocks[0].operations}
    return extent.value if isinstance(extent, ir.AffineConstantExpr) and not names & {"loop.reduce", "loop.scan"} else None


def code_text(kernel: ir.Operation) -> str:
    """The text of a `loop.func` without its sizes and names."""
    copy = kernel.clone()
    try:
        for name in [n for n in copy.attributes if n not in ("outputs", "device")]:
            del copy.attributes[name]
        return copy.get_asm(use_local_scope=True)
    finally:
        copy.erase()
