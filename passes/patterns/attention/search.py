"""Finds attention that is written out, from its softmax."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from torch_mlir import ir

from ....dialects.aten import TensorInfo
from ..engine.pattern_conversion import block_of
from ..engine.pattern_matching import elements
from .step_forms import (
    ADDED_TO_PRODUCT,
    MASKS,
    PRODUCTS,
    SCALES,
    SOFTMAX,
    AttentionStep,
    Form,
    conversion_form,
    made_by,
    read_step,
    same,
    softmax_form,
    softmax_gradient_form,
    transposed_dims,
    transposed_form,
    used_by,
    zero_form,
)
from .written_attention import Gradients, WrittenAttention

HALF_TYPES = ("bfloat16", "float16")


def written_attentions(function: ir.OpView) -> list[WrittenAttention]:
    """The attentions in a function; where there are gradients, with and without them."""
    return [a for view in block_of(function).operations if view.operation.name == SOFTMAX for a in _around(view.operation)]


def _around(op: ir.Operation) -> Iterator[WrittenAttention]:
    """The attentions of one softmax."""
    rank = TensorInfo.of(op.results[0].type).rank
    softmax = read_step(softmax_form(rank), op)
    if softmax is None or rank not in (3, 4):
        return
    for attention in _of_softmax(softmax):
        yield attention
        gradients = _gradients(attention, softmax)
        if gradients is not None:
            yield replace(attention, gradients=gradients)


def _of_softmax(softmax: AttentionStep) -> Iterator[WrittenAttention]:
    scores, weights, half, others = softmax.value("scores"), softmax, None, [softmax]
    widened = next(made_by([conversion_form("float32")], scores), None)
    if widened is not None:
        scores = widened.value("value")
        half = TensorInfo.of(scores.type).dtype
        narrowed = used_by([conversion_form(half)], softmax.result)
        if narrowed is None or half not in HALF_TYPES:
            return
        weights, others = narrowed, [widened, softmax, narrowed]
    for product, scale, mask in _of_scores(scores):
        result = used_by([_product_form(product)], weights.result, left=weights.result)
        if result is not None:
            yield WrittenAttention(product, scale, mask, result, others, half)


def _of_scores(scores: ir.Value) -> Iterator[tuple[AttentionStep, AttentionStep | None, AttentionStep | None]]:
    """The ways to read a value as a product, a scale and a mask."""
    for product in made_by([ADDED_TO_PRODUCT], scores):
        yield product, None, product
    for mask in (None, *made_by(MASKS, scores)):
        scaled = scores if mask is None else mask.of["scores"]
        for scale in (None, *made_by(SCALES, scaled)):
            for product in made_by(PRODUCTS, scaled if scale is None else scale.of["scores"]):
                yield product, scale, mask


def _product_form(product: AttentionStep) -> Form:
    """The form of the other products of an attention."""
    return PRODUCTS[1] if product.form == ADDED_TO_PRODUCT else product.form


def _gradients(attention: WrittenAttention, softmax: AttentionStep) -> Gradients | None:
    """The gradients of q, k and v: a step back for each step of the forward."""
    form, weights = _product_form(attention.product), attention.result.value("left")
    transposed = used_by([transposed_form(attention.rank)], weights)
    of_v = transposed and used_by([form], transposed.result, left=transposed.result)
    of_softmax = used_by([softmax_gradient_form(attention.rank)], softmax.result, weights=softmax.result)
    if transposed is None or of_v is None or of_softmax is None:
        return None
    tangent = of_v.value("right")
    before = _before_softmax(attention, of_softmax, tangent)
    after = _after_softmax(attention, of_softmax)
    if before is None or after is None:
        return None
    scores = after[-1].result
    of_q, of_k = used_by([form], scores, left=scores), used_by([form], scores, right=scores)
    if of_q is None or of_k is None:
        return None
    if not (_are_transposed(of_q.of["right"], attention.k) and _are_transposed(of_k.of["left"], attention.q)):
        return None
    return Gradients(of_q, of_k, of_v, [transposed, *before, *after], tangent)


def _before_softmax(attention: WrittenAttention, of_softmax: AttentionStep, tangent: ir.Value) -> list[AttentionStep] | None:
    """The steps from the tangent to the gradient of the weights."""
    value, steps = of_softmax.value("gradient"), []
    if attention.half is not None:
        widened = next(made_by([conversion_form("float32")], value), None)
        if widened is None:
            return None
        value, steps = widened.value("value"), [widened]
    product = next(made_by([_product_form(attention.product)], value), None)
    if product is None or product.of["left"] != tangent or not _are_transposed(product.of["right"], attention.v):
        return None
    return [product, *steps]


def _after_softmax(attention: WrittenAttention, of_softmax: AttentionStep) -> list[AttentionStep] | None:
    """The steps from the gradient of the softmax to that of the product. A scale or mask goes back as the same call, with zeros where the
    mask put a number; an added mask as none."""
    steps = [of_softmax]
    if attention.half is not None:
        narrowed = used_by([conversion_form(attention.half)], of_softmax.result)
        if narrowed is None:
            return None
        steps.append(narrowed)
    if attention.mask is not None and "fill" in attention.mask.of:
        back = used_by([attention.mask.form], steps[-1].result, scores=steps[-1].result, mask=attention.mask.of["mask"])
        zero = None if back is None else _zero(back.of["fill"], TensorInfo.of(attention.q.type).device)
        if back is None or zero is None:
            return None
        steps += [*zero, back]
    if attention.scale is not None:
        forms = [f for f in SCALES if f.name == attention.scale.name]
        back = used_by(forms, steps[-1].result, scores=steps[-1].result, scale=attention.scale.of["scale"])
        if back is None:
            return None
        steps.append(back)
    return steps


def _zero(fill: Any, device: str) -> list[AttentionStep] | None:
    """The steps that make the number of a mask's gradient, or None if it is not zero."""
    if same(fill, 0):
        return []
    zero = next(made_by([zero_form(device), zero_form(None)], fill), None)
    return None if zero is None else [zero]


def _are_transposed(one: ir.Value, other: ir.Value) -> bool:
    """Whether one value has the elements of the other with the last two dimensions exchanged."""
    source, order = elements(other)
    return elements(one) == (source, [order[d] for d in transposed_dims(len(order))])
