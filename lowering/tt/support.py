"""Which kernels there is GPU code for."""

from __future__ import annotations

from torch_mlir import ir

from .scalar_ops import has_code

# What atomic operations there are, by element type.
_ATOMIC = {
    "add": ("f16", "bf16", "f32", "f64", "i32", "i64"),
    "max": ("i32", "i64"),
    "min": ("i32", "i64"),
}


def why_unsupported(op: ir.Operation, deterministic: bool = False) -> str | None:
    """Why the kernel, a `loop.kernel` or `loop.func`, stays with ATen's operators; None: there is code for it. `deterministic`: sums of
    floats must not depend on the order in which programs run."""
    for view in op.regions[0].blocks[0].operations:
        body_op = view.operation
        if body_op.name.startswith(("arith.", "math.")) and not has_code(body_op.name):
            return f"the GPU has no code for {body_op.name}"
        if body_op.name == "loop.store" and "accumulate" in body_op.attributes:
            reason = _why_not_atomic(body_op, deterministic)
            if reason is not None:
                return reason
    return None


def _why_not_atomic(store: ir.Operation, deterministic: bool) -> str | None:
    kind, element = ir.StringAttr(store.attributes["accumulate"]).value, store.operands[1].type
    if str(element) not in _ATOMIC.get(kind, ()):
        return f"there is no atomic {kind} on {element}"
    if deterministic and isinstance(element, ir.FloatType):
        return "sums of scattered floats are not deterministic"
    return None
