"""`reassociate-products`: computes matrix products that are bound by memory in fewer passes over it, where sums may be rounded
differently.

On functions marked `aten.rounding = "free"` (option `rounding`), for tensors on the CPU. `docs/rewrites.md` has the measurement for each
rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch_mlir import ir

from ..dialects import aten_ops
from ..dialects.aten import TensorInfo
from ..dialects.narrowing import function_of, text
from ..tuning.products import is_small_product
from .analysis.alias_analysis import functions_with_body
from .analysis.node_identity import same_region
from .patterns.engine import pattern_set
from .patterns.engine.pattern_rewriting import pattern_pass
from .registry import register_pass
from .rewriting.new_calls import call_before

NAME = "reassociate-products"
ROUNDING = "aten.rounding"
MM, VIEW = (aten_ops.op_name(f"aten.{n}.default") for n in ("mm", "view"))
_VIEWS = (VIEW, aten_ops.op_name("aten.permute.default"))
_READERS = ("func.return", MM, *(aten_ops.op_name(f"aten.{n}.default") for n in ("addmm", "bmm")))
# With up to this many columns of the first factor, a kernel computes the sum of products.
SHORT = 8


def reassociate_products(module: ir.Module) -> None:
    """Applies the rules if rounding is free."""
    if any(has_free_rounding(f) for f in functions_with_body(module)):
        _apply(module)


def mark_rounding(module: ir.Module, rounding: str) -> None:
    """Marks the functions of a module with the option `rounding`."""
    for function in functions_with_body(module):
        function.attributes[ROUNDING] = ir.StringAttr.get(rounding)


def rounding_of(function: ir.OpView | ir.Operation) -> str:
    """The option `rounding` that a function is marked with; "library" without a mark."""
    marks = function.attributes
    return text(marks[ROUNDING]) if ROUNDING in marks else "library"


def has_free_rounding(function: ir.OpView | ir.Operation) -> bool:
    """Whether sums may be rounded differently from eager's."""
    return rounding_of(function) == "free"


@dataclass(frozen=True)
class _Product:
    """The call `a @ b` (m x k by k x n), and the view of its result, if there is one. Nothing else uses the product."""

    op: ir.Operation
    view: ir.Operation | None

    @property
    def info(self) -> TensorInfo:
        return TensorInfo.of(self.op.result.type)

    @property
    def sizes(self) -> tuple[int, int, int] | None:
        """m, k, n; None if one is unknown or 0, or the product is small: such a product of floats becomes a kernel, which adds for free."""
        (m, k), (_, n) = (TensorInfo.of(v.type).sizes for v in self.op.operands)
        if not (isinstance(m, int) and isinstance(k, int) and isinstance(n, int)) or 0 in (m, k, n):
            return None
        return None if is_small_product(self.info.device, [m, n, k]) else (m, k, n)


def two_products(add: ir.Operation) -> ir.Value | None:
    """a @ b + c @ d -> cat([a, c], 1) @ cat([b, d], 0) if copying the factors costs less than half of adding the products"""
    given = aten_ops.arguments(add)
    one, other = (_product(given[n]) for n in ("self", "other"))
    if one is None or other is None or not _may_join(add, one, other) or one.info != other.info:
        return None
    if one.sizes is None or other.sizes is None:
        return None
    (m, k, n), (_, k2, _) = one.sizes, other.sizes
    if 2 * (m + n) * (k + k2) > m * n:
        return None
    factors = zip(one.op.operands, other.op.operands, strict=True)
    a, b = (call_before(add, "aten.cat.default", {"tensors": list(pair), "dim": 1 - d}) for d, pair in enumerate(factors))
    return _viewed(add, call_before(add, "aten.mm.default", {"self": a, "mat2": b}), one)


def accumulated(add: ir.Operation) -> ir.Value | None:
    """a @ b + c -> addmm(c, a, b) in float32, if no kernel reads the sum: one tensor less. The library is slower for half types."""
    if not _is_free(add) or not _read_by_products(add.result):
        return None
    given = aten_ops.arguments(add)
    for factors, summand in ((given["self"], given["other"]), (given["other"], given["self"])):
        product = _product(factors)
        if product is None or product.sizes is None or product.info.dtype != "float32" or not isinstance(summand, ir.Value):
            continue
        if not _may_join(add, product):
            continue
        if TensorInfo.of(summand.type).strides != TensorInfo.of(add.result.type).strides or summand == factors:
            continue
        if product.view is not None:
            summand = call_before(add, "aten.view.default", {"self": summand, "size": list(product.info.sizes)})
        a, b = product.op.operands
        return _viewed(add, call_before(add, "aten.addmm.default", {"self": summand, "mat1": a, "mat2": b}), product)
    return None


def short_product(mm: ir.Operation) -> ir.Value | None:
    """a @ b -> sum(a[:, :, None] * b[None], 1) in float32 for up to 8 columns of a: one kernel, fused with its users"""
    a, b = mm.operands
    sizes = _Product(mm, None).sizes
    if not _is_free(mm) or sizes is None or sizes[1] > SHORT or TensorInfo.of(a.type).dtype != "float32":
        return None
    a = call_before(mm, "aten.unsqueeze.default", {"self": a, "dim": 2})
    b = call_before(mm, "aten.unsqueeze.default", {"self": b, "dim": 0})
    products = call_before(mm, "aten.mul.Tensor", {"self": a, "other": b})
    return _as(mm, call_before(mm, "aten.sum.dim_IntList", {"self": products, "dim": [1]}))


def _is_free(op: ir.Operation) -> bool:
    """Whether sums may be rounded differently here, on the CPU."""
    return has_free_rounding(function_of(op)) and TensorInfo.of(op.results[0].type).device == "cpu"


def _product(value: Any) -> _Product | None:
    """The product of which a value is the result, or a view of it, if each has one user only; else None."""
    chain: list[ir.Operation] = []
    for name in (VIEW, MM):
        op = value.owner if isinstance(value, ir.OpResult) else None
        if op is not None and op.name == name and len(list(op.result.uses)) == 1:
            chain.append(op.operation)
            value = op.operands[0]
    if not chain or chain[-1].name != MM:
        return None
    return _Product(chain[-1], chain[0] if len(chain) == 2 else None)


def _may_join(add: ir.Operation, *products: _Product) -> bool:
    """Whether one call may replace a sum and its products: the sum is `x + y` with alpha 1, its rounding is free, both operands have its
    type, nothing is written in between, and no part alone belongs to a checkpointed region."""
    if not _is_free(add) or aten_ops.arguments(add)["alpha"] != 1:
        return False
    if any(TensorInfo.of(v.type) != TensorInfo.of(add.result.type) for v in add.operands):
        return False
    return same_region([add, *(p.op for p in products)]) and not _writes_between([p.op for p in products], add)


def _read_by_products(value: ir.Value) -> bool:
    """Whether only products and the caller read a value. If a kernel read it, that kernel would compute the sum for free."""
    users = [use.owner.operation for use in value.uses]
    return all(op.name in _READERS or op.name in _VIEWS and _read_by_products(op.result) for op in users)


def _writes_between(products: list[ir.Operation], add: ir.Operation) -> bool:
    waiting = {op.result for op in products}
    begun = False
    for view in add.block.operations:
        op = view.operation
        if op == add:
            return False
        begun = begun or len(op.results) > 0 and op.results[0] in waiting
        if begun and aten_ops.is_operator(view) and aten_ops.schema(view).mutates:
            return True
    raise AssertionError("an operand is made after its user")


def _viewed(add: ir.Operation, value: ir.Value, product: _Product) -> ir.Value | None:
    """The value of a joined product in the shape of the sum."""
    if product.view is not None:
        value = call_before(add, "aten.view.default", {"self": value, "size": list(TensorInfo.of(add.result.type).sizes)})
    return _as(add, value)


def _as(op: ir.Operation, value: ir.Value) -> ir.Value:
    """The value with exactly the type of `op`'s result: a copy if the layouts differ (a product's is contiguous). Symbolic sizes may be
    equal and differ in their text only; then the type is set."""
    if TensorInfo.of(value.type) != TensorInfo.of(op.results[0].type):
        value = call_before(op, "aten.clone.default", {"self": value, "memory_format": "contiguous_format"})
    value.set_type(op.results[0].type)
    return value


pattern_set.add_rewrite("aten.add.Tensor", two_products, NAME)
pattern_set.add_rewrite("aten.add.Tensor", accumulated, NAME)
pattern_set.add_rewrite("aten.mm.default", short_product, NAME)
_apply = pattern_pass(NAME)
register_pass(NAME, reassociate_products)
