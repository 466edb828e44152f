"""The declared results and writes of an operator's call, from its fake function, to compare them with the real ones."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from torch_mlir import ir

from ...dialects.aten import TensorInfo, symbols_of
from ...dialects.aten_names import is_pytorchs, operator_name
from ...dialects.host import call_into
from ...dialects.locations import position
from ...dialects.narrowing import text
from ...errors import WRITTEN
from .routes import schema_of

# Namespaces of operators that come with PyTorch or with this project. Their strides are not compared: PyTorch's fake functions give
# some untrue ones (`_c10d_functional::all_reduce`), and kernels get tensors laid out anew.
_STRIDES_VARY = frozenset({
    "aten", "prims", "quantized", "quantized_decomposed", "_quantized", "mkl", "mkldnn", "mkldnn_prepacked", "onednn", "sparse", "inductor",
    "inductor_prims", "rngprims", "debugprims", "profiler", "c10d", "c10d_functional", "_c10d_functional", "_c10d_functional_autograd",
    "symm_mem", "_dtensor", "fsdp", "mlirindopaque", "mlirindrandom", "mlirindtriton", "mlirindwhole",
})  # fmt: skip
# Operators whose last results only their backward operator reads; PyTorch's fake functions may declare other sizes or devices for these.
# For each, the number of the results before. Attention's random state is on the CPU or on the GPU, by whether a CUDA graph is captured.
# Sums of bags of bfloat16 return an empty `offset2bag` on the CPU.
_READ_BY_BACKWARD = {"aten._scaled_dot_product_": 2, "aten._embedding_bag": 1}
# Operations after which a result may have any size: they do not read it, or hand it to the caller as it is.
_UNREAD = ("host.free", "func.return", "host.call")


@dataclass(frozen=True)
class Declared:
    """A tensor of a call: the graph's value, its name in errors, and its declaration."""

    value: ir.Value
    name: str
    info: TensorInfo
    strides: bool  # whether strides are compared


def declared_tensors(call: ir.OpView, symbols: Collection[str]) -> list[Declared]:
    """The tensors to compare after a `host.call`: its results, the buffer that it fills, and what a custom operator writes. `symbols`:
    those with known values; a tensor whose size depends on other symbols is left out, because no kernel reads it."""
    results, target = list(call.results), text(call.attributes["target"])
    tensors: list[tuple[ir.Value, str]] = [
        (r, f"result {n} of {len(results)}" if len(results) > 1 else "the result") for n, r in enumerate(results, 1)
    ]
    if is_pytorchs(target):  # of its results, those that something reads
        tensors = [(r, name) for n, (r, name) in enumerate(tensors) if _is_read(r, n >= _compared_results(target, len(results)))]
    into, schema = call_into(call), schema_of(call)
    if into is not None:
        tensors.append((call.operands[into], "the result"))
    if not is_pytorchs(target) and (schema is None or schema.mutates):  # the table has functional forms of custom operators that write
        tensors += [(v, WRITTEN) for v in call.operands]
    infos = [(v, name, TensorInfo.of(v.type)) for v, name in tensors if isinstance(v.type, ir.RankedTensorType)]
    strides = compares_strides(target)
    found = [Declared(v, name, info, strides) for v, name, info in infos]
    return [d for d in found if {s.name for s in symbols_of([*d.info.sizes, *d.info.strides])} <= set(symbols)]


def _compared_results(target: str, count: int) -> int:
    """How many of an operator's `count` results, from the first on, are compared wherever they go. The others are compared only if this
    graph reads them."""
    if "_backward" in target:
        return count
    return next((number for prefix, number in _READ_BY_BACKWARD.items() if target.startswith(prefix)), count)


def _is_read(result: ir.Value, for_backward: bool) -> bool:
    """Whether anything but a free uses the result. `for_backward`: returns and calls do not count, because only the backward operator reads
    this result."""
    return any(use.owner.name not in (_UNREAD if for_backward else _UNREAD[:1]) for use in result.uses)


def compares_strides(target: str) -> bool:
    """Whether the strides of an operator's results are compared, not only sizes, dtype and device."""
    return operator_name(target).partition("::")[0] not in _STRIDES_VARY


def to_lay_out(call: ir.OpView) -> list[bool]:
    """For each operand of a call whether it must be brought into the layout of its type before: the strides of the call's results are
    compared and may depend on it, and it is the result of an operator whose strides are not compared."""
    exact = compares_strides(text(call.attributes["target"]))
    return [exact and isinstance(v.type, ir.RankedTensorType) and _may_have_other_strides(v) for v in call.operands]


def _may_have_other_strides(value: ir.Value) -> bool:
    made = value.owner if isinstance(value, ir.OpResult) else None
    if made is None or made.name != "host.call":
        return False
    return not compares_strides(text(made.attributes["target"]))


def call_site(call: ir.OpView) -> str:
    """The user's line of the call: `file:line`, or "" if unknown."""
    found = position(call.location)
    return f"{found.file}:{found.line}" if found else ""
