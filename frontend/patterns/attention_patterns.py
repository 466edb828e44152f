"""The forms in which attention is written, and their replacement: the sources of `passes/patterns/texts/attention.pdl.mlir`."""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import torch

from .pattern_tracing import trace_pattern

SCALES: dict[str, Callable[[torch.Tensor, Any], torch.Tensor]] = {
    "plain": lambda scores, _: scores,
    "multiplied": lambda scores, scale: scores * scale,
    "divided": lambda scores, scale: scores / scale,
    # By a 0-dimensional tensor, whose value is unknown.
    "multiplied_by_tensor": lambda scores, scale: scores * scale,
    "divided_by_tensor": lambda scores, scale: scores / scale,
}
# The scores of a masked attention: the mask is added, or selects.
MASKS: dict[str, Callable[..., torch.Tensor]] = {
    "unmasked": lambda scores: scores,
    "added": lambda scores, mask: scores + mask,
    "added_to_product": lambda scores, mask: scores,  # the operator that multiplies adds it
    "kept": lambda scores, mask, fill: torch.where(mask, scores, fill),
    "dropped": lambda scores, mask, fill: torch.where(mask, fill, scores),
    "filled": lambda scores, mask, fill: scores.masked_fill(mask, fill),
}
# For each, the mask that is added to the scores.
BIASES: dict[str, Callable[..., torch.Tensor | None]] = {
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


def inference() -> Iterator[str]:
    """The texts of the patterns without gradients."""
    for scale, mask in itertools.product(SCALES, [m for m in MASKS if m != "added_to_product"]):
        yield _pattern(scale, mask, 4, torch.float32)
        if scale.endswith("tensor"):
            continue
        if mask != "unmasked":
            yield _pattern(scale, mask, 2, torch.float32)
        narrow = _pattern(scale, mask, 4, torch.bfloat16)
        yield narrow
        # The same except for the name: nothing in a pattern depends on how its type rounds.
        yield narrow.replace("bf16", "f16").replace("bfloat16", "float16")
    for scale, mask in _merged():
        yield _pattern(scale, mask, 3, torch.float32, merged=True)


def _merged() -> Iterator[tuple[str, str]]:
    """The forms with batch and heads as one dimension."""
    yield "plain", "added_to_product"
    yield from itertools.product(("plain", "multiplied", "divided"), ("unmasked", "added", "filled"))


def training() -> Iterator[str]:
    """The texts of the patterns with the gradients of q, k and v."""
    for scale in SCALES:
        for mask in (m for m in MASKS if m != "added_to_product"):
            yield _pattern(scale, mask, 4, torch.float32, joint=True)
        if scale.endswith("tensor"):
            continue
        for mask in ("unmasked", "added"):
            yield _pattern(scale, mask, 4, torch.bfloat16, joint=True)
    for scale, mask in _merged():
        if mask != "filled":
            yield _pattern(scale, mask, 3, torch.float32, joint=True, merged=True)


def _pattern(scale: str, mask: str, rank: int, dtype: torch.dtype, joint: bool = False, merged: bool = False) -> str:
    """One form; `rank`: dims of the mask. For a dtype narrower than float32 the softmax is computed in float32. `merged`: batch and heads
    are one dimension.

    With gradients there is no guard: the pattern's check requires a mask that masks no complete row, and the CPU.
    """
    upcast = dtype != torch.float32
    suffixes = ["training"] * joint + ["merged"] * merged + ["of_rank_2"] * (rank == 2) + [str(dtype).removeprefix("torch.")] * upcast

    def search(q: Any, k: Any, v: Any, *masks: Any, scale_: Any) -> torch.Tensor:
        product = torch.baddbmm(*masks, q, k) if mask == "added_to_product" else torch.bmm(q, k) if merged else q @ k
        scores = MASKS[mask](SCALES[scale](product, scale_), *masks)
        weights = torch.softmax(scores, -1, dtype=torch.float32).to(dtype) if upcast else torch.softmax(scores, -1)
        return torch.bmm(weights, v) if merged else weights @ v

    def replace(q: Any, k: Any, v: Any, *masks: Any, scale_: Any) -> torch.Tensor:
        bias = BIASES[mask](*masks)
        factor = {"multiplied": lambda: scale_, "divided": lambda: 1.0 / scale_}.get(scale, lambda: 1.0)()
        query, key = SCALES[scale](q, scale_) if scale.endswith("tensor") else q, k.transpose(-2, -1)
        if merged:
            query, key, v, bias = (None if t is None else t.unsqueeze(0) for t in (query, key, v, bias))
        operator = torch.nn.functional if joint else torch.ops.mlirindwhole
        result = operator.scaled_dot_product_attention(query, key, v, bias, scale=factor)
        if not joint and bias is not None:
            result = torch.where(bias.amax(-1, keepdim=True) == -math.inf, math.nan, result)
        return result.squeeze(0) if merged else result

    tensors, numbers = _examples(scale, mask, rank, dtype, merged)
    for name in ("q", "k", "v"):
        tensors[name].requires_grad_(joint)
    return trace_pattern(
        "_".join(["attention", scale, mask, *suffixes]),
        _with_names(search, [*tensors, *numbers]),
        _with_names(replace, [*tensors, *numbers]),
        list(tensors.values()),
        joint=joint,
        scalars=numbers,
        any_size=["mask"],
        prepare=["raise-matmul"],
    ).replace("aten.lib_mlirindwhole_scaled_dot_product_attention", "aten.scaled_dot_product_attention")


def _examples(scale: str, mask: str, rank: int, dtype: torch.dtype, merged: bool) -> tuple[dict[str, torch.Tensor], dict[str, float]]:
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


def _with_names(function: Callable[..., torch.Tensor], names: list[str]) -> Callable[..., torch.Tensor]:
    """The function of these parameters; all but the scale are passed by position."""

    def call(*args: Any, **kwargs: Any) -> torch.Tensor:
        given = dict(zip(names, args, strict=False)) | kwargs
        return function(*(given[n] for n in names if n != "scale"), scale_=given.get("scale"))

    call.__name__ = function.__name__
    parameters = [inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in names]
    signed: Any = call
    signed.__signature__ = inspect.Signature(parameters)
    return call
