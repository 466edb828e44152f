"""Triton takes the text of every kind of kernel, and every operation of the `tt` dialect, for named GPUs that are not there."""

import re

import pytest
from kernel_text import KernelText
from mlirind.dialects import tt
from mlirind.dialects.context import compile_context
from mlirind.lowering.tt.text import kernel_text
from mlirind.tools.emit import triton_kernel
from tile_kernels import compiled, lowered
from torch_mlir import ir

pytest.importorskip("triton")
TARGETS = ("sm_80", "sm_90")


def pointwise() -> KernelText:
    """Every function and conversion, f32, f64 and half types."""
    kernel = KernelText(["f32", "f64", "bf16", "i64"], ["f32", "f64", "f16", "i1", "i8"], ["1000"])
    a, d, n = kernel.load(0, "d0"), kernel.load(1, "d0"), kernel.load(3, "d0")
    h = kernel.op(f"arith.extf {kernel.load(2, 'd0')} : bf16 to f32")
    for name in ("exp", "log1p", "tanh", "erf", "sqrt", "rsqrt", "trunc", "roundeven", "floor", "absf", "sin"):
        a, d = kernel.op(f"math.{name} {a} : f32"), kernel.op(f"math.{name} {d} : f64")
    a = kernel.op(f"math.powf {a}, {h} : f32")
    a = kernel.op(f"arith.remf {a}, {h} : f32")
    a = kernel.op(f"arith.divf {a}, {kernel.op(f'arith.sitofp {n} : i64 to f32')} : f32")
    kernel.store(4, a, "d0")
    kernel.store(5, d, "d0")
    kernel.store(6, kernel.op(f"arith.truncf {kernel.op(f'arith.maximumf {a}, {h} : f32')} : f32 to f16"), "d0")
    kernel.store(7, kernel.op(f"arith.cmpf une, {a}, {h} : f32"), "d0")
    kernel.store(8, kernel.op(f"arith.trunci {n} : i64 to i8"), "d0")
    return kernel


def transposed() -> KernelText:
    kernel = KernelText(["f32", "f32"], ["f32"], ["7", "s0", "500"], symbols=1)
    total = kernel.op(f"arith.addf {kernel.load(0, 'd0 * 70000 + d2 * s0 + d1')}, {kernel.load(1, 'd2')} : f32")
    kernel.store(2, total, "d0 * 70000 + d1 * 500 + d2")
    return kernel


def gather_and_scatter() -> KernelText:
    kernel = KernelText(["f32", "i64"], ["f32", "i32"], ["s0", "32"], symbols=2)
    row = kernel.op(f"arith.index_cast {kernel.load(1, 'd0')} : i64 to index")
    size = kernel.op('"loop.apply"() {map = affine_map<()[s0, s1] -> (s1)>} : () -> index')
    ok = kernel.op(f"arith.cmpi ult, {row}, {size} : index")
    kernel.check(ok, "index")
    kernel.store(2, kernel.load(0, "d2 * 32 + d1", ok, (row,)), "d2 * 32 + d1", ok, (row,), accumulate="add")
    kernel.store(3, kernel.op("arith.constant 1 : i32"), "d2", ok, (row,), accumulate="max")
    return kernel


def normalized(rows: str, columns: str, expr: str, symbols: int = 0) -> KernelText:
    """Welford, a maximum with its place, a sum of what they give; stores of the rows and of a row's results."""
    kernel = KernelText(["f32"], ["f32", "f32", "i64", "i1"], [rows, columns], symbols=symbols)
    x = kernel.load(0, expr)
    mean, squares = kernel.reduce("welford", [x], ["f32"], [1], ["f32", "f32"])
    index = kernel.op("arith.index_cast %d1 : index to i64")
    _, place = kernel.reduce("argmax", [x, index], ["f32", "i64"], [1])
    e = kernel.op(f"math.exp {kernel.op(f'arith.subf {x}, {mean} : f32')} : f32")
    (total,) = kernel.reduce("add", [e], ["f32"], [1])
    (found,) = kernel.reduce("or", [kernel.op(f"arith.cmpf ogt, {x}, {mean} : f32")], ["i1"], [1])
    kernel.store(1, kernel.op(f"arith.divf {e}, {total} : f32"), expr)
    for buffer, value in ((2, squares), (3, place), (4, found)):
        kernel.store(buffer, value, "d0")
    return kernel


def softmax(rows: str, columns: str) -> KernelText:
    kernel = KernelText(["bf16"], ["bf16"], [rows, columns])
    x = kernel.op(f"arith.extf {kernel.load(0, f'd0 * {columns} + d1')} : bf16 to f32")
    (largest,) = kernel.reduce("max", [x], ["f32"], [1])
    e = kernel.op(f"math.exp {kernel.op(f'arith.subf {x}, {largest} : f32')} : f32")
    (total,) = kernel.reduce("add", [e], ["f32"], [1])
    y = kernel.op(f"arith.truncf {kernel.op(f'arith.divf {e}, {total} : f32')} : f32 to bf16")
    kernel.store(1, y, f"d0 * {columns} + d1")
    return kernel


def scan(columns: str, symbols: int = 0) -> KernelText:
    kernel = KernelText(["f32"], ["f32", "i64"], ["100", columns], symbols=symbols)
    x = kernel.load(0, f"d0 * {columns} + d1")
    index = kernel.op("arith.index_cast %d1 : index to i64")
    (total,) = kernel.scan("add", [x], ["f32"], 1)
    _, place = kernel.scan("argmax", [x, index], ["f32", "i64"], 1)
    kernel.store(1, total, f"d0 * {columns} + d1")
    kernel.store(2, place, f"d0 * {columns} + d1")
    return kernel


def every_reduction() -> KernelText:
    """Each kind on each type that it takes, all of one row."""
    types = {kind: ["f32", "f64", "i64", "i32", "i8"] for kind in ("add", "mul", "max", "min")} | {"maxu": ["ui8"], "minu": ["ui8"]}
    types |= {"or": ["i1"], "and": ["i1"], "argmin": ["f64", "i32"], "argmax": ["f32", "i64"], "welford": ["f64"]}
    elements = sorted({element for found in types.values() for element in found})
    wanted = [(kind, element) for kind, found in types.items() for element in found]
    kernel = KernelText(elements, [element for _, element in wanted], ["40", "300"])
    values = {element: kernel.load(n, "d0 * 300 + d1") for n, element in enumerate(elements)}
    index = kernel.op("arith.index_cast %d1 : index to i64")
    for n, (kind, element) in enumerate(wanted):
        inputs, held = [values[element]], [element.removeprefix("u")]
        if kind.startswith("arg"):
            inputs, held = [*inputs, index], [*held, "i64"]
        results = kernel.reduce(kind, inputs, held, [1], held * 2 if kind == "welford" else None)
        kernel.store(len(elements) + n, results[0], "d0")
    return kernel


def integers() -> KernelText:
    """Integer operations, signed and unsigned, more than 2^31 elements."""
    kernel = KernelText(["i64", "ui8"], ["i64", "ui8", "i1"], [str((1 << 32) + 5)])
    a, b = kernel.load(0, "d0"), kernel.load(1, "d0")
    for name in ("muli", "shli", "shrsi", "shrui", "andi", "ori", "xori", "maxsi", "minsi", "divsi", "remsi", "divui", "remui"):
        a = kernel.op(f"arith.{name} {a}, {kernel.op('arith.constant 3 : i64')} : i64")
    kernel.store(2, a, "d0")
    kernel.store(3, kernel.op(f"arith.divui {b}, {kernel.op('arith.constant 7 : i8')} : i8"), "d0")
    kernel.store(4, kernel.op(f"arith.cmpi ult, {b}, {kernel.op('arith.constant 100 : i8')} : i8"), "d0")
    return kernel


KINDS = {
    "pointwise": pointwise,
    "transposed": transposed,
    "gather_and_scatter": gather_and_scatter,
    "short_rows": lambda: normalized("1000", "100", "d0 * 100 + d1"),
    "unknown_rows": lambda: normalized("s0", "s1", "d0 * s1 + d1", 2),
    "columns": lambda: normalized("1000", "1000", "d1 * 1000 + d0"),
    "parts": lambda: normalized("3", "300000", "d0 * 300000 + d1"),
    "columns_in_parts": lambda: normalized("3", "300000", "d1 * 3 + d0"),
    "long_softmax": lambda: softmax("1000", "131072"),
    "few_long_softmaxes": lambda: softmax("32", "262144"),
    "every_reduction": every_reduction,
    "integers": integers,
    "scan": lambda: scan("1000"),
    "unknown_scan": lambda: scan("s0", 1),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", KINDS)
def test_triton_compiles(kind: str, target: str) -> None:
    for kernel in compiled(KINDS[kind]().text(), target):
        assert len(kernel.asm["cubin"]) > 1000


def test_denormals_are_kept() -> None:
    """Nothing flushes them but approximations within libdevice's functions, which scale before, as in CUDA."""
    (found,) = compiled(pointwise().text(), "sm_90")
    assert set(re.findall(r"\S+\.ftz\.f32", found.asm["ptx"])) <= {"ex2.approx.ftz.f32", "rcp.approx.ftz.f32"}


def test_wide_accesses() -> None:
    """16 bytes a thread where addresses are aligned and rows are whole."""
    kernel = KernelText(["f32", "f32"], ["f32"], ["1000", "768"])
    both = kernel.op(f"arith.addf {kernel.load(0, 'd0 * 768 + d1')}, {kernel.load(1, 'd1')} : f32")
    kernel.store(2, both, "d0 * 768 + d1")
    (found,) = compiled(kernel.text(), "sm_90")
    assert "ld.global.v4.b32" in found.asm["ptx"] and "st.global.v4.b32" in found.asm["ptx"]
    assert "ld.global.b32" not in found.asm["ptx"]


def test_what_is_read_once_is_not_kept_in_the_cache() -> None:
    """The hint reaches the code, in the words of each version of Triton."""
    kernel = KernelText(["f32"], ["f32"], ["1000", "2048"])
    kernel.store(1, *kernel.reduce("add", [kernel.load(0, "d0 * 2048 + d1")], ["f32"], [1]), "d0")
    (found,) = compiled(kernel.text(), "sm_90")
    assert "ld.global.L1::evict_first.L2::cache_hint.v4.b32" in found.asm["ptx"]


# One operation each that no lowering makes today; the rest is in the kernels above.
OTHERS = {
    "get_num_programs": '%r = "tt.get_num_programs"() {axis = 0 : i32} : () -> i32',
    "trans": '%r = "tt.trans"(%m) {order = array<i32: 1, 0>} : (tensor<16x32xf16>) -> tensor<32x16xf16>',
    "reshape": '%r = "tt.reshape"(%m) : (tensor<16x32xf16>) -> tensor<512xf16>',
    "bitcast": '%r = "tt.bitcast"(%m) : (tensor<16x32xf16>) -> tensor<16x32xi16>',
    "elementwise_inline_asm": '%r = "tt.elementwise_inline_asm"(%z) {asm_string = "ex2.approx.ftz.f32 $0, $1;", constraints = "=f,f", '
    "packed_element = 1 : i32, pure = true} : (tensor<16x16xf32>) -> tensor<16x16xf32>",
    "mulhiui": '%r = "tt.mulhiui"(%i, %i) : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi32>',
    "dot": '%t = "tt.trans"(%m) {order = array<i32: 1, 0>} : (tensor<16x32xf16>) -> tensor<32x16xf16>\n'
    '%r = "tt.dot"(%m, %t, %z) {inputPrecision = 2 : i32, maxNumImpreciseAcc = 0 : i32} : '
    "(tensor<16x32xf16>, tensor<32x16xf16>, tensor<16x16xf32>) -> tensor<16x16xf32>",
}


def _others_text() -> str:
    """A kernel of all of them."""
    lines = "\n".join(line.replace("%r", f"%r_{name}").replace("%t", f"%t_{name}") for name, line in OTHERS.items())
    return f""""tt.func"() ({{
^bb0(%p: !tt.ptr<f16>):
  %h = arith.constant 1.0 : f16
  %f = arith.constant 0.0 : f32
  %i = "tt.make_range"() {{start = 0 : i32, end = 16 : i32}} : () -> tensor<16xi32>
  %m = "tt.splat"(%h) : (f16) -> tensor<16x32xf16>
  %z = "tt.splat"(%f) : (f32) -> tensor<16x16xf32>
  {lines}
  "tt.return"() : () -> ()
}}) {{sym_name = "o", kernel = "o", function_type = (!tt.ptr<f16>) -> (), num_warps = 4 : i32, num_stages = 1 : i32}} : () -> ()"""


@pytest.mark.parametrize("target", TARGETS)
def test_the_other_operations(target: str) -> None:
    with compile_context():
        module = ir.Module.parse(_others_text())
        assert triton_kernel(module.body.operations[0].operation, target).asm["cubin"]


def test_every_operation_is_among_them() -> None:
    """The kernels above hold every operation of the dialect."""
    with compile_context():
        texts = [str(lowered(make().text())) for make in KINDS.values()] + [_others_text()]
    names = {value.OPERATION_NAME for value in vars(tt).values() if isinstance(value, type) and issubclass(value, ir.OpView)}
    assert names and {name for name in names if not any(f'"{name}"' in text for text in texts)} == set()


def test_text_says_nothing_about_the_graph() -> None:
    """Neither the kernel's number nor what the launcher needs; `divisible` becomes Triton's facts."""
    texts = []
    with compile_context():
        for name in ("add_3", "add_14"):
            module = lowered(scan("s0", 1).text(name))
            texts.append(kernel_text(module.body.operations[0].operation, [True, False, True, True]))
    assert texts[0] == texts[1] and 'sym_name = "add"' in texts[0]
    fact = "{tt.divisibility = 16 : i32}"
    assert f"[{fact}, {{}}, {fact}, {fact}]" in texts[0]
    assert "grid" not in texts[0] and "aten" not in texts[0] and "affine_map" not in texts[0]
