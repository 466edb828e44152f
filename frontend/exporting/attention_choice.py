"""Which of PyTorch's kernels computes attention in a program that was exported for a GPU without one at hand.

In eager mode PyTorch asks the GPU. These rules hold on all GPUs that a library can be for (compute capability 8.0 and later); they follow
the conditions in `aten/src/ATen/native/transformers/cuda/sdp_utils.cpp`.
"""

from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F

from ...errors import NotALibrary

_HALVES = (torch.float16, torch.bfloat16)
_ALIGNED = 16  # elements: rows of a mask begin at multiples of this


def attention_on_gpus(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attn_mask: torch.Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> torch.Tensor:
    """`aten.scaled_dot_product_attention` of [batch, heads, rows, width] as a call of one kernel, or written out. Raises NotALibrary."""
    if dropout_p:
        raise NotALibrary("aten.scaled_dot_product_attention.default with dropout: compile the program on a machine with a GPU")
    if enable_gqa:
        key, value = (t.repeat_interleave(query.size(-3) // t.size(-3), -3) for t in (key, value))
    given = {"is_causal": is_causal, "scale": scale}
    half = query.dtype in _HALVES
    widths = (query.shape[-1], key.shape[-1], value.shape[-1])
    aligned = all(isinstance(width, int) and width % (8 if half else 4) == 0 for width in widths)
    if query.dim() != 4 or not aligned or (is_causal and attn_mask is not None):
        return _written_out(query, key, value, attn_mask, is_causal, scale)
    square = not is_causal or _equal(query.shape[2], key.shape[2])
    if half and attn_mask is None and square and len(set(widths)) == 1 and widths[0] <= 256:
        return torch.ops.aten._scaled_dot_product_flash_attention.default(query, key, value, 0.0, **given)[0]
    bias = None if attn_mask is None else _bias(attn_mask, query, key)
    return torch.ops.aten._scaled_dot_product_efficient_attention.default(query, key, value, bias, False, 0.0, **given)[0]


def _equal(a: Any, b: Any) -> bool:
    """Whether two sizes are equal for all values of symbols."""
    if isinstance(a, int) and isinstance(b, int):
        return a == b
    return not isinstance(a, int) and not isinstance(b, int) and bool(a.node.expr == b.node.expr)


def _bias(mask: torch.Tensor, query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    """A mask as numbers to add, with rows that begin at aligned addresses."""
    bias = _numbers(mask, query.dtype)
    columns = key.shape[2]
    if bias.shape[-1] != columns:  # one column for all keys
        bias = bias.expand(*bias.shape[:-1], columns)
    if not isinstance(columns, int) or columns % _ALIGNED:
        bias = F.pad(bias, (0, -columns % _ALIGNED)).narrow(-1, 0, columns)
    return bias.expand(query.shape[0], query.shape[1], query.shape[2], columns)


def _numbers(mask: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    if mask.dtype != torch.bool:
        return mask.to(dtype)
    kept, hidden = (torch.full((), number, dtype=dtype, device=mask.device) for number in (0.0, -math.inf))
    return torch.where(mask, kept, hidden)


def _written_out(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor | None, is_causal: bool, scale: float | None
) -> torch.Tensor:
    """As PyTorch's kernel without fusion: half types in float32; rows in which everything is masked give 0."""
    dtype = query.dtype
    factor = math.sqrt(1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    query, key, value = (t.float() if dtype in _HALVES else t for t in (query, key, value))
    scores = (query * factor) @ (key * factor).transpose(-2, -1)
    if is_causal:
        visible = torch.ones(scores.shape[-2:], dtype=torch.bool, device=query.device).tril()
        mask = visible if mask is None else mask
    if mask is None:
        return (scores.softmax(-1) @ value).to(dtype)
    scores = scores + _numbers(mask, scores.dtype)
    hidden = torch.eq(scores.amax(-1, keepdim=True), -math.inf)
    return (scores.softmax(-1).masked_fill(hidden, 0.0) @ value).to(dtype)
