"""The compiler of kernels: equal ones once, groups of them, and failures that are errors rather than jumps to nowhere."""

import pytest
import torch
from kernel_text import CompiledText, KernelText
from mlirind.dialects.context import compile_context
from mlirind.errors import UnsupportedGraph
from mlirind.options import Options
from mlirind.runtime.jit import compile_module, native_addresses
from torch_mlir import ir


def scaled(factor: float) -> KernelText:
    kernel = KernelText(["f32"], ["f32"], ["100"])
    constant = kernel.op(f"arith.constant {factor:e} : f32")
    kernel.store(1, kernel.op(f"arith.mulf {kernel.load(0, 'd0')}, {constant} : f32"), "d0")
    return kernel


def test_equal_kernels_are_compiled_once() -> None:
    text = scaled(3.0).text("first") + scaled(4.0).text("second") + scaled(3.0).text("third")
    with compile_context():
        first, second, third = compile_module(ir.Module.parse(text))
        (again,) = compile_module(ir.Module.parse(scaled(4.0).text("other")))
        (elsewhere,) = compile_module(ir.Module.parse(scaled(4.0).text()), Options(target_features="-avx512f"))
    assert first == third != second == again != elsewhere


def test_many_kernels_in_groups() -> None:
    """More than one group is compiled; each kernel gets its own address."""
    factors = [0.5 + n for n in range(23)]
    with compile_context():
        addresses = compile_module(ir.Module.parse("".join(scaled(f).text(f"k{n}") for n, f in enumerate(factors))))
    x = torch.randn(100)
    for factor, address in zip(factors, addresses, strict=True):
        out = torch.empty(100)
        assert CompiledText(address, 2, 0)(x, out) == 0
        assert torch.equal(out, x * factor)


def test_a_symbol_that_is_found_nowhere_is_an_error() -> None:
    text = """
    llvm.func @no_such_function()
    llvm.func @mlirind_kernels(%table: !llvm.ptr) {
      llvm.call @no_such_function() : () -> ()
      llvm.return
    }"""
    with compile_context(), pytest.raises(UnsupportedGraph, match="does not exist"):
        native_addresses([ir.Module.parse(text)], [1])


def test_an_operation_without_code_is_an_error() -> None:
    kernel = KernelText(["f32", "i32"], ["f32"], ["10"])
    power = kernel.op(f"math.fpowi {kernel.load(0, 'd0')}, {kernel.load(1, 'd0')} : f32, i32")
    kernel.store(2, power, "d0")
    with pytest.raises(UnsupportedGraph, match=r"math\.fpowi"):
        kernel.compile()
