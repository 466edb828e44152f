"""FX graphs and symbolic sizes, beyond their documented interface."""

from __future__ import annotations

import contextlib
import inspect
from typing import Any

from torch import fx

from .entries import private

make_graph_module = private(
    "torch.fx._lazy_graph_module._make_graph_module",
    "generates a graph's Python code at its first run",
    "the code is generated at once",
    fx.GraphModule,
)
_Lazy = private(
    "torch.fx._lazy_graph_module._LazyGraphModule",
    "regenerates a graph's Python code",
    "errors of kernels have no ATen message",
)
use_lazy_graph_modules = private(
    "torch.fx._lazy_graph_module._use_lazy_graph_module",
    "generates the code of the partitioned graphs at their first run",
    "the code is generated at once",
    lambda lazy: contextlib.nullcontext(),
)
_symbol_is_type = private(
    "torch.utils._sympy.symbol.symbol_is_type", "whether a symbol is a size or unbacked", "it is taken from the first letter of its name"
)
_kinds = private(
    "torch.utils._sympy.symbol.SymT", "whether a symbol is a size or unbacked", "it is taken from the first letter of its name"
)
replace_symbol = private(
    "torch.fx.experimental.symbolic_shapes.ShapeEnv._set_replacement",
    "gradients have the sizes of their outputs, where these depend on data",
    "a backward that needs to know it runs through FX",
    probe=lambda replace: list(inspect.signature(replace).parameters) == ["self", "a", "tgt", "msg"],
)
# Higher-order operators in graphs of Dynamo and AOTAutograd. If PyTorch lacks one, no graph contains it.
_STAYS = "graphs with such calls run through FX"
auto_functionalized = private(
    "torch._higher_order_ops.auto_functionalize.auto_functionalized", "calls of custom operators that write arguments", _STAYS, object()
)
auto_functionalized_v2 = private(
    "torch._higher_order_ops.auto_functionalize.auto_functionalized_v2", "calls of custom operators that write arguments", _STAYS, object()
)
triton_kernel_wrapper = private(
    "torch._higher_order_ops.triton_kernel_wrap.triton_kernel_wrapper_functional", "users' Triton kernels", _STAYS, object()
)
kernel_side_table = private("torch._higher_order_ops.triton_kernel_wrap.kernel_side_table", "users' Triton kernels", _STAYS)
run_and_save_rng_state = private(
    "torch._prims.rng_prims.run_and_save_rng_state", "random numbers that a checkpoint draws again", _STAYS, object()
)
run_with_rng_state = private("torch._prims.rng_prims.run_with_rng_state", "random numbers that a checkpoint draws again", _STAYS, object())


def force_recompile(graph_module: fx.GraphModule) -> bool:
    """Marks a graph's Python code to be generated again at its next run; returns False if this PyTorch has no lazy graph modules."""
    if _Lazy is None:
        return False
    _Lazy.force_recompile(graph_module)
    return True


def _is_kind(symbol: Any, kind: str, letter: str) -> bool:
    if _symbol_is_type is None or _kinds is None:
        return str(symbol.name).startswith(letter)
    return bool(_symbol_is_type(symbol, getattr(_kinds, kind)))


def is_size_symbol(symbol: Any) -> bool:
    """Whether a symbol stands for a size for which PyTorch has an example (a backed size)."""
    return _is_kind(symbol, "SIZE", "s")


def is_unbacked_symbol(symbol: Any) -> bool:
    """Whether a symbol stands for an integer for which PyTorch has no example (an unbacked one)."""
    return _is_kind(symbol, "UNBACKED_INT", "u")


def is_unbacked_float_symbol(symbol: Any) -> bool:
    """Whether a symbol stands for a float for which PyTorch has no example."""
    return _is_kind(symbol, "UNBACKED_FLOAT", "zuf")
