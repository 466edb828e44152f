"""`verify-ir`: checks every rule of the `aten`, `loop` and `host` dialects; errors are diagnostics at the op's location."""

from collections.abc import Callable, Iterator, Sequence

from torch_mlir import ir

from ...dialects import verify_aten, verify_host, verify_loop
from ...dialects.narrowing import dense_integers
from ...errors import InvalidIR
from ..registry import register_pass


def verify_ir(module: ir.Module) -> None:
    """Emits a diagnostic for every broken rule, then raises `InvalidIR` if there was one."""
    report(list(_broken(module)))


def report(broken: Sequence[verify_loop.Broken], lost: Callable[[ir.Operation], bool] | None = None) -> None:
    """Emits a diagnostic for each broken rule, then raises `InvalidIR` if there is one. `lost`: see `InvalidIR`."""
    for op, message in broken:
        op.location.emit_error(f"'{op.name}' op {message}")
    if broken:
        error = InvalidIR(f"{len(broken)} broken rules of the IR, the first: '{broken[0][0].name}' op {broken[0][1]}")
        error.operation, error.lost = broken[0][0], lost
        raise error


def _broken(module: ir.Module) -> Iterator[verify_loop.Broken]:
    ops = list(_ops(module.operation))
    kernels: verify_host.Kernels = {}
    for op in ops:
        missing = _segments(op)
        if missing:
            yield op, missing
            return
        name = verify_host.launched_name(op)
        if name is not None:
            kernels.setdefault(name, op)
    for op in ops:
        yield from _rules(op, kernels)


def _rules(op: ir.Operation, kernels: verify_host.Kernels) -> Iterator[verify_loop.Broken]:
    if op.name == "func.func":
        yield from verify_aten.verify_function(op)
        yield from verify_host.verify_groups(op)
    elif op.name == "loop.kernel":
        yield from verify_loop.verify_kernel(op)
    elif op.name == "loop.func":
        yield from verify_loop.verify_func(op)
    elif op.name == "loop.group":
        yield from verify_loop.verify_group(op, kernels)
    elif op.name.startswith("loop.") and (op.parent is None or op.parent.name not in ("loop.kernel", "loop.func")):
        yield op, "stands in the body of a loop.kernel or loop.func"
    elif op.name.startswith("host."):
        yield from verify_host.verify_host(op, kernels)


def _segments(op: ir.Operation) -> str | None:
    """The error in the sizes of the op's operand and result groups, or None. MLIR does not check them if there is only one group."""
    for kind, values in (("operand", op.operands), ("result", op.results)):
        name = f"{kind}SegmentSizes"
        if name in op.attributes and sum(dense_integers(op.attributes[name])) != len(values):
            return f"{name} adds up to {sum(dense_integers(op.attributes[name]))}, the op has {len(values)}"
    return None


def _ops(op: ir.Operation) -> Iterator[ir.Operation]:
    for region in op.regions:
        for block in region:
            for inner in block:
                yield inner.operation
                yield from _ops(inner.operation)


register_pass("verify-ir", verify_ir)
