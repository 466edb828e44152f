"""Attention under a mask that keeps every score, computed from numbers alone, becomes attention without a mask.

Hugging Face models make such masks when they are captured (`arange(n)[:, None] >= 0`), and none in eager mode. PyTorch has no fused kernel
on GPUs for a mask that is expanded along its last dimension, so attention would be computed step by step. The pass works on the graph of
torch functions: AOTAutograd chooses the kernels.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import torch
from torch import fx
from torch.nn.functional import scaled_dot_product_attention

# Functions and methods that compute from their arguments and write nothing.
_FUNCTIONS = frozenset({
    torch.arange, torch.ones, torch.zeros, torch.full, torch.logical_and, torch.logical_or, torch.unsqueeze,
    operator.add, operator.sub, operator.mul, operator.ge, operator.gt, operator.le, operator.lt, operator.eq, operator.ne,
    operator.and_, operator.or_, operator.getitem,
})  # fmt: skip
_METHODS = frozenset({"expand", "view", "reshape", "unsqueeze", "bool", "logical_and", "logical_or", "contiguous"})
LARGEST = 1 << 24  # elements of a mask that is computed here


def drop_true_masks(graph_module: fx.GraphModule, device: str = "cuda") -> int:
    """attention(q, k, v, mask) -> attention(q, k, v) for tensors on `device`; returns how many calls were changed: none in a module that is
    no graph, as compiled autograd gives it."""
    if not isinstance(graph_module, fx.GraphModule):
        return 0
    known: dict[fx.Node, torch.Tensor | None] = {}
    changed = 0
    for node in graph_module.graph.find_nodes(op="call_function", target=scaled_dot_product_attention):
        mask = node.kwargs.get("attn_mask", node.args[3] if len(node.args) > 3 else None)
        if isinstance(mask, fx.Node) and _fits(node, mask, device) and _keeps_all(mask, known):
            node.args = node.args if len(node.args) <= 3 else (*node.args[:3], None, *node.args[4:])
            node.kwargs = {name: None if name == "attn_mask" else value for name, value in node.kwargs.items()}
            changed += 1
    if changed:
        graph_module.recompile()
    return changed


def _fits(node: fx.Node, mask: fx.Node, device: str) -> bool:
    """Whether the call is on `device`, and its mask, which has known sizes, does not broadcast the scores."""
    q, k, kept = (_example(value) for value in (*node.args[:2], mask)) if len(node.args) >= 2 else (None, None, None)
    if q is None or k is None or kept is None or q.device.type != device or kept.dtype != torch.bool:
        return False
    sizes = [*q.shape[:-1], k.shape[-2]]
    if not all(type(s) is int for s in (*sizes, *kept.shape)) or len(kept.shape) > len(sizes):
        return False
    return all(s in (1, w) for s, w in zip(reversed(kept.shape), reversed(sizes), strict=False))


def _example(value: Any) -> torch.Tensor | None:
    found = value.meta.get("example_value") if isinstance(value, fx.Node) else None
    return found if isinstance(found, torch.Tensor) else None


def _keeps_all(mask: fx.Node, known: dict[fx.Node, torch.Tensor | None]) -> bool:
    while mask.target == "expand" and _is_pure(mask) and isinstance(mask.args[0], fx.Node):
        mask = mask.args[0]  # equal elements
    value = _computed(mask, known)
    return value is not None and value.dtype == torch.bool and bool(value.all())


def _computed(node: fx.Node, known: dict[fx.Node, torch.Tensor | None]) -> torch.Tensor | None:
    """The value of a node that depends on numbers alone, on the CPU; None if it does not, is large, or may be written."""
    if node not in known:
        known[node] = _compute(node, known)
    return known[node]


def _compute(node: fx.Node, known: dict[fx.Node, torch.Tensor | None]) -> torch.Tensor | None:
    example = _example(node)
    if example is None or not _is_pure(node) or not _is_small(example.shape):
        return None
    values = {source: _computed(source, known) for source in node.all_input_nodes}
    if any(value is None for value in values.values()):
        return None
    args, kwargs = fx.map_arg((node.args, dict(node.kwargs)), lambda source: values[source])
    if "device" in kwargs:
        kwargs = {**kwargs, "device": "cpu"}
    if node.op == "call_method":
        found = getattr(args[0], str(node.target))(*args[1:], **kwargs)
    else:
        found = node.target(*args, **kwargs)
    return found if isinstance(found, torch.Tensor) else None


def _is_small(sizes: Sequence[Any]) -> bool:
    count = 1
    for size in sizes:
        count *= size if type(size) is int else LARGEST + 1
    return count <= LARGEST


def _is_pure(node: fx.Node) -> bool:
    """Whether a call writes nothing, nor does a call that takes its result or a view of that."""
    return _computes(node) and all(user.target is scaled_dot_product_attention or _is_pure(user) for user in node.users)


def _computes(node: fx.Node) -> bool:
    if node.op == "call_method":
        return node.target in _METHODS
    return node.op == "call_function" and node.target in _FUNCTIONS and "out" not in node.kwargs
