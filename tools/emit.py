"""The output of `mlirind-opt --emit`: each GPU kernel as Triton IR, or as the PTX that Triton compiles it to."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

from torch_mlir import ir

from ..dialects import aten_ops
from ..dialects.locations import position
from ..dialects.narrowing import text
from ..errors import MlirindError
from ..lowering.rules import RULES
from ..lowering.rules.calls import call_reason
from ..lowering.tt.text import kernel_text
from ..passes.analysis.alias_analysis import shared
from ..passes.driver import Diagnostic
from ..triton_settings import TRITON_OPTIONS

KINDS = ("mlir", "ttir", "ptx")


def check_target(target: str) -> None:
    """Raises MlirindError if `target` is not the name of an NVIDIA architecture that Triton supports."""
    if not re.fullmatch(r"sm_\d{2,3}", target) or int(target.removeprefix("sm_")) < 75:
        raise MlirindError(f"--target={target}: the architecture of an NVIDIA GPU is wanted, sm_75 or later (sm_80, sm_90)")


def emit(module: ir.Module, kind: str, target: str) -> str:
    """The module as `kind`. `target`: the architecture of PTX ("sm_90")."""
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
    """A remark for each operator and kernel that has no Triton IR, except views: its name, the reason, its source position."""
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
        return f"{text(op.attributes['target'])} stays with ATen ({text(op.attributes['reason'])})"
    if op.name == "loop.func":
        why = text(op.attributes["unsupported"]) if "unsupported" in op.attributes else "--lower-loop-to-tt has not run"
        return f"the kernel @{text(op.attributes['sym_name'])} is a loop.func ({why})"
    if op.name == "loop.kernel":
        return "a loop.kernel is no function yet (--convert-to-host has not run)"
    if not aten_ops.is_operator(op) or next(shared(op.opview), None):
        return None
    name = aten_ops.pytorch_name(op)
    if "aten.reason" in op.attributes:
        return f"{name} stays with ATen ({text(op.attributes['aten.reason'])})"
    if name in RULES:
        return f"{name} is no kernel yet (--convert-aten-to-loop has not run)"
    return f"{name} stays with ATen ({call_reason(name)})"


def triton_kernel(func: ir.Operation, target: str) -> Any:
    """Compiles a `tt.func` with Triton for `target`, without a GPU. Triton's cache is a temporary folder."""
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
