"""Which kernels have GPU code."""

from __future__ import annotations

from torch_mlir import ir

from ...dialects.narrowing import maker
from .scalar_ops import has_code

# The atomic operations by element type.
_ATOMIC = {
    "add": ("f16", "bf16", "f32", "f64", "i32", "i64"),
    "max": ("i32", "i64"),
    "min": ("i32", "i64"),
}


def why_unsupported(op: ir.Operation, deterministic: bool = False) -> str | None:
    """The reason why the kernel, a `loop.kernel` or `loop.func`, has no GPU code; None if it has. `deterministic`: results must not depend
    on the order in which programs run."""
    for view in op.regions[0].blocks[0].operations:
        body_op = view.operation
        if body_op.name.startswith(("arith.", "math.")) and not has_code(body_op.name):
            return f"the GPU has no code for {body_op.name}"
        if body_op.name == "loop.store":
            reason = _why_not_stored(body_op, deterministic)
            if reason is not None:
                return reason
    return None


def _why_not_stored(store: ir.Operation, deterministic: bool) -> str | None:
    if "accumulate" in store.attributes:
        kind, element = ir.StringAttr(store.attributes["accumulate"]).value, store.operands[1].type
        if str(element) not in _ATOMIC.get(kind, ()):
            return f"there is no atomic {kind} on {element}"
        if deterministic and isinstance(element, ir.FloatType):
            return "sums of scattered floats are not deterministic"
    elif deterministic and any(_comes_from_load(v) for v in _indices(store)):
        return "of several values scattered to one place any stays, which is not deterministic"
    return None


def _indices(store: ir.Operation) -> list[ir.Value]:
    return [v for v in list(store.operands)[2:] if isinstance(v.type, ir.IndexType)]


def _comes_from_load(value: ir.Value) -> bool:
    work, seen = [value], {value}
    while work:
        current = work.pop()
        if isinstance(current, ir.BlockArgument):
            continue
        if maker(current).name == "loop.load":
            return True
        new = [o for o in maker(current).operands if o not in seen]
        seen.update(new)
        work += new
    return False
