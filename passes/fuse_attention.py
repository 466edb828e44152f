"""`fuse-attention`: attention that is computed step by step becomes `scaled_dot_product_attention`, where that is equal.

For a row that a mask excludes completely (-inf in every column) eager's softmax gives NaN, the fused operator zeros: the patterns restore
the NaN, and this pass removes the guard if the graph shows that there is no such row. For a row that is masked by a very low number eager
computes equal weights, the fused operator's GPU kernels zeros: there masks get a lower bound. On the CPU the fused gradient of such a row
counts every column completely: the gradient is divided by their number.
"""

from __future__ import annotations

import re
from typing import Any

from torch_mlir import ir

from ..dialects import aten_ops
from ..dialects.aten import TensorInfo
from ..dialects.narrowing import function_of
from ..dialects.size_bounds import lowest_size
from .analysis.alias_analysis import functions
from .analysis.constant_values import constant_array
from .analysis.possible_values import possible_values
from .analysis.uniform_values import uniform
from .patterns.engine import pattern_set
from .patterns.engine.pattern_matching import Match
from .patterns.engine.pattern_rewriting import pattern_pass
from .refresh_metadata import mark_stale
from .registry import register_pass
from .rewriting.new_calls import call_before

WHERE, EQUAL, MAXIMUM = (aten_ops.op_name(f"aten.{n}") for n in ("where.self", "eq.Scalar", "amax.default"))
ATTENTION = aten_ops.op_name("aten.scaled_dot_product_attention.default")
GRADIENT = aten_ops.op_name("aten._scaled_dot_product_flash_attention_for_cpu_backward.default")
# In float32 a masked score this low is equal to the mask's value, whatever the score was.
LOWEST = -1e30
# Lower values become -inf when GPU kernels multiply them by log2(e) in float32.
LOWEST_ON_GPU = -1e38
# Patterns in which masked scores have a separate value.
FILLED = re.compile(r"module @\w+_(kept|dropped|filled)")
# Of these, the patterns whose mask says which scores are masked, not which are kept.
DROPPED = re.compile(r"attention_\w+_(dropped|filled)")


def fuse_attention(module: ir.Module) -> None:
    """Applies the patterns, and removes guards that are not needed."""
    given = {op.results[0] for op in _calls(module, ATTENTION, GRADIENT)}
    _apply(module)
    for op in _calls(module, ATTENTION, GRADIENT):
        if op.results[0] not in given:
            (_bound_mask if op.name == ATTENTION else _share_columns)(op)
    for function in functions(module):
        for view in list(function.regions[0].blocks[0].operations):
            if view.operation.name == WHERE:
                _drop_guard(view.operation)


def _calls(module: ir.Module, *names: str) -> list[ir.Operation]:
    return [op.operation for f in functions(module) for op in f.regions[0].blocks[0].operations if op.operation.name in names]


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
    missing = uniform(number)
    if missing is None or missing == missing or aten_ops.arguments(chain[0])["other"] != float("-inf"):
        return
    if TensorInfo.of(value.type) == TensorInfo.of(op.result.type) and (is_finite(condition) or every_row_has_a_column(condition)):
        value.set_type(op.result.type)  # equal, but the text may differ
        op.result.replace_all_uses_with(value)
        for dead in (op, *chain):
            if not list(dead.result.uses):
                dead.erase()


def is_finite(value: Any) -> bool:
    """Whether the graph shows that no element of a value is infinite or NaN."""
    found = possible_values(value)
    return found is not None and all(abs(number) < float("inf") for number in found)


def is_lowest_or_zero(value: Any) -> bool:
    """Whether the graph shows that each element of a value is 0, or one number so low that adding a score does not change it."""
    found = possible_values(value)
    if found is None:
        return False
    low = min(found)
    return found <= {0.0, low} and (low == 0 or -float("inf") < low <= LOWEST)


def pays(match: Match) -> bool:
    """Whether the fused operator has its own kernel for the operands: rows of q, k and v are dense."""
    infos = [TensorInfo.of(v.type) for n, v in match.inputs.items() if n in ("q", "v")]
    infos.append(TensorInfo.of(match.inputs["k"].type))
    rows = [infos[0].strides[-1], infos[1].strides[-1], infos[2].strides[-2]]  # the pattern takes k transposed
    return rows == [1, 1, 1] and infos[0].dtype != "float64"


def fills(match: Match) -> bool:
    """Whether the value of masked scores is so low that adding a score does not change it."""
    number = uniform(match.inputs["fill"]) if "fill" in match.inputs else match.scalars["fill"]
    return pays(match) and isinstance(number, (int, float)) and number <= LOWEST


def leaves_no_row_out(match: Match) -> bool:
    """Whether gradients are equal too.

    The operators with gradients are the CPU's. They compute a row's weights from the logarithm of its sum, which is lost beside the value
    of a mask. So no row may be masked completely, except by masks whose numbers `_share_columns` knows.
    """
    filled = "fill" in match.inputs or "fill" in match.scalars
    if match.info("q").device != "cpu" or not (fills(match) if filled else pays(match)) or may_be_empty(match):
        return False
    mask = match.inputs.get("mask")
    if mask is None:
        return True
    if match.info("mask").rank not in ((2, 4) if match.info("q").rank == 4 else (3,)):
        return False  # the operators accept no other
    return every_row_has_a_column(mask, not DROPPED.match(match.name)) or (not filled and is_lowest_or_zero(mask))


def may_be_empty(match: Match) -> bool:
    """Whether there may be no heads, rows or keys: the operators with gradients divide by these numbers."""
    function = function_of(match.operations[0])
    sizes = [*match.info("q").sizes[-3:-1], match.info("v").sizes[-2]]
    return any(lowest_size(size, function) < 1 for size in sizes)


def every_row_has_a_column(mask: ir.Value, kept: bool = True) -> bool:
    """Whether the graph shows that a mask leaves some column of every row unmasked. The mask is added, or its booleans are `kept` there."""
    value = constant_array(mask)
    if value is None or not value.size:
        return False
    if TensorInfo.of(mask.type).dtype == "bool":
        return bool((value == kept).any(-1).all())
    return bool((value.max(-1) == 0).all())


for _pattern in pattern_set.read("attention_training"):
    pattern_set.add(pattern_set.from_text(_pattern, "fuse-attention", leaves_no_row_out))
for _pattern in pattern_set.read("attention"):
    pattern_set.add(pattern_set.from_text(_pattern, "fuse-attention", fills if FILLED.search(_pattern) else pays))
_apply = pattern_pass("fuse-attention")
register_pass("fuse-attention", fuse_attention)
