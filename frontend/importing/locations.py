"""Source locations of graph nodes: the user's line, and the name of the module whose forward it belongs to."""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Iterator
from typing import Any

from torch import fx
from torch_mlir import ir

from ...dialects.locations import SourcePosition
from ...errors import RefusedArguments, UnsupportedGraph

_FRAME = re.compile(r'File "(.*)", line (\d+)')


class Locations:
    """Locations in the current context, by node."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], ir.Location] = {}

    def of(self, meta: dict[str, Any]) -> ir.Location:
        """The location that a node's `meta` says."""
        key = (meta.get("stack_trace") or "", _module_name(meta))
        location = self._known.get(key)
        if location is None:
            location = self._known[key] = _make(*key)
        return location


@contextlib.contextmanager
def reasons_at(node: fx.Node) -> Iterator[None]:
    """An `UnsupportedGraph` that is raised inside says that the node is the reason."""
    try:
        yield
    except UnsupportedGraph as error:
        error.at = error.at or described_node(node)
        error.node = "" if isinstance(error, RefusedArguments) else error.node or node.name
        raise


def described_node(node: fx.Node) -> str:
    """The node's name and the user's source line: "`sin` of model.py:12: x.sin()"."""
    frame = re.search(r'.*File "(.*)", line (\d+), in [^\n]*\n\s*([^\n]*)', node.meta.get("stack_trace") or "", re.DOTALL)
    return f"`{node.name}` of {frame[1]}:{frame[2]}: {frame[3].strip()}" if frame else f"`{node.name}`"


def _module_name(meta: dict[str, Any]) -> str:
    stack = meta.get("nn_module_stack") or meta.get("fwd_nn_module_stack")
    return clean_module_name(next(reversed(stack.values()))[0]) if stack else ""


@functools.lru_cache(maxsize=4096)
def clean_module_name(path: str) -> str:
    """`L['self']._modules['layers']._modules['0'].linear` -> `layers.0.linear`."""
    path = re.sub(r"\._modules\['(.*?)'\]", r".\1", path)
    path = re.sub(r"\['(.*?)'\]", r".\1", path)
    path = re.sub(r"\[(\d+)\]", r".\1", path)
    return re.sub(r"^(L\.(self|fn)\b\.?|L__self___?|G\.)", "", path) or "model"


def frames(meta: dict[str, Any]) -> list[SourcePosition]:
    """The lines of the calls that made a node, outermost first."""
    return [SourcePosition(file, int(line), 0) for file, line in _FRAME.findall(meta.get("stack_trace") or "")]


def _make(stack_trace: str, module_name: str) -> ir.Location:
    found = _FRAME.findall(stack_trace)
    line = ir.Location.file(found[-1][0], int(found[-1][1]), 0) if found else ir.Location.unknown()
    return ir.Location.name(module_name, line) if module_name else line
