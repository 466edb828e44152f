"""The calls of the fused operator that replace attention which is written out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ....dialects.aten import TensorInfo
from ...analysis.refused import Refused
from ..engine.planned_calls import Planned, PlannedCall
from .step_forms import transposed_dims

if TYPE_CHECKING:
    from .written_attention import WrittenAttention

FLASH = "aten._scaled_dot_product_flash_attention_for_cpu.default"
FLASH_GRADIENT = "aten._scaled_dot_product_flash_attention_for_cpu_backward.default"


def fused(attention: WrittenAttention) -> list[Planned]:
    """The result, or with gradients also the gradients of q, k (transposed) and v. Raises `Refused` if the scale can't be an argument."""
    tensors: dict[str, Planned | None] = {
        # The value of a tensor is unknown: it scales q.
        "query": _scaled(attention, attention.q) if attention.scaled_by_tensor else attention.q,
        "key": _transposed(attention, attention.k),
        "value": attention.v,
        "attn_mask": _bias(attention),
    }
    if attention.merged:
        tensors = {name: None if t is None else _with_batch(t) for name, t in tensors.items()}
    return _with_gradients(attention, tensors) if attention.gradients is not None else [_guarded(attention, tensors)]


def _guarded(attention: WrittenAttention, tensors: dict[str, Any]) -> Planned:
    """The operator's result, and NaN in rows that the mask excludes completely."""
    result = PlannedCall("aten.scaled_dot_product_attention.default", {**tensors, "scale": _factor(attention)})
    if attention.mask is not None:
        last = 3 if attention.merged else TensorInfo.of(attention.mask.value("mask").type).rank - 1
        highest = PlannedCall("aten.amax.default", {"self": tensors["attn_mask"], "dim": [last], "keepdim": True})
        excluded = PlannedCall("aten.eq.Scalar", {"self": highest, "other": -math.inf})
        nan = _number(attention, math.nan, attention.half or "float32")
        result = PlannedCall("aten.where.self", {"condition": excluded, "self": nan, "other": result})
    return _without_batch(result) if attention.merged else result


def _with_gradients(attention: WrittenAttention, tensors: dict[str, Any]) -> list[Planned]:
    assert attention.gradients is not None
    options = {"dropout_p": 0.0, "is_causal": False, "attn_mask": tensors.pop("attn_mask"), "scale": _factor(attention)}
    forward = PlannedCall(FLASH, {**tensors, **options}, 2)
    tangent = _with_batch(attention.gradients.tangent) if attention.merged else attention.gradients.tangent
    saved = {"out": forward.result(0), "logsumexp": forward.result(1)}
    backward = PlannedCall(FLASH_GRADIENT, {"grad_out": tangent, **tensors, **saved, **options}, 3)
    results: list[Planned] = [forward.result(0), *(backward.result(n) for n in range(3))]
    result, q, k, v = map(_without_batch, results) if attention.merged else results
    return [result, _scaled(attention, q) if attention.scaled_by_tensor else q, _transposed(attention, k), v]


def _scaled(attention: WrittenAttention, value: Planned) -> Planned:
    assert attention.scale is not None
    name = "aten.mul.Tensor" if attention.scale.name == "multiplied" else "aten.div.Tensor"
    return PlannedCall(name, {"self": value, "other": attention.scale.of["scale"]})


def _factor(attention: WrittenAttention) -> Any:
    """The operator's factor for the scores."""
    if attention.scale is None or attention.scaled_by_tensor:
        return 1.0
    scale = attention.scale.of["scale"]
    if attention.scale.name == "multiplied":
        return scale
    if not isinstance(scale, (int, float)) or scale == 0:
        raise Refused(f"the factor 1 / {scale}")
    return 1.0 / scale


def _bias(attention: WrittenAttention) -> Planned | None:
    """The mask that is added to the scores."""
    if attention.mask is None:
        return None
    mask, fill = attention.mask.value("mask"), attention.mask.of.get("fill")
    if fill is None:
        return mask
    if attention.mask_name == "filled":
        fill, zero = _number(attention, fill, "float32"), _number(attention, 0.0, "float32")
    else:
        info = TensorInfo.of(attention.q.type)
        arguments = {"size": [], "dtype": attention.half or "float32", "device": info.device, "pin_memory": False}
        zero = PlannedCall("aten.zeros.default", arguments)
    kept, dropped = (zero, fill) if attention.mask_name == "kept" else (fill, zero)
    return PlannedCall("aten.where.self", {"condition": mask, "self": kept, "other": dropped})


def _number(attention: WrittenAttention, number: float, dtype: str) -> PlannedCall:
    arguments = {"s": number, "dtype": dtype, "layout": "strided", "device": TensorInfo.of(attention.q.type).device}
    return PlannedCall("aten.scalar_tensor.default", arguments)


def _transposed(attention: WrittenAttention, value: Planned) -> Planned:
    return PlannedCall("aten.permute.default", {"self": value, "dims": transposed_dims(attention.rank)})


def _with_batch(value: Planned) -> Planned:
    return PlannedCall("aten.unsqueeze.default", {"self": value, "dim": 0})


def _without_batch(value: Planned) -> Planned:
    return PlannedCall("aten.squeeze.dims", {"self": value, "dim": [0]})
