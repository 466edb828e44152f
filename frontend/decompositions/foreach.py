"""Decompositions of the functional `_foreach_*` operators into the operator on each tensor: an optimizer's step becomes kernels.

A call of `_foreach_*` reads all tensors of its lists. The operators on single tensors whose results nobody reads vanish from AOTAutograd's
graph, and with them what computed these tensors, and its errors. So a decomposition also calls `mlirindused::tensors`, which does nothing
and stays in the graph until AOTAutograd has removed what is unused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import fx

from ...torch_internals.operators import schema_of

# What each operator does to the elements of its lists; numbers and single tensors are passed to every call.
_UNARY = (
    "abs", "acos", "asin", "atan", "ceil", "cos", "cosh", "erf", "erfc", "exp", "expm1", "floor", "frac", "lgamma", "log", "log10",
    "log1p", "log2", "neg", "reciprocal", "round", "rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
)  # fmt: skip
_FUNCTIONS: dict[str, Callable[..., torch.Tensor]] = {
    **{name: getattr(torch, name) for name in _UNARY},
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "div": torch.div,
    "pow": torch.pow,
    "lerp": torch.lerp,
    "clamp_min": torch.clamp_min,
    "clamp_max": torch.clamp_max,
    "maximum": lambda t, other: torch.maximum(t, other) if isinstance(other, torch.Tensor) else torch.clamp_min(t, other),
    "minimum": lambda t, other: torch.minimum(t, other) if isinstance(other, torch.Tensor) else torch.clamp_max(t, other),
    "copy": lambda t, source, non_blocking=False: torch.ops.aten.copy.default(t, source),
    "zero": torch.zeros_like,
    "norm": lambda t, ord=2, dtype=None: torch.linalg.vector_norm(t, ord, dtype=dtype),
    "addcmul": lambda t, a, b, value=1: torch.addcmul(t, a, b, value=value),
    "addcdiv": lambda t, a, b, value=1: torch.addcdiv(t, a, b, value=value),
}


_library = torch.library.Library("mlirindused", "FRAGMENT")
_library.define("tensors(Tensor[] tensors) -> ()")
_library.impl("tensors", lambda tensors: None, "CompositeExplicitAutograd")
torch.library.register_fake("mlirindused::tensors", lambda tensors: None, lib=_library)
USED = torch.ops.mlirindused.tensors.default
fx.has_side_effect(USED)


def erase_uses(graph_module: fx.GraphModule) -> None:
    """Removes the calls of `mlirindused::tensors` from a graph, in place. What computes their tensors stays."""
    for node in graph_module.graph.find_nodes(op="call_function", target=USED):
        graph_module.graph.erase_node(node)


def foreach_decompositions() -> dict[torch._ops.OpOverload, Callable[..., Any]]:
    """The decompositions by operator overload."""
    table = {}
    for name, function in _FUNCTIONS.items():
        packet = getattr(torch.ops.aten, f"_foreach_{name}")
        for overload in packet.overloads():
            operator = getattr(packet, overload)
            if not overload.endswith("out") and not _takes_numbers_as_tensor(operator):
                table[operator] = _for_each(function)
    return table


def _takes_numbers_as_tensor(operator: torch._ops.OpOverload) -> bool:
    """Whether the numbers are passed as a tensor, whose elements are known only at run time."""
    return any(a.name == "scalars" and isinstance(a.type, torch.TensorType) for a in schema_of(operator).arguments)


def _for_each(function: Callable[..., torch.Tensor]) -> Callable[..., list[torch.Tensor]]:
    def decomposition(*args: Any, **kwargs: Any) -> list[torch.Tensor]:
        lists = [a for a in args if isinstance(a, (list, tuple))]
        length = len(lists[0])
        if length > 1:
            USED([t for tensors in lists for t in tensors if isinstance(t, torch.Tensor)])
        calls = ([a[i] if isinstance(a, (list, tuple)) else a for a in args] for i in range(length))
        return [function(*call, **kwargs) for call in calls]

    return decomposition
