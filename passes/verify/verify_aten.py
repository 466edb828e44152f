"""`verify-aten`: checks every rule of the `aten` level; errors are diagnostics at the op's location."""

from torch_mlir import ir

from ...dialects.verify_aten import verify_function
from ..registry import register_pass
from .verify_ir import report


def verify_aten(module: ir.Module) -> None:
    """Emits a diagnostic for every broken rule, then raises `InvalidIR` if there was one."""
    functions = [op.operation for op in module.body.operations if op.operation.name == "func.func"]
    report([broken for function in functions for broken in verify_function(function)])


register_pass("verify-aten", verify_aten)
