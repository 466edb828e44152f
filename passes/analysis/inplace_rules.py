"""Which operand an operator could write instead of a copy, and which of its elements it replaces: for `reinplace` and its verifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch_mlir import ir

from ...dialects import aten_ops
from ...dialects.aten import TensorInfo
from ...dialects.narrowing import AnyOp

MARK = "aten.inplace"
FORMS = "mlirindfunctional."

# The result is `self` with the elements replaced, or added to, that index tensors name.
_INDEXED = frozenset({
    "aten.index_put.default", "aten._unsafe_index_put.default", "aten.scatter.src", "aten.scatter.value", "aten.scatter.reduce",
    "aten.scatter.value_reduce", "aten.scatter_add.default", "aten.scatter_reduce.two", "aten.index_add.default",
    "aten.index_copy.default", "aten.index_fill.int_Scalar", "aten.index_fill.int_Tensor",
})  # fmt: skip
# The result is `self` with the elements that a view of it shows replaced by `src`.
_REGIONS = frozenset({
    "aten.slice_scatter.default", "aten.select_scatter.default", "aten.diagonal_scatter.default", "aten.as_strided_scatter.default",
})  # fmt: skip


# The operators that write the results of these in place, where it is not `x_` for `x`. The result does not depend on `self`, or each
# element only on the same element of `self`.
_RANDOM = {"aten.normal_functional.default": "aten.normal_.default", "aten.bernoulli.p": "aten.bernoulli_.float"} | {
    f"aten.{name}": f"aten.{name.replace('.', '_.')}"
    for name in ("uniform.default", "exponential.default", "cauchy.default", "geometric.default", "log_normal.default",
                 "random.default", "random.from", "random.to", "bernoulli.Tensor")
}  # fmt: skip
_COLLECTIVES = {
    f"_c10d_functional.{name}.default": f"_c10d_functional.{name}_.default" for name in ("all_reduce", "all_reduce_coalesced", "broadcast")
}


@dataclass(frozen=True)
class InplaceCandidate:
    """Operand number `operand` may be written and become result number `result`."""

    operand: int
    result: int

    def target(self, op: AnyOp) -> ir.Value:
        return op.operands[self.operand]


def candidates(op: ir.OpView) -> list[InplaceCandidate]:
    """The operands that an operator could write; none for most."""
    if not aten_ops.is_operator(op):
        return []
    schema = aten_ops.schema(op)
    if schema.name in _INDEXED or schema.name in _REGIONS or schema.name in _RANDOM:
        return [InplaceCandidate(0, 0)]
    if schema.name in _COLLECTIVES:
        return [InplaceCandidate(n, n) for n in range(len(op.results))]
    return _form_candidates(op) if schema.name.startswith(FORMS) else []


def _form_candidates(op: ir.OpView) -> list[InplaceCandidate]:
    """The written arguments of a functional form, whose new values are its last results, in order."""
    from ...bridge.functional_forms import arguments_written_by_operator, originals

    schema = aten_ops.schema(op)
    original = originals.get(schema.name)
    if original is None:
        return []
    arguments = aten_ops.arguments(op)
    written = [v for a in arguments_written_by_operator(original) for v in aten_ops.listed(arguments[a.name]) if v is not None]
    first = len(op.results) - len(written)
    operands = list(op.operands)
    return [InplaceCandidate(operands.index(v), first + n) for n, v in enumerate(written)]


def writing_operator(name: str) -> str | None:
    """PyTorch's name of the operator that writes its operand, for an operator `name` that returns a new tensor; None if there is none."""
    if name in _INDEXED and name != "aten._unsafe_index_put.default":
        namespace, base, overload = name.split(".")
        return f"{namespace}.{base}_.{overload}"
    return _RANDOM.get(name) or _COLLECTIVES.get(name)


def is_same_area(a: TensorInfo, b: TensorInfo) -> bool:
    """Whether two tensors over one storage have the same elements in the same order."""
    return (a.dtype, a.offset) == (b.dtype, b.offset) and _moving(a) == _moving(b)


def _moving(info: TensorInfo) -> list[Any]:
    return [(s, t) for s, t in zip(info.sizes, info.strides, strict=True) if s != 1]


def writes_once_a_line(call: AnyOp) -> bool:
    """Whether a `scatter` or the like writes one element of each line of `self` along `dim`."""
    given = aten_ops.arguments(call)
    sizes, dim = TensorInfo.of(given["self"].type).sizes, given["dim"]
    line = tuple(1 if d == dim else s for d, s in enumerate(sizes))
    return bool(sizes) and TensorInfo.of(given["index"].type).sizes == line


def replaced_region(op: AnyOp) -> TensorInfo | None:
    """The part that a `slice_scatter` or the like replaces, as a view of its `self`; None for other operators, and if it is unknown."""
    if not aten_ops.is_operator(op) or aten_ops.pytorch_name(op) not in _REGIONS:
        return None
    name, a = aten_ops.pytorch_name(op), aten_ops.arguments(op)
    base, sizes = TensorInfo.of(a["self"].type), TensorInfo.of(a["src"].type).sizes
    strides, offset = list(base.strides), base.offset
    if name == "aten.as_strided_scatter.default":
        begins = base.offset if a["storage_offset"] is None else a["storage_offset"]
        return TensorInfo(sizes, base.dtype, base.device, tuple(a["stride"]), begins)
    if name == "aten.diagonal_scatter.default":
        first, second, shift = a["dim1"], a["dim2"], a["offset"]
        if not isinstance(shift, int):
            return None
        offset = offset + (shift * base.strides[second] if shift >= 0 else -shift * base.strides[first])
        kept = [t for d, t in enumerate(strides) if d not in (first, second)]
        return TensorInfo(sizes, base.dtype, base.device, (*kept, base.strides[first] + base.strides[second]), offset)
    start = a["index"] if name == "aten.select_scatter.default" else a["start"]
    size = base.sizes[a["dim"]]
    if not isinstance(start, int) or (start < 0 and not isinstance(size, int)):
        return None
    start = start + size if start < 0 else start
    offset = offset + start * base.strides[a["dim"]]
    if name == "aten.select_scatter.default":
        del strides[a["dim"]]
    else:
        strides[a["dim"]] = strides[a["dim"]] * a["step"]
    return TensorInfo(sizes, base.dtype, base.device, tuple(strides), offset)
