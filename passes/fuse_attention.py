"""`fuse-attention`: attention that is computed step by step becomes `scaled_dot_product_attention`, where that is equal.

For a row that a mask excludes completely (-inf in every column) eager's softmax gives NaN, the fused operator zeros: a guard restores the
NaN, and this pass removes the guard if the graph shows that there is no such row. For a row that is masked by a very low number eager
computes equal weights, the fused operator's GPU kernels zeros: there masks get a lower bound. On the CPU the fused gradient of such a row
counts every column completely: the gradient is divided by their number.
"""

from __future__ import annotations

import functools

from torch_mlir import ir

from ..dialects import aten_ops
from ..dialects.aten import TensorInfo
from .analysis.alias_analysis import functions_with_body
from .analysis.uniform_values import uniform_value
from .patterns.attention.conditions import LOWEST, every_row_has_a_column, is_finite
from .patterns.attention.search import written_attentions
from .patterns.engine.pattern_rewriting import log_refused, replace_candidates
from .refresh_metadata import mark_stale
from .registry import register_pass
from .rewrite_limit import may_rewrite
from .rewriting.new_calls import call_before

WHERE, EQUAL, MAXIMUM = (aten_ops.op_name(f"aten.{n}") for n in ("where.self", "eq.Scalar", "amax.default"))
ATTENTION = aten_ops.op_name("aten.scaled_dot_product_attention.default")
GRADIENT = aten_ops.op_name("aten._scaled_dot_product_flash_attention_for_cpu_backward.default")
# Lower values become -inf when GPU kernels multiply them by log2(e) in float32.
LOWEST_ON_GPU = -1e38


def fuse_attention(module: ir.Module) -> None:
    """Replaces attention that is written out, and removes guards that are not needed."""
    given = {op.results[0] for op in _calls(module, ATTENTION, GRADIENT)}
    for function in functions_with_body(module):
        _, refused = replace_candidates(function, functools.partial(written_attentions, function))
        log_refused(refused)
    for op in _calls(module, ATTENTION, GRADIENT):
        if op.results[0] not in given:
            (_bound_mask if op.name == ATTENTION else _share_columns)(op)
    for function in functions_with_body(module):
        for view in list(function.regions[0].blocks[0].operations):
            if view.operation.name == WHERE:
                _drop_guard(view.operation)


def _calls(module: ir.Module, *names: str) -> list[ir.Operation]:
    return [op.operation for f in functions_with_body(module) for op in f.regions[0].blocks[0].operations if op.operation.name in names]


def _bound_mask(op: ir.Operation) -> None:
    """attention(..., mask) -> attention(..., where(mask == -inf, mask, clamp_min(mask, -1e38))) on GPUs, if a row may be masked
    completely"""
    mask = aten_ops.arguments(op)["attn_mask"]
    info = None if mask is None else TensorInfo.of(mask.type)
    if info is None or info.device == "cpu" or info.dtype not in ("float32", "bfloat16") or every_row_has_a_column(mask):
        return
    bounded = call_before(op, "aten.clamp_min.default", {"self": mask, "min": LOWEST_ON_GPU})
    missing = call_before(op, "aten.eq.Scalar", {"self": mask, "other": float("-inf")})
    kept = call_before(op, "aten.where.self", {"condition": missing, "self": mask, "other": bounded})
    op.operands[list(op.operands).index(mask)] = kept


def _share_columns(op: ir.Operation) -> None:
    """backward(g, ..., mask) -> backward(where(amax(mask) < -5e29, g / n, g), ..., mask) if a row of n columns may be masked completely

    The operator computes a weight as exp(score - log(sum)). If all scores are the mask's number, adding the logarithm of n to it changes
    nothing, so each weight is 1 instead of 1 / n. The gradients are linear in g.
    """
    arguments = aten_ops.arguments(op)
    mask, gradient = arguments["attn_mask"], arguments["grad_out"]
    if mask is None or every_row_has_a_column(mask):
        return
    last, columns = TensorInfo.of(mask.type).rank - 1, TensorInfo.of(arguments["key"].type).sizes[-2]
    highest = call_before(op, "aten.amax.default", {"self": mask, "dim": [last], "keepdim": True})
    masked = call_before(op, "aten.lt.Scalar", {"self": highest, "other": LOWEST / 2})
    share = call_before(op, "aten.div.Tensor", {"self": gradient, "other": columns})
    shared = call_before(op, "aten.where.self", {"condition": masked, "self": share, "other": gradient})
    op.operands[list(op.operands).index(gradient)] = shared
    mark_stale(op)


def _drop_guard(op: ir.Operation) -> None:
    """where(amax(mask) == -inf, nan, x) -> x for a mask that is nowhere -inf, or not in a complete row"""
    condition, number, value = op.operands
    chain = []
    for name in (EQUAL, MAXIMUM):
        if not isinstance(condition, ir.OpResult) or condition.owner.name != name:
            return
        chain.append(condition.owner)
        condition = condition.owner.operands[0]
    missing = uniform_value(number)
    if missing is None or missing == missing or aten_ops.arguments(chain[0])["other"] != float("-inf"):
        return
    needless = TensorInfo.of(value.type) == TensorInfo.of(op.result.type) and (is_finite(condition) or every_row_has_a_column(condition))
    if needless and may_rewrite("removal", op):
        value.set_type(op.result.type)  # equal, but the text may differ
        op.result.replace_all_uses_with(value)
        for dead in (op, *chain):
            if not list(dead.result.uses):
                dead.erase()


register_pass("fuse-attention", fuse_attention)
