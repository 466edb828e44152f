"""The compiler of kernels: equal ones once, groups of them, and failures that are errors rather than jumps to nowhere."""

import gc
import weakref
from unittest import mock

import pytest
import torch
from kernel_text import CompiledText, KernelText
from mlirind.dialects.context import compile_context
from mlirind.errors import UnsupportedGraph
from mlirind.options import Options
from mlirind.runtime.cpu.jit import Engine, compile_module, level_of, native_code
from mlirind.tools.backends import find_backend
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


def test_code_goes_with_its_last_holder() -> None:
    """What a process compiles and drops, again and again, does not stay in its memory."""
    with compile_context():
        (address,) = compile_module(ir.Module.parse(scaled(1234.5).text()))
        engine = weakref.ref(address.kernel.engine)
        (again,) = compile_module(ir.Module.parse(scaled(1234.5).text("other")))
        assert again.kernel is address.kernel
        del address
        assert CompiledText(again, 2, 0)(torch.ones(100), torch.empty(100)) == 0
        del again
    gc.collect()
    assert engine() is None


def test_a_compiled_function_takes_its_code_with_it() -> None:
    torch.compile(lambda x: x + 1, backend=find_backend("mlirind"))(torch.ones(3))  # what is compiled once in a process
    engines: weakref.WeakSet[Engine] = weakref.WeakSet()
    with mock.patch.object(Engine, "address", autospec=True, side_effect=lambda e, n, f=Engine.address: engines.add(e) or f(e, n)):
        compiled = torch.compile(lambda x: (x * 7.125).sin() + x.sum(), backend=find_backend("mlirind"))
        compiled(torch.ones(33))
    assert len(engines) == 2  # the kernel's and the host function's
    del compiled
    torch._dynamo.reset()
    gc.collect()
    assert not engines


def test_how_much_kernels_are_optimized() -> None:
    """Only what is no long loop over vectors."""
    masked = KernelText(["f32"], ["f32"], ["100"])
    inside = masked.op("arith.constant true")
    masked.store(1, masked.load(0, "d0", mask=inside), "d0")
    rows = KernelText(["f32"], ["f32"], ["1000", "8"])
    rows.store(1, rows.load(0, "d0 * 8 + d1"), "d0 * 8 + d1")
    wrapped = KernelText(["f32"], ["f32"], ["1000"])
    wrapped.store(1, wrapped.load(0, "(d0 + 3) mod 1000"), "d0")
    with compile_context():
        modules = [ir.Module.parse(kernel.text()) for kernel in (scaled(2.0), masked, rows, wrapped)]
        levels = [level_of(module.body.operations[0].operation) for module in modules]
    assert levels == [0, 1, 1, 1]


def test_a_symbol_that_is_found_nowhere_is_an_error() -> None:
    text = """
    llvm.func @no_such_function()
    llvm.func @mlirind_kernels(%table: !llvm.ptr) {
      llvm.call @no_such_function() : () -> ()
      llvm.return
    }"""
    with compile_context(), pytest.raises(UnsupportedGraph, match="does not exist"):
        native_code([ir.Module.parse(text)], [1], [0])


def test_an_operation_without_code_is_an_error() -> None:
    kernel = KernelText(["f32", "i32"], ["f32"], ["10"])
    power = kernel.op(f"math.fpowi {kernel.load(0, 'd0')}, {kernel.load(1, 'd0')} : f32, i32")
    kernel.store(2, power, "d0")
    with pytest.raises(UnsupportedGraph, match=r"math\.fpowi"):
        kernel.compile()
