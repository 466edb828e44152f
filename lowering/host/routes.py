"""How a native function calls an operator: by the C function that libtorch exports for it, by its bodies' native code, or by Python."""

from __future__ import annotations

from torch_mlir import ir

from ...dialects import aten_ops, aten_registry
from ...dialects.aten import TensorInfo
from ...dialects.aten_schema import Schema
from ...dialects.dtypes import FLOATS
from ...dialects.host import CONTROL
from ...dialects.narrowing import array, text
from .c_arguments import ANY_GPU, CArgument, NoCForm, plan
from .shims import Shim, find_shim

PYTHON = "Python"  # the route of an operator without a C function
BODIES = "native code"  # the route of control flow whose bodies are native functions

# Operators of complex tensors that are called in C: the views with which kernels read and write parts.
_COMPLEX_VIEWS = frozenset({"aten.view_as_real.default", "aten.view_as_complex.default"})


def schema_of(op: ir.OpView) -> Schema | None:
    """The schema of the operator that a `host.call` calls."""
    return aten_registry.schema_by_name(aten_ops.op_name(text(op.attributes["target"])))


def c_call(op: ir.OpView) -> tuple[Shim, list[CArgument]] | None:
    """The C function for a `host.call`, with its arguments; None if Python has to make the call."""
    schema = schema_of(op)
    if schema is None:
        return None
    infos = [TensorInfo.of(v.type) for v in [*op.operands, *op.results] if isinstance(v.type, ir.RankedTensorType)]
    devices, dtypes = {i.device.partition(":")[0] for i in infos}, {i.dtype for i in infos}
    scalars = any(a.kind == "Scalar" for a in schema.arguments)
    of_complex = schema.name not in _COMPLEX_VIEWS and any(d.startswith("complex") for d in dtypes)
    if len(devices) != 1 or of_complex or (scalars and not dtypes <= set(FLOATS)):
        return None
    if any(a.writes for a in schema.arguments) or any(r.kind not in ("Tensor", "int") or r.is_list for r in schema.returns):
        return None
    shim = find_shim(schema.name, devices.pop())
    if shim is None or shim.results != len(schema.returns):
        return None
    try:
        return shim, plan(schema, list(array(op.attributes["arguments"])), shim, _runs_on_any_gpu(op))
    except NoCForm:
        return None


def _runs_on_any_gpu(op: ir.OpView) -> bool:
    function = op.operation.parent
    return function is not None and function.parent is not None and ANY_GPU in function.parent.attributes


def route(op: ir.OpView) -> str:
    """The name of the C function for a `host.call`, or `PYTHON` or `BODIES`."""
    if CONTROL in op.attributes:
        return BODIES
    found = c_call(op)
    return PYTHON if found is None else found[0].name
