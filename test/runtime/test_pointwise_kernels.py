"""Pointwise kernels through the compiler: element types, sizes, index maps, masks, checks."""

import pytest
import torch
from kernel_text import TYPES, KernelText
from mlirind.options import Options

SIZES = [0, 1, 3, 15, 16, 17, 64, 130]
TARGETS = [None, "-avx512f", "-avx512f,-avx2,-avx"]


def sample(dtype: torch.dtype, *shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    if dtype.is_floating_point:
        return torch.randn(*shape, generator=generator).to(dtype)
    if dtype == torch.bool:
        return torch.randint(0, 2, shape, generator=generator).bool()
    return torch.randint(-100 if dtype.is_signed else 0, 100, shape, generator=generator).to(dtype)


@pytest.mark.parametrize("features", TARGETS)
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_select_keeps_every_type(dtype: torch.dtype, features: str | None) -> None:
    if dtype == torch.float16 and features == TARGETS[2]:
        pytest.skip("f16 needs F16C")
    element = TYPES[dtype]
    plain = element.removeprefix("u")
    kernel = KernelText([element, element, "i1"], [element], ["s0"], symbols=1)
    a, b, c = kernel.load(0, "d0"), kernel.load(1, "d0"), kernel.load(2, "d0")
    kernel.store(3, kernel.op(f"arith.select {c}, {a}, {b} : {plain}"), "d0")
    compiled = kernel.compile(Options(target_features=features))
    for size in SIZES:
        x, y, condition = sample(dtype, size), sample(dtype, size + 1)[:size], sample(torch.bool, size)
        out = torch.empty(size + 4, dtype=dtype).fill_(1)
        expected = out.clone()
        expected[:size] = torch.where(condition, x, y)
        assert compiled(x, y, condition, out, symbols=(size,)) == 0
        torch.testing.assert_close(out, expected, rtol=0, atol=0)


@pytest.mark.parametrize("features", TARGETS)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_half_conversions_are_exact(dtype: torch.dtype, features: str | None) -> None:
    """Every bit pattern of f32 in steps, denormals, infinities and NaN among them."""
    if dtype == torch.float16 and features == TARGETS[2]:
        pytest.skip("f16 needs F16C")
    element = TYPES[dtype]
    kernel = KernelText(["f32"], [element, "f32"], ["s0"], symbols=1)
    half = kernel.op(f"arith.truncf {kernel.load(0, 'd0')} : f32 to {element}")
    kernel.store(1, half, "d0")
    kernel.store(2, kernel.op(f"arith.extf {half} : {element} to f32"), "d0")
    bits = torch.arange(-(1 << 31), 1 << 31, 65521 // 3, dtype=torch.int64).to(torch.int32)
    x = torch.cat([bits.view(torch.float32), torch.tensor([0.0, -0.0, float("inf"), float("nan"), 1e-40, 65520.0, 3.4e38])])
    narrow, wide = torch.empty_like(x, dtype=dtype), torch.empty_like(x)
    assert kernel(x, narrow, wide, symbols=(len(x),), options=Options(target_features=features)) == 0
    torch.testing.assert_close(narrow, x.to(dtype), rtol=0, atol=0, equal_nan=True)
    torch.testing.assert_close(wide, x.to(dtype).float(), rtol=0, atol=0, equal_nan=True)


def test_f64_rounds_to_half_through_f32() -> None:
    kernel = KernelText(["f64"], ["bf16"], ["100"])
    kernel.store(1, kernel.op(f"arith.truncf {kernel.load(0, 'd0')} : f64 to bf16"), "d0")
    x = sample(torch.float64, 100)
    out = torch.empty(100, dtype=torch.bfloat16)
    assert kernel(x, out) == 0
    torch.testing.assert_close(out, x.to(torch.bfloat16), rtol=0, atol=0)


def test_strides_and_broadcasts() -> None:
    """out[i, j] = a.T + row + column + a scalar"""
    kernel = KernelText(["f32"] * 4, ["f32"], ["s0", "s1"], symbols=2)
    total = kernel.load(0, "d1 * s0 + d0")
    for buffer, expr in ((1, "d1"), (2, "d0"), (3, "0")):
        total = kernel.op(f"arith.addf {total}, {kernel.load(buffer, expr)} : f32")
    kernel.store(4, total, "d0 * s1 + d1")
    compiled = kernel.compile()
    for rows, columns in ((1, 1), (3, 50), (70, 33), (0, 5), (5, 0)):
        a, row, column, scalar = sample(torch.float32, columns, rows), torch.randn(columns), torch.randn(rows), torch.randn(1)
        out = torch.empty(rows, columns)
        assert compiled(a, row, column, scalar, out, symbols=(rows, columns)) == 0
        torch.testing.assert_close(out, a.t() + row + column[:, None] + scalar, rtol=0, atol=0)


def test_division_of_indices() -> None:
    """A reshape and a repeat, floor division of a negative index, and one by a symbol."""
    kernel = KernelText(["f32"], ["f32", "i64"], ["s0"], symbols=2)
    kernel.store(1, kernel.load(0, "(d0 floordiv 48) * 48 + (d0 mod 16) * 3 + (d0 mod 48) floordiv 16"), "d0")
    shifted = kernel.op('"loop.apply"(%d0) {map = affine_map<(d0)[s0, s1] -> ((d0 - 7) floordiv 3 + d0 mod s1)>} : (index) -> index')
    kernel.store(2, kernel.op(f"arith.index_cast {shifted} : index to i64"), "d0")
    n = 480
    x, out, index = torch.randn(n), torch.empty(n), torch.empty(n, dtype=torch.int64)
    assert kernel(x, out, index, symbols=(n, 7)) == 0
    torch.testing.assert_close(out, x.view(10, 16, 3).transpose(1, 2).reshape(-1))
    i = torch.arange(n)
    torch.testing.assert_close(index, torch.div(i - 7, 3, rounding_mode="floor") + i % 7)


def test_masks_switch_loads_and_stores_off() -> None:
    """A padded copy; the buffer ends where the mask does."""
    kernel = KernelText(["f32"], ["f32"], ["50"])
    low, high = kernel.op("arith.constant 3 : index"), kernel.op("arith.constant 40 : index")
    above, below = kernel.op(f"arith.cmpi sge, %d0, {low} : index"), kernel.op(f"arith.cmpi slt, %d0, {high} : index")
    inside = kernel.op(f"arith.andi {above}, {below} : i1")
    even = kernel.op('"loop.apply"(%d0) {map = affine_map<(d0) -> (d0 mod 2)>} : (index) -> index')
    zero = kernel.op("arith.constant 0 : index")
    kernel.store(1, kernel.load(0, "d0 - 3", inside), "d0", kernel.op(f"arith.cmpi eq, {even}, {zero} : index"))
    x, out = torch.randn(37), torch.full((50,), 7.0)
    assert kernel(x, out) == 0
    expected = torch.nn.functional.pad(x, (3, 10))
    expected[1::2] = 7.0
    torch.testing.assert_close(out, expected, rtol=0, atol=0)


def test_a_load_that_is_always_off_touches_nothing() -> None:
    kernel = KernelText(["f32"], ["f32"], ["20"])
    off = kernel.op("arith.constant false")
    kernel.store(1, kernel.load(0, "5", off), "d0")
    out = torch.empty(20)
    assert kernel(torch.empty(0), out) == 0
    assert out.eq(0).all()


def test_indirect_load_with_check() -> None:
    kernel = KernelText(["f32", "i64"], ["f32"], ["s0", "32"], symbols=2)
    row = kernel.op(f"arith.index_cast {kernel.load(1, 'd0')} : i64 to index")
    size = kernel.op('"loop.apply"() {map = affine_map<()[s0, s1] -> (s1)>} : () -> index')
    ok = kernel.op(f"arith.cmpi ult, {row}, {size} : index")
    kernel.check(ok, "index")
    kernel.store(2, kernel.load(0, "d2 * 32 + d1", ok, (row,)), "d0 * 32 + d1")
    compiled = kernel.compile()
    table, rows, out = torch.randn(11, 32), torch.randint(0, 11, (100,)), torch.empty(100, 32)
    assert compiled(table, rows, out, symbols=(100, 11)) == 0
    torch.testing.assert_close(out, table[rows], rtol=0, atol=0)
    rows[57] = 11
    assert compiled(table, rows, out, symbols=(100, 11)) == 1
    rows[57] = -(1 << 40)
    assert compiled(table, rows, out, symbols=(100, 11)) == 1
    assert compiled(table, rows, out, symbols=(57, 11)) == 0


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.int16, torch.int8], ids=str)
def test_integer_division_never_traps(dtype: torch.dtype) -> None:
    """A zero divisor fails the kernel; the smallest integer by -1 wraps."""
    element = TYPES[dtype]
    kernel = KernelText([element, element], [element] * 3, ["s0"], symbols=1)
    a, d = kernel.load(0, "d0"), kernel.load(1, "d0")
    zero = kernel.op(f"arith.constant 0 : {element}")
    ok = kernel.op(f"arith.cmpi ne, {d}, {zero} : {element}")
    kernel.check(ok, "zero_division")
    for buffer, name in ((2, "divsi"), (3, "remsi"), (4, "floordivsi")):
        kernel.store(buffer, kernel.op(f"arith.{name} {a}, {d} : {element}"), "d0")
    compiled = kernel.compile()
    x, y = sample(dtype, 77), sample(dtype, 77)
    y[y == 0] = 5
    x[:2], y[:2] = torch.iinfo(dtype).min, torch.tensor([-1, 1])
    outs = [torch.empty_like(x) for _ in range(3)]
    assert compiled(x, y, *outs, symbols=(77,)) == 0
    wide, by = x.long()[1:], y.long()[1:]
    assert outs[0][0] == torch.iinfo(dtype).min and outs[1][0] == 0
    torch.testing.assert_close(outs[0][1:].long(), torch.div(wide, by, rounding_mode="trunc"))
    torch.testing.assert_close(outs[1][1:].long(), torch.fmod(wide, by))
    torch.testing.assert_close(outs[2][1:].long(), torch.div(wide, by, rounding_mode="floor"))
    y[70] = 0
    assert compiled(x, y, *outs, symbols=(77,)) == 2


def test_scattered_stores_accumulate() -> None:
    kernel = KernelText(["f32", "i64"], ["f32"], ["s0", "20"], symbols=1)
    row = kernel.op(f"arith.index_cast {kernel.load(1, 'd0')} : i64 to index")
    kernel.store(2, kernel.load(0, "d0 * 20 + d1"), "d2 * 20 + d1", extra=(row,), accumulate="add")
    x, rows = sample(torch.float32, 300, 20), torch.randint(0, 7, (300,))
    out = torch.randn(7, 20)
    expected = out.clone().index_add_(0, rows, x)
    assert kernel(x, rows, out, symbols=(300,)) == 0
    torch.testing.assert_close(out, expected)


def test_scattered_stores_keep_the_last() -> None:
    kernel = KernelText(["f32", "i64"], ["f32"], ["64"])
    place = kernel.op(f"arith.index_cast {kernel.load(1, 'd0')} : i64 to index")
    kernel.store(2, kernel.load(0, "d0"), "d1", extra=(place,))
    places, out = torch.arange(64) // 10, torch.zeros(7)
    assert kernel(torch.arange(64.0), places, out) == 0
    assert out.tolist() == [9.0, 19.0, 29.0, 39.0, 49.0, 59.0, 63.0]


@pytest.mark.parametrize("shape", [(64, 64), (130, 70), (1, 5), (300, 3)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.bool], ids=str)
def test_transposed_copies_in_tiles(shape: tuple[int, int], dtype: torch.dtype) -> None:
    """Sizes that are multiples of a tile and not, known and not."""
    element = TYPES[dtype]
    x = sample(dtype, *shape)
    for symbols, (rows, columns) in (((), map(str, shape)), (shape, ("s0", "s1"))):
        kernel = KernelText([element], [element], [columns, rows], symbols=len(symbols))
        kernel.store(1, kernel.load(0, f"d1 * {columns} + d0"), f"d0 * {rows} + d1")
        out = torch.empty(shape[1], shape[0], dtype=dtype)
        assert kernel(x, out, symbols=symbols) == 0
        assert torch.equal(out, x.t())
