"""What `mlirind-opt --emit` prints in place of the module: each GPU kernel's text for Triton, or the PTX that Triton makes of it."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

from torch_mlir import ir

from ..errors import MlirindError
from ..lowering.tt.text import TRITON_OPTIONS, kernel_text

KINDS = ("mlir", "ttir", "ptx")


def check_target(target: str) -> None:
    """Raises MlirindError for what is no name of an NVIDIA GPU's architecture that Triton makes kernels for."""
    if not re.fullmatch(r"sm_\d{2,3}", target) or int(target.removeprefix("sm_")) < 75:
        raise MlirindError(f"--target={target}: the architecture of an NVIDIA GPU is wanted, sm_75 or later (sm_80, sm_90)")


def emit(module: ir.Module, kind: str, target: str) -> str:
    """The module as `kind`; `target` ("sm_90") is what PTX is made for."""
    if kind == "mlir":
        return str(module)
    functions = [op.operation for op in module.body.operations if op.operation.name == "tt.func"]
    if not functions:
        raise MlirindError(f"--emit={kind} prints the kernels that --lower-loop-to-tt makes: there are none")
    if kind == "ttir":
        return "\n".join(kernel_text(op) for op in functions)
    return "\n".join(triton_kernel(op, target).asm["ptx"] for op in functions)


def triton_kernel(func: ir.Operation, target: str) -> Any:
    """Triton's compiled kernel of a `tt.func`, for a named target: no GPU is needed. Its cache lies in a folder that is deleted."""
    try:
        import triton
        from triton.backends.compiler import GPUTarget
    except ImportError as error:
        raise MlirindError("Triton is not installed: pip install triton") from error
    options = {name: ir.IntegerAttr(func.attributes[name]).value for name in ("num_warps", "num_stages")}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "kernel.ttir")
        path.write_text(kernel_text(func))
        with triton.knobs.cache.scope():
            triton.knobs.cache.dir = folder
            gpu = GPUTarget("cuda", int(target.removeprefix("sm_")), 32)
            return triton.compile(str(path), target=gpu, options={**options, **TRITON_OPTIONS})
