"""`convert-loop-to-cpu`: each `loop.func` becomes a function of vector code on bare pointers; `@mlirind_kernels` lists them."""

from __future__ import annotations

from torch_mlir import ir

from ...dialects.narrowing import text
from ...options import Options
from ...passes.registry import register_pass
from ..kernel.analysis import read_kernel
from .builder import Builder
from .functions import emit_kernel, emit_table
from .target import target_for

# The module's attribute for the target features, if they are not those of the environment.
TARGET = "mlirind.target_features"


def convert_loop_to_cpu(module: ir.Module) -> None:
    """Runs the conversion."""
    told = module.operation.attributes
    target = target_for(text(told[TARGET]) if TARGET in told else Options().target_features)
    functions = [op.operation for op in module.body.operations if op.operation.name == "loop.func"]
    kernels = [read_kernel(op) for op in functions]
    for op in functions:
        op.erase()
    builder = Builder(module)
    for kernel in kernels:
        emit_kernel(builder, target, kernel)
    emit_table(builder, [kernel.name for kernel in kernels])


register_pass("convert-loop-to-cpu", convert_loop_to_cpu)
