"""What `mlirind-opt --emit` prints in place of the module: each GPU kernel's text for Triton, or the PTX that Triton makes of it."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

from torch_mlir import ir

from ..dialects import aten_ops
from ..dialects.locations import position
from ..errors import MlirindError
from ..lowering.rules import RULES
from ..lowering.rules.calls import call_reason
from ..lowering.tt.text import TRITON_OPTIONS, kernel_text
from ..passes.alias_analysis import shared
from ..passes.driver import Diagnostic

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
        staying = [remark.message for remark in without_kernels(module)]
        why = "there are none" + (f", for {'; '.join(dict.fromkeys(staying))}" if staying else "")
        raise MlirindError(f"--emit={kind} prints the kernels that --lower-loop-to-tt makes: {why}")
    if kind == "ttir":
        return "\n".join(kernel_text(op) for op in functions)
    return "\n".join(triton_kernel(op, target).asm["ptx"] for op in functions)


def without_kernels(module: ir.Module) -> list[Diagnostic]:
    """For each operator and kernel that is not in Triton's IR, views aside: what it is and why, where it comes from."""
    found: list[Diagnostic] = []

    def look(op: ir.Operation) -> ir.WalkResult:
        message = _staying(op)
        if message:
            found.append(Diagnostic(message, position(op.location)))
        return ir.WalkResult.ADVANCE

    module.operation.walk(look)
    return found


def _staying(op: ir.Operation) -> str | None:
    if op.name == "host.call":
        return f"{op.attributes['target'].value} stays with ATen ({op.attributes['reason'].value})"
    if op.name == "loop.func":
        why = op.attributes["unsupported"].value if "unsupported" in op.attributes else "--lower-loop-to-tt has not run"
        return f"the kernel @{op.attributes['sym_name'].value} is a loop.func ({why})"
    if op.name == "loop.kernel":
        return "a loop.kernel is no function yet (--convert-to-host has not run)"
    if not aten_ops.is_operator(op) or next(shared(op.opview), None):
        return None
    name = aten_ops.pytorch_name(op)
    if "aten.reason" in op.attributes:
        return f"{name} stays with ATen ({op.attributes['aten.reason'].value})"
    if name in RULES:
        return f"{name} is no kernel yet (--convert-aten-to-loop has not run)"
    return f"{name} stays with ATen ({call_reason(name)})"


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
