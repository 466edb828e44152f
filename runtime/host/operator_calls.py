"""Python source for a `host.call`: the operator's overload and its arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch_mlir import ir

from ...bridge.opaque_calls import OpaqueCall, opaque_call
from ...bridge.operators import overload
from ...dialects import aten
from ...dialects.aten_names import is_opaque
from ...dialects.host import INTO
from ...dialects.narrowing import Attributes, array, integer, text
from ...torch_internals.operators import schema_of
from .size_source import size_source

_ENUMERATIONS: dict[str, Callable[[str], Any]] = {
    "dtype": lambda name: getattr(torch, name),
    "layout": lambda name: getattr(torch, name),
    "memory_format": lambda name: getattr(torch, name),
    "device": torch.device,
}


class Constants:
    """The objects that generated code refers to by name."""

    def __init__(self) -> None:
        self.namespace: dict[str, Any] = {}
        self._names: dict[Any, str] = {}

    def name(self, value: Any, prefix: str = "c") -> str:
        """The name of `value`, which is kept alive. The same object gets the same name."""
        key = (type(value), repr(value)) if isinstance(value, (float, complex, torch.dtype, torch.device)) else id(value)
        if key not in self._names:
            self._names[key] = f"{prefix}_{len(self._names)}"
            self.namespace[self._names[key]] = value
        return self._names[key]


def call_source(attributes: Attributes, tensors: Sequence[str], constants: Constants) -> str:
    """The source of a `host.call` with these attributes; `tensors`: the names of its operands. Trailing defaults are omitted."""
    into = integer(attributes[INTO]) if INTO in attributes else None
    operator = overload(text(attributes["target"]))
    schema = schema_of(operator)
    positional, named = [], []
    for argument, attribute in zip(schema.arguments, array(attributes["arguments"]), strict=True):
        source = _argument(attribute, tensors, constants)
        default = argument.default_value if argument.has_default_value() else _Missing
        if argument.kwarg_only:
            if not _is_default(source, default):
                named.append(f"{argument.name}={source}")
        else:
            positional.append((source, default))
    if schema.name == "aten::as_strided_scatter":  # refuses tensors that autograd tracks, such as the graph's inputs, unless contiguous
        positional[0] = (f"{positional[0][0]}.detach()", _Missing)
    while positional and _is_default(*positional[-1]):
        positional.pop()
    if into is not None:
        operator = overload(text(attributes["target"]).removesuffix("default") + "out")
        named.append(f"out={tensors[into]}")
    if is_opaque(text(attributes["target"])):
        return f"{constants.name(_opaque(attributes), 'opaque')}.run({', '.join(s for s, _ in positional)})"
    return f"{constants.name(operator, 'op')}({', '.join([*(s for s, _ in positional), *named])})"


def _opaque(attributes: Attributes) -> OpaqueCall:
    """The opaque call that a `host.call` makes; code that refers to it keeps it alive."""
    return opaque_call(integer(next(iter(array(attributes["arguments"])))))


class _Missing:
    """No default."""


def _is_default(source: str, default: Any) -> bool:
    return default is not _Missing and isinstance(default, (int, float, bool, type(None), list)) and source == repr(default)


def _argument(attribute: ir.Attribute, tensors: Sequence[str], constants: Constants) -> str:
    if isinstance(attribute, aten.Operand):
        return tensors[attribute.index.maybe_downcast().value]
    if isinstance(attribute, ir.ArrayAttr):
        return "[" + ", ".join(_argument(a, tensors, constants) for a in attribute) + "]"
    if isinstance(attribute, aten.NoneValue):
        return "None"
    if isinstance(attribute, aten.Expr):
        return size_source(aten.size_of(attribute))
    if isinstance(attribute, aten.Enum):
        kind, value = attribute.kind.maybe_downcast().value, attribute.value.maybe_downcast().value
        return constants.name(_ENUMERATIONS[kind](value))
    if isinstance(attribute, aten.Complex):
        return constants.name(complex(attribute.real.maybe_downcast().value, attribute.imag.maybe_downcast().value))
    if isinstance(attribute, ir.FloatAttr):
        source = repr(attribute.value)
        return source if source.strip("-") not in ("inf", "nan") else constants.name(attribute.value)
    assert isinstance(attribute, (ir.IntegerAttr, ir.BoolAttr, ir.StringAttr)), attribute
    return repr(attribute.value)


def results_source(attributes: Attributes, names: Sequence[str]) -> str:
    """The target of the assignment that unpacks a call's results into `names`, one for each tensor; empty if the call only writes."""
    returns = schema_of(overload(text(attributes["target"]))).returns
    if not returns or not names:
        return "_"
    is_list = [str(r.type).startswith("List") for r in returns]
    count = len(names) - (len(returns) - sum(is_list))
    rest, parts = list(names), []
    for listed in is_list:
        size = count if listed else 1
        part, rest = rest[:size], rest[size:]
        parts.append(f"[{', '.join(part)}]" if listed else part[0])
    return parts[0] if len(parts) == 1 else ", ".join(parts)
