"""`convert-loop-to-cpu`: each `loop.func` becomes a function of vector code on bare pointers; `@mlirind_kernels` lists them."""

from __future__ import annotations

from torch_mlir import ir

from ...dialects.narrowing import text
from ...options import Options
from ...passes.registry import register_pass
from ...passes.working_on import works_on_operation
from ..kernel.analysis import read_kernel
from .builder import Builder
from .functions import emit_kernel, emit_table
from .target import Target, target_for

# The module's attribute for the target features, if they are not those of the environment.
TARGET = "mlirind.target_features"


def convert_loop_to_cpu(module: ir.Module) -> None:
    """Runs the conversion."""
    told = module.operation.attributes
    target = target_for(text(told[TARGET]) if TARGET in told else Options().target_features)
    functions = [op.operation for op in module.body.operations if op.operation.name == "loop.func"]
    builder = Builder(module)
    emit_table(builder, [_convert(op, builder, target) for op in functions])


@works_on_operation
def _convert(op: ir.Operation, builder: Builder, target: Target) -> str:
    """Replaces a `loop.func` by its function; returns the kernel's name."""
    kernel = read_kernel(op)
    emit_kernel(builder, target, kernel)
    op.erase()
    return kernel.name


register_pass("convert-loop-to-cpu", convert_loop_to_cpu)
