"""Calls that a pass puts before another call, with its identity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch_mlir import ir

from ...dialects import aten_ops
from ...dialects.narrowing import function_of
from ..analysis.infer_metadata import TypeInference
from ..analysis.node_identity import identity
from ..refresh_metadata import set_types


def call_before(op: ir.Operation, name: str, arguments: Mapping[str, Any], inference: TypeInference | None = None) -> ir.Value:
    """The result of a new call before `op`, with the identity of `op`; its type is inferred. Raises `MetaFailed` if the operator refuses
    the operands."""
    made = aten_ops.create(name, arguments, [op.results[0].type], op.location, ir.InsertionPoint(op), identity(op))
    set_types(made, inference or TypeInference(function_of(op)))
    return made.result
