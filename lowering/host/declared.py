"""The declared results and writes of an operator's call, from PyTorch's tracer, for the comparison with the real ones."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from torch_mlir import ir

from ...dialects.aten import TensorInfo, symbols_of
from ...dialects.host import call_into
from ...dialects.locations import position
from .routes import schema_of

WRITTEN = "a tensor that it writes"


@dataclass(frozen=True)
class Declared:
    """A tensor of a call: the graph's value, its name in errors, and its declaration."""

    value: ir.Value
    name: str
    info: TensorInfo


def declared_tensors(call: ir.OpView, symbols: Collection[str]) -> list[Declared]:
    """The tensors to compare after a `host.call`: its results, the buffer that it fills, and what a custom operator writes. `symbols`:
    those with known values; a tensor whose size depends on others is read by no kernel, and left out."""
    results = list(call.results)
    tensors = [(r, f"result {n} of {len(results)}" if len(results) > 1 else "the result") for n, r in enumerate(results, 1)]
    into, schema = call_into(call), schema_of(call)
    if into is not None:
        tensors.append((call.operands[into], "the result"))
    if not is_pytorchs(call.attributes["target"].value) and (
        schema is None or schema.mutates
    ):  # the table has functional forms of custom operators that write
        tensors += [(v, WRITTEN) for v in call.operands]
    infos = [(v, name, TensorInfo.of(v.type)) for v, name in tensors if isinstance(v.type, ir.RankedTensorType)]
    return [Declared(v, name, info) for v, name, info in infos if {s.name for s in symbols_of(info.sizes)} <= set(symbols)]


def is_pytorchs(target: str) -> bool:
    """Whether an operator (`aten.mm.default`) is PyTorch's own, not a custom one."""
    return target.startswith(("aten.", "prims."))


def call_place(call: ir.OpView) -> str:
    """The user's line of the call: `file:line`, or "" if unknown."""
    found = position(call.location)
    return f"{found.file}:{found.line}" if found else ""
