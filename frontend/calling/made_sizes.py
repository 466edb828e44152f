"""Checks the results of a call that makes sizes from data: the graph after it is compiled for what its fake function declares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import fx

from ...bridge import symbols
from ...bridge.tensor_types import tensor_info
from ...dialects.aten import Size, TensorInfo, symbol
from ...dialects.aten_names import is_pytorchs
from ...errors import UnsupportedGraph
from ...runtime.host.refused_results import readable, refuse_result


def result_check(node: fx.Node) -> Callable[[Any], Sequence[Any]]:
    """A function that returns the results of the node's call as a list. It raises `ResultNotAsDeclared` for a tensor with another dtype,
    device or number of dimensions than declared, or other sizes, as far as these are known, or larger ones than allowed."""
    target = str(node.target)
    value = node.meta.get("val")
    declared = list(value) if isinstance(value, (list, tuple)) else [value]
    infos = [tensor_info(v) if isinstance(v, torch.Tensor) else None for v in declared]
    if not is_pytorchs(target) and any(not _is_plain(s) for info in infos if info for s in info.sizes):
        raise UnsupportedGraph(f"sizes of results of {target} that are computed from sizes that depend on data")

    most = _most(declared, infos)

    def check(results: Any) -> Sequence[Any]:
        listed = list(results) if isinstance(results, (list, tuple)) else [results]
        seen: dict[Size, int] = {}
        for number, (result, info) in enumerate(zip(listed, infos, strict=True)):
            if info is None:
                continue
            result = listed[number] = readable(target, "", result)
            sizes = [
                s if isinstance(s, int) else seen.setdefault(s, min(actual, most.get(s, actual)))
                for s, actual in zip(info.sizes, result.shape, strict=False)
            ]
            dtype, device = getattr(torch, info.dtype), torch.device(info.device)
            if list(result.shape) != sizes or len(sizes) != info.rank or result.dtype != dtype or result.device != device:
                refuse_result(target, "", f"result {number + 1}", result, sizes, None, dtype, device)
        return listed

    return check


def _most(declared: Sequence[Any], infos: Sequence[TensorInfo | None]) -> dict[Size, int]:
    """The largest values that the symbols among the sizes may have."""
    found: dict[Size, int] = {}
    for value, info in zip(declared, infos, strict=True):
        names = {s.name for s in info.sizes if not isinstance(s, int) and s.is_Symbol} if info else set()
        if names:
            facts = symbols.symbol_facts(value.fake_mode.shape_env, names)
            found |= {symbol(name): highest for name, (_, highest, _) in facts.items()}
    return found


def _is_plain(size: Size) -> bool:
    return isinstance(size, int) or bool(size.is_Symbol)
