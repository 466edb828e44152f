"""`convert-cpu-to-llvm`: arith, math, vector and scf in the kernels become LLVM."""

from __future__ import annotations

from torch_mlir import ir
from torch_mlir.passmanager import PassManager

from ...passes.registry import register_pass

PIPELINE = "builtin.module(convert-scf-to-cf,convert-to-llvm,reconcile-unrealized-casts)"


def convert_cpu_to_llvm(module: ir.Module) -> None:
    """Runs the conversion; a graph function in the module stays as it is."""
    graphs = [op.operation for op in module.body.operations if op.operation.name == "func.func"]
    for graph in graphs:
        graph.detach_from_parent()
    PassManager.parse(PIPELINE).run(module.operation)
    for graph in graphs:
        module.body.append(graph)


register_pass("convert-cpu-to-llvm", convert_cpu_to_llvm)
