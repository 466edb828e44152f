"""`verify-order`: calls with effects (checks, and calls that PyTorch orders by tokens) are those of the imported graph, each once, in
order, and before inputs are written.

`aten.io_order` holds the names of their nodes. A token has at most one user, the next call or the caller. After `convert-to-host` there
are no tokens, and the order is that of the sequence.
"""

from __future__ import annotations

from collections.abc import Iterator

from torch_mlir import ir

from ...dialects import aten_ops
from ...dialects.host import ORDER
from ...dialects.narrowing import text, texts
from ...dialects.verify_aten import Broken
from ..analysis.alias_analysis import functions_with_body
from ..analysis.node_identity import NODE
from ..analysis.saved_values import TANGENTS
from ..registry import register_pass
from .verify_functional import EPILOGUE_OP, is_functional
from .verify_ir import report

RECORDED = "aten.io_order"


def verify_order(module: ir.Module) -> None:
    """Emits a diagnostic for every broken rule, then raises `InvalidIR` if there was one."""
    claiming = (f for f in functions_with_body(module) if is_functional(f) or RECORDED in f.attributes)
    found = list(claiming)
    missing = {name for function in found for name in _missing(function)}
    report([broken for function in found for broken in _broken(function)], lambda op: node_of(op.opview) in missing)


def _missing(function: ir.OpView) -> set[str]:
    """The names of the recorded calls that the function no longer holds."""
    if RECORDED not in function.attributes:
        return set()
    found = {node_of(op) for op in function.regions[0].blocks[0].operations}
    return set(texts(function.attributes[RECORDED])) - found


def takes_token(op: ir.OpView) -> bool:
    """Whether an operation is a call that PyTorch orders by a token."""
    return aten_ops.is_operator(op) and aten_ops.schema(op).takes_token


def token_of(op: ir.OpView) -> ir.Value | None:
    """The token that such a call takes."""
    token: ir.Value | None = next(iter(aten_ops.tensors(op).values()))
    return token


def node_of(op: ir.OpView) -> str | None:
    """The name of an ordered call's node, in `aten` and in `host`; "" if it has none, None if the call is not ordered."""
    if op.operation.name == "host.call":
        return text(op.attributes[ORDER]) if ORDER in op.attributes else None
    if not aten_ops.is_operator(op) or not aten_ops.schema(op).ordered:
        return None
    return text(op.attributes[NODE]) if NODE in op.attributes else ""


def _broken(function: ir.OpView) -> Iterator[Broken]:
    operations = list(function.regions[0].blocks[0].operations)
    calls = [(op, name) for op in operations if (name := node_of(op)) is not None]
    for op, _ in calls:
        yield from _passed_on(op) if takes_token(op) else ()
    if TANGENTS not in function.attributes:
        yield from _behind_writes(operations)
    if RECORDED not in function.attributes:
        return
    recorded, found = texts(function.attributes[RECORDED]), [name for _, name in calls]
    if recorded != found:
        where = next((op for (op, name), wanted in zip(calls, recorded, strict=False) if name != wanted), function)
        yield where.operation, f"the ordered calls are {found}, and were {recorded}"


def _passed_on(op: ir.OpView) -> Iterator[Broken]:
    for token in (token_of(op), op.results[0]):
        uses = [] if token is None else list(token.uses)
        if len(uses) > 1:
            yield op.operation, f"a token is passed on {len(uses)} times"
        for use in uses:
            user = use.owner
            if user.operation.name != "func.return" and not (takes_token(user) and use.operand_number == 0):
                yield user.operation, "uses a token as a tensor"


def _behind_writes(operations: list[ir.OpView]) -> Iterator[Broken]:
    """Calls after a write to an input: if one raises, the caller sees a write that must not have happened."""
    written = False
    for op in operations:
        written |= op.operation.name == EPILOGUE_OP
        if written and node_of(op) is not None:
            yield op.operation, "is an ordered call behind a write to a graph input"


register_pass("verify-order", verify_order)
