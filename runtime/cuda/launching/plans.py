"""From the `tt.func`s of a kernel to its launch plan, and to what Triton compiles for a variant."""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir

from ....dialects.context import compile_context
from ....dialects.narrowing import affine_map, array, integer, text
from ....lowering.tt.text import kernel_text
from .cubin import CubinSource
from .launch_record import mask_bit
from .launcher import Plan


def plan_of(functions: Sequence[ir.Operation]) -> Plan:
    """Reads the `tt.func`s of one kernel."""
    first = functions[0].attributes
    scratch = tuple(affine_source(e) for e in affine_map(first["scratch"]).results) if "scratch" in first else ()
    scratch_map = str(first["scratch"]) if scratch else ""
    grids = tuple(affine_source(affine_map(f.attributes["grid"]).results[0]) for f in functions)
    grid_maps = tuple(str(f.attributes["grid"]) for f in functions)
    module_text = "\n".join(f.get_asm(use_local_scope=True) for f in functions)
    name = text(first["kernel" if "kernel" in first else "sym_name"])
    return Plan(name, integer(first["buffers"]), len(array(first["symbols"])), scratch, grids, scratch_map, grid_maps, module_text)


def variant_sources(plan: Plan, functions: Sequence[ir.Operation], mask: int) -> list[CubinSource]:
    """The sources of a variant. Bit `mask_bit(n)` of `mask`: argument n may be no multiple of 16."""
    divisible = [not mask >> mask_bit(n) & 1 for n in range(plan.arguments)]
    return [
        CubinSource(kernel_text(f, divisible), integer(f.attributes["num_warps"]), integer(f.attributes["num_stages"])) for f in functions
    ]


def sources_of_plan(plan: Plan, mask: int) -> list[CubinSource]:
    """The same from the text that a plan has of its functions."""
    with compile_context():
        module = ir.Module.parse(plan.text)
        return variant_sources(plan, [op.operation for op in module.body.operations], mask)


def affine_source(expr: ir.AffineExpr) -> str:
    """Python source of an affine expression without dimensions. Symbol n is the variable `sn`."""
    if isinstance(expr, ir.AffineConstantExpr):
        return str(expr.value)
    if isinstance(expr, ir.AffineSymbolExpr):
        return f"s{expr.position}"
    assert isinstance(expr, ir.AffineBinaryExpr), expr
    a, b = affine_source(expr.lhs), affine_source(expr.rhs)
    if isinstance(expr, ir.AffineCeilDivExpr):
        return f"-(-{a} // {b})"
    return f"({a} {_OPERATORS[type(expr)]} {b})"


_OPERATORS: dict[type[ir.AffineExpr], str] = {
    ir.AffineAddExpr: "+",
    ir.AffineMulExpr: "*",
    ir.AffineModExpr: "%",
    ir.AffineFloorDivExpr: "//",
}
