"""PyTorch's operators and arguments, from names and values of the `aten` dialect."""

from __future__ import annotations

from typing import Any

import torch

from ..dialects.aten_schema import Argument, Schema
from .ordered_forms import form_named


def overload(name: str) -> torch._ops.OpOverload:
    """The operator with a name like "aten.add.Tensor"."""
    namespace, base, overload_name = name.split(".")
    return getattr(getattr(getattr(torch.ops, namespace), base), overload_name)


def operator_of(schema: Schema) -> torch._ops.OpOverload:
    """The operator of a schema."""
    return form_named(schema.name) if schema.takes_token else overload(schema.name)


def to_torch(value: Any, argument: Argument) -> Any:
    """An argument as PyTorch expects it: the inverse of the importer's `plain_argument`."""
    if isinstance(value, list):
        return [to_torch(v, argument) for v in value]
    if not isinstance(value, str) or argument.kind == "str":
        return value
    return torch.device(value) if argument.kind == "device" else getattr(torch, value)
