"""The forms in which attention is written and their replacements, as functions, traced to patterns: what `fuse-attention` is compared
with."""

from __future__ import annotations

import functools
import inspect
import itertools
import math
import unittest.mock
from dataclasses import dataclass

import torch
from mlirind.frontend.patterns import pattern_tracing
from mlirind.passes.pipeline import PATTERN_FORM

SCALES = {
    "plain": lambda scores, _: scores,
    "multiplied": lambda scores, scale: scores * scale,
    "divided": lambda scores, scale: scores / scale,
    # By a 0-dimensional tensor, whose value is unknown.
    "multiplied_by_tensor": lambda scores, scale: scores * scale,
    "divided_by_tensor": lambda scores, scale: scores / scale,
}
# The scores of a masked attention: the mask is added, or selects.
MASKS = {
    "unmasked": lambda scores: scores,
    "added": lambda scores, mask: scores + mask,
    "added_to_product": lambda scores, mask: scores,  # the operator that multiplies adds it
    "kept": lambda scores, mask, fill: torch.where(mask, scores, fill),
    "dropped": lambda scores, mask, fill: torch.where(mask, fill, scores),
    "filled": lambda scores, mask, fill: scores.masked_fill(mask, fill),
}
# For each, the mask that is added to the scores.
BIASES = {
    "unmasked": lambda: None,
    "added": lambda mask: mask,
    "added_to_product": lambda mask: mask,
    "kept": lambda mask, fill: torch.where(mask, torch.zeros((), dtype=fill.dtype, device=fill.device), fill),
    "dropped": lambda mask, fill: torch.where(mask, fill, torch.zeros((), dtype=fill.dtype, device=fill.device)),
    "filled": lambda mask, fill: torch.where(mask, fill, 0.0),
}

# `aten.scaled_dot_product_attention` under another name: tracing would decompose it for the device of the examples.
_library = torch.library.Library("mlirindwhole", "DEF")
_library.define(
    "scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, "
    "bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor"
)
_library.impl("scaled_dot_product_attention", torch.nn.functional.scaled_dot_product_attention, "Meta")


@dataclass(frozen=True)
class Form:
    """One form; `rank`: dims of the mask. For a dtype narrower than float32 the softmax is computed in float32. `merged`: batch and heads
    are one dimension. `joint`: with the gradients of q, k and v."""

    scale: str
    mask: str
    rank: int = 4
    dtype: torch.dtype = torch.float32
    joint: bool = False
    merged: bool = False

    @property
    def upcast(self):
        return self.dtype != torch.float32

    @property
    def name(self):
        suffixes = ["training"] * self.joint + ["merged"] * self.merged + ["of_rank_2"] * (self.rank == 2)
        suffixes += [str(self.dtype).removeprefix("torch.")] * self.upcast
        return "_".join(["attention", self.scale, self.mask, *suffixes])

    def functions(self):
        """The search function, its replacement, the example tensors and numbers by name."""
        tensors, numbers = _examples(self.scale, self.mask, self.rank, self.dtype, self.merged)
        for name in ("q", "k", "v"):
            tensors[name].requires_grad_(self.joint)
        names = [*tensors, *numbers]
        search, replace = (functools.partial(f, self) for f in (_search, _replace))
        return _with_names("search", search, names), _with_names("replace", replace, names), tensors, numbers

    def text(self, trace=pattern_tracing.trace_pattern, **options):
        """The form and its replacement as the text of a pattern. With gradients there is no guard: no row may be masked completely."""
        search, replace, tensors, numbers = self.functions()
        with unittest.mock.patch.object(pattern_tracing, "PATTERN_FORM", [*PATTERN_FORM, "raise-matmul", *PATTERN_FORM]):
            text = trace(self.name, search, replace, list(tensors.values()), joint=self.joint, scalars=numbers, **options)
        return text.replace("aten.lib_mlirindwhole_scaled_dot_product_attention", "aten.scaled_dot_product_attention")


def inference():
    """The forms without gradients."""
    for scale, mask in itertools.product(SCALES, [m for m in MASKS if m != "added_to_product"]):
        yield Form(scale, mask)
        if scale.endswith("tensor"):
            continue
        if mask != "unmasked":
            yield Form(scale, mask, 2)
        yield Form(scale, mask, dtype=torch.bfloat16)
        yield Form(scale, mask, dtype=torch.float16)
    for scale, mask in _merged():
        yield Form(scale, mask, 3, merged=True)


def _merged():
    """The scales and masks with batch and heads as one dimension."""
    yield "plain", "added_to_product"
    yield from itertools.product(("plain", "multiplied", "divided"), ("unmasked", "added", "filled"))


def training():
    """The forms with the gradients of q, k and v."""
    for scale in SCALES:
        for mask in (m for m in MASKS if m != "added_to_product"):
            yield Form(scale, mask, joint=True)
        if scale.endswith("tensor"):
            continue
        for mask in ("unmasked", "added"):
            yield Form(scale, mask, dtype=torch.bfloat16, joint=True)
    for scale, mask in _merged():
        if mask != "filled":
            yield Form(scale, mask, 3, joint=True, merged=True)


def _search(form, q, k, v, *masks, scale_):
    added = form.mask == "added_to_product"
    product = torch.baddbmm(*masks, q, k) if added else torch.bmm(q, k) if form.merged else q @ k
    scores = MASKS[form.mask](SCALES[form.scale](product, scale_), *masks)
    weights = torch.softmax(scores, -1, dtype=torch.float32).to(form.dtype) if form.upcast else torch.softmax(scores, -1)
    return torch.bmm(weights, v) if form.merged else weights @ v


def _replace(form, q, k, v, *masks, scale_):
    bias = BIASES[form.mask](*masks)
    factor = {"multiplied": lambda: scale_, "divided": lambda: 1.0 / scale_}.get(form.scale, lambda: 1.0)()
    query, key = SCALES[form.scale](q, scale_) if form.scale.endswith("tensor") else q, k.transpose(-2, -1)
    if form.merged:
        query, key, v, bias = (None if t is None else t.unsqueeze(0) for t in (query, key, v, bias))
    operator = torch.nn.functional if form.joint else torch.ops.mlirindwhole
    result = operator.scaled_dot_product_attention(query, key, v, bias, scale=factor)
    if not form.joint and bias is not None:
        result = torch.where(bias.amax(-1, keepdim=True) == -math.inf, math.nan, result)
    return result.squeeze(0) if form.merged else result


def _examples(scale, mask, rank, dtype, merged):
    """The example tensors and numbers by name."""
    heads = (4,) if merged else (2, 3)
    tensors = {n: torch.randn(*heads, *rows, dtype=dtype) for n, rows in (("q", (5, 7)), ("k", (6, 7)), ("v", (6, 7)))}
    tensors["k"] = tensors["k"].mT  # so that its rows are dense for the fused operator
    numbers = {}
    if mask != "unmasked":
        tensors["mask"] = torch.zeros((2, 4 if merged else 3, 5, 6)[4 - rank :], dtype=dtype if mask.startswith("added") else torch.bool)
    if mask in ("kept", "dropped"):
        tensors["fill"] = torch.zeros((), dtype=dtype)
    if mask == "filled":
        numbers["fill"] = -0.7213
    if scale.endswith("tensor"):
        tensors["scale"] = torch.ones((), dtype=dtype)
    elif scale != "plain":
        numbers["scale"] = 0.3127
    return tensors, numbers


def _with_names(role, function, names):
    """The function with these parameters; all but the scale are passed by position."""

    def call(*args, **kwargs):
        given = dict(zip(names, args, strict=False)) | kwargs
        return function(*(given[n] for n in names if n != "scale"), scale_=given.get("scale"))

    call.__name__ = role
    parameters = [inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in names]
    call.__signature__ = inspect.Signature(parameters)
    return call
