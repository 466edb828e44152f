"""Reductions and scans through the compiler, over inner, outer and all dimensions."""

import pytest
import torch
from kernel_text import TYPES, KernelText
from mlirind.options import Options

SHAPES = [(1, 1), (3, 50), (17, 64), (2, 1000), (64, 3), (5, 0)]
TARGETS = [None, "-avx512f", "-avx512f,-avx2,-avx"]
# The reduced dimension is the domain's second: contiguous in memory, or strided.
LAYOUTS = {"inner": "d0 * s1 + d1", "outer": "d1 * s0 + d0"}


def sample(rows: int, columns: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    generator = torch.Generator().manual_seed(rows * 1000 + columns)
    x = torch.randn(rows, columns, generator=generator) * 10
    return (x > 0) if dtype == torch.bool else x.to(dtype)


def rows_by(kind: str, element: str, layout: str, result: str | None = None) -> KernelText:
    kernel = KernelText([element], [result or element], ["s0", "s1"], symbols=2)
    value = kernel.load(0, LAYOUTS[layout])
    kernel.store(1, kernel.reduce(kind, [value], [element], [1])[0], "d0")
    return kernel


def laid_out(x: torch.Tensor, layout: str) -> torch.Tensor:
    return x if layout == "inner" else x.t().contiguous()


@pytest.mark.parametrize("features", TARGETS)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64, torch.int32, torch.int8], ids=str)
def test_sum_max_min_product(dtype: torch.dtype, layout: str, features: str | None) -> None:
    element = TYPES[dtype]
    for kind in ("add", "max", "min", "mul"):
        compiled = rows_by(kind, element, layout).compile(Options(target_features=features))
        for shape in SHAPES:
            x = sample(*shape, dtype=dtype) if kind != "mul" else (sample(*shape) / 10).to(dtype)
            out = torch.empty(shape[0], dtype=dtype)
            assert compiled(laid_out(x, layout), out, symbols=shape) == 0
            if shape[1] == 0 and kind in ("max", "min"):
                continue
            expected = {
                "add": lambda x: x.sum(1, dtype=dtype),
                "max": lambda x: x.amax(1),
                "min": lambda x: x.amin(1),
                "mul": lambda x: x.prod(1, dtype=dtype),
            }[kind](x)
            torch.testing.assert_close(out, expected)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_nan_wins(layout: str) -> None:
    for kind, expected in (("max", torch.amax), ("min", torch.amin)):
        x = sample(9, 100)
        x[3, 99], x[5, 0], x[7, 50] = torch.nan, torch.nan, torch.inf
        out = torch.empty(9)
        assert rows_by(kind, "f32", layout)(laid_out(x, layout), out, symbols=(9, 100)) == 0
        torch.testing.assert_close(out, expected(x, 1), equal_nan=True)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_any_all(layout: str) -> None:
    for kind, expected in (("or", torch.any), ("and", torch.all)):
        compiled = rows_by(kind, "i1", layout).compile()
        for shape in [(5, 0), (4, 1), (9, 7), (30, 70)]:
            x = sample(*shape, dtype=torch.bool)
            x[::2] = kind == "and"
            out = torch.empty(shape[0], dtype=torch.bool)
            assert compiled(laid_out(x, layout), out, symbols=shape) == 0
            assert torch.equal(out, expected(x, 1))


def test_unsigned_extremes() -> None:
    for kind in ("maxu", "minu"):
        kernel = KernelText(["ui8"], ["ui8"], ["4", "300"])
        value = kernel.load(0, "d0 * 300 + d1")
        kernel.store(1, kernel.reduce(kind, [value], ["i8"], [1])[0], "d0")
        x, out = torch.randint(3, 250, (4, 300), dtype=torch.uint8), torch.empty(4, dtype=torch.uint8)
        assert kernel(x, out) == 0
        assert torch.equal(out, x.amax(1) if kind == "maxu" else x.amin(1))


@pytest.mark.parametrize("features", TARGETS)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64], ids=str)
def test_arg_extremes(dtype: torch.dtype, layout: str, features: str | None) -> None:
    """NaN comes first, then the first of equals."""
    element = TYPES[dtype]
    for kind, expected in (("argmax", torch.max), ("argmin", torch.min)):
        kernel = KernelText([element], [element, "i64"], ["s0", "s1"], symbols=2)
        value = kernel.load(0, LAYOUTS[layout])
        index = kernel.op("arith.index_cast %d1 : index to i64")
        best, place = kernel.reduce(kind, [value, index], [element, "i64"], [1])
        kernel.store(1, best, "d0")
        kernel.store(2, place, "d0")
        compiled = kernel.compile(Options(target_features=features))
        for shape in [(1, 1), (8, 100), (20, 33), (33, 16)]:
            x = (sample(*shape) / 5).round().to(dtype)
            if dtype.is_floating_point:
                x[0, shape[1] // 2 :] = torch.nan
                x[-1] = -torch.inf if kind == "argmax" else torch.inf
            out, at = torch.empty(shape[0], dtype=dtype), torch.empty(shape[0], dtype=torch.int64)
            assert compiled(laid_out(x, layout), out, at, symbols=shape) == 0
            want = expected(x, 1)
            torch.testing.assert_close(out, want.values, equal_nan=True)
            first = torch.stack([((row == w) | (row.isnan() & w.isnan())).nonzero()[0, 0] for row, w in zip(x, want.values, strict=True)])
            assert torch.equal(at, first)


@pytest.mark.parametrize("features", TARGETS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_welford(layout: str, features: str | None) -> None:
    kernel = KernelText(["f32"], ["f32", "f32"], ["s0", "s1"], symbols=2)
    mean, squares = kernel.reduce("welford", [kernel.load(0, LAYOUTS[layout])], ["f32"], [1], ["f32", "f32"])
    kernel.store(1, mean, "d0")
    kernel.store(2, squares, "d0")
    compiled = kernel.compile(Options(target_features=features))
    for shape in [(1, 1), (3, 5), (7, 50), (4, 1024), (40, 33)]:
        x = sample(*shape) + 1000
        mean_out, squares_out = torch.empty(shape[0]), torch.empty(shape[0])
        assert compiled(laid_out(x, layout), mean_out, squares_out, symbols=shape) == 0
        exact = x.double()
        torch.testing.assert_close(mean_out.double(), exact.mean(1), rtol=1e-6, atol=0)
        torch.testing.assert_close(squares_out.double(), exact.var(1, correction=0) * shape[1], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("features", TARGETS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_softmax_in_one_kernel(layout: str, features: str | None) -> None:
    """Two reductions, and work over the rows between and after them; also the row's maximum as an output."""
    expr = LAYOUTS[layout]
    kernel = KernelText(["f32"], ["f32", "f32"], ["s0", "s1"], symbols=2)
    x = kernel.load(0, expr)
    (largest,) = kernel.reduce("max", [x], ["f32"], [1])
    e = kernel.op(f"math.exp {kernel.op(f'arith.subf {x}, {largest} : f32')} : f32")
    (total,) = kernel.reduce("add", [e], ["f32"], [1])
    kernel.store(1, kernel.op(f"arith.divf {e}, {total} : f32"), expr)
    kernel.store(2, largest, "d0")
    compiled = kernel.compile(Options(target_features=features))
    for shape in [(1, 1), (3, 50), (20, 64), (2, 1000), (70, 5)]:
        x_in = sample(*shape)
        flat = laid_out(x_in, layout)
        out, top = torch.empty_like(flat), torch.empty(shape[0])
        assert compiled(flat, out, top, symbols=shape) == 0
        torch.testing.assert_close(out, laid_out(torch.softmax(x_in, 1), layout))
        assert torch.equal(top, x_in.amax(1))


@pytest.mark.parametrize("order", ["d0 * 60 + d1 * 6 + d2", "d0 * 60 + d2 * 10 + d1", "d1 * 24 + d2 * 4 + d0", "d2 * 40 + d0 * 10 + d1"])
def test_two_reduced_dimensions(order: str) -> None:
    """Sum and maximum over two dimensions, and a store of the whole that waits for both."""
    strides = [eval(order, {"d0": i == 0, "d1": i == 1, "d2": i == 2}) for i in range(3)]
    kernel = KernelText(["f32"], ["f32", "f32"], ["4", "10", "6"])
    x = kernel.load(0, order)
    (total,) = kernel.reduce("add", [x], ["f32"], [1, 2])
    (largest,) = kernel.reduce("max", [x], ["f32"], [1, 2])
    both = kernel.op(f"arith.mulf {total}, {largest} : f32")
    kernel.store(1, both, "d0")
    kernel.store(2, kernel.op(f"arith.subf {x}, {both} : f32"), order)
    x_in, out, rest = torch.randn(240), torch.empty(4), torch.empty(240)
    assert kernel(x_in, out, rest) == 0
    view = x_in.as_strided((4, 10, 6), strides)
    expected = view.sum((1, 2)) * view.amax((1, 2))
    torch.testing.assert_close(out, expected)
    torch.testing.assert_close(rest.as_strided((4, 10, 6), strides), view - expected[:, None, None])


def test_everything_is_reduced() -> None:
    kernel = KernelText(["f32"], ["f32"], ["s0"], symbols=1)
    (total,) = kernel.reduce("add", [kernel.load(0, "d0")], ["f32"], [0])
    kernel.store(1, total, "0")
    compiled = kernel.compile()
    for size in (0, 1, 100, 1 << 20):
        x, out = torch.rand(size), torch.empty(())
        assert compiled(x, out, symbols=(size,)) == 0
        exact, eager = x.double().sum(), x.sum()
        assert abs(out.double() - exact) <= max(abs(eager.double() - exact), 4e-7 * exact)


def test_a_value_of_some_dimensions_is_summed_as_often_as_it_occurs() -> None:
    """The summed value depends on neither reduced dimension, or on the strided one only."""
    kernel = KernelText(["f32", "f32"], ["f32", "f32"], ["5", "3", "40"])
    row = kernel.load(0, "d0")
    middle = kernel.load(1, "d1")
    kernel.store(2, kernel.reduce("add", [row], ["f32"], [1, 2])[0], "d0")
    kernel.store(3, kernel.reduce("add", [middle], ["f32"], [1, 2])[0], "d0")
    x, y, out, other = torch.randn(5), torch.randn(3), torch.empty(5), torch.empty(5)
    assert kernel(x, y, out, other) == 0
    torch.testing.assert_close(out, x * 120)
    torch.testing.assert_close(other, (y.sum() * 40).expand(5))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("ordered", [False, True])
def test_scans(layout: str, ordered: bool) -> None:
    """Running sum, product (only in order), maximum with its place; and what follows a scan in the same kernel."""
    expr = LAYOUTS[layout]
    kernel = KernelText(["f64"], ["f64", "f64", "f64", "i64"], ["s0", "s1"], symbols=2)
    x = kernel.load(0, expr)
    (total,) = kernel.scan("add", [x], ["f64"], 1)
    (product,) = kernel.scan("mul", [x], ["f64"], 1) if ordered else (total,)
    index = kernel.op("arith.index_cast %d1 : index to i64")
    best, place = kernel.scan("argmax", [x, index], ["f64", "i64"], 1)
    kernel.store(1, kernel.op(f"arith.addf {total}, {x} : f64"), expr)
    kernel.store(2, product, expr)
    kernel.store(3, best, expr)
    kernel.store(4, place, expr)
    compiled = kernel.compile()
    for shape in [(1, 1), (3, 50), (40, 6), (0, 4), (4, 0)]:
        x_in = sample(*shape, dtype=torch.float64) / 5
        flat = laid_out(x_in, layout)
        outs = [torch.empty_like(flat) for _ in range(3)] + [torch.empty_like(flat, dtype=torch.int64)]
        assert compiled(flat, *outs, symbols=shape) == 0
        if x_in.numel() == 0:
            continue
        best_in, place_in = torch.cummax(x_in, 1)
        second = x_in.cumprod(1) if ordered else x_in.cumsum(1)
        for out, expected in zip(outs, (x_in.cumsum(1) + x_in, second, best_in, place_in), strict=True):
            torch.testing.assert_close(out, laid_out(expected, layout))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(1, 300000), (3, 100003), (70, 20000), (200, 5000)])
def test_large_reductions_to_few_results(shape: tuple[int, int], layout: str) -> None:
    """They are done in parts. Welford's moments, the place of the maximum, a sum; and work on the results beside a row's own value."""
    rows, columns = shape
    expr = {"inner": f"d0 * {columns} + d1", "outer": f"d1 * {rows} + d0"}[layout]
    kernel = KernelText(["f32", "f32"], ["f32", "f32", "f32", "i64", "i1"], [str(rows), str(columns)])
    x = kernel.load(0, expr)
    mean, squares = kernel.reduce("welford", [x], ["f32"], [1], ["f32", "f32"])
    index = kernel.op("arith.index_cast %d1 : index to i64")
    _, place = kernel.reduce("argmax", [x, index], ["f32", "i64"], [1])
    large = kernel.op(f"arith.cmpf ogt, {x}, {kernel.op('arith.constant 50.0 : f32')} : f32")
    (found,) = kernel.reduce("or", [large], ["i1"], [1])
    (total,) = kernel.reduce("add", [x], ["f32"], [1])
    kernel.store(2, kernel.op(f"arith.addf {total}, {kernel.load(1, 'd0')} : f32"), "d0")
    for buffer, value in ((3, mean), (4, squares), (5, place), (6, found)):
        kernel.store(buffer, value, "d0")
    x_in, bias = sample(*shape), torch.randn(rows)
    x_in[-1, -3] = 100.0
    outs = [torch.empty(rows) for _ in range(3)] + [torch.empty(rows, dtype=torch.int64), torch.empty(rows, dtype=torch.bool)]
    assert kernel(laid_out(x_in, layout), bias, *outs) == 0
    exact = x_in.double()
    torch.testing.assert_close(outs[0].double(), exact.sum(1) + bias, rtol=1e-6, atol=1e-6 * columns)
    torch.testing.assert_close(outs[1].double(), exact.mean(1), rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(outs[2].double(), exact.var(1, correction=0) * columns, rtol=1e-5, atol=0)
    assert torch.equal(outs[3], x_in.argmax(1))
    assert torch.equal(outs[4], (x_in > 50).any(1))


def test_a_large_sum_in_parts_with_a_store_of_every_element() -> None:
    kernel = KernelText(["f32"], ["f32", "f32"], ["s0", "4"], symbols=1)
    doubled = kernel.op(f"arith.addf {kernel.load(0, 'd0 * 4 + d1')}, {kernel.load(0, 'd0 * 4 + d1')} : f32")
    kernel.store(1, doubled, "d0 * 4 + d1")
    (total,) = kernel.reduce("add", [doubled], ["f32"], [0, 1])
    kernel.store(2, total, "0")
    compiled = kernel.compile()
    for size in (0, 1, 1000, 250001):
        x, out, total_out = torch.rand(size, 4), torch.empty(size, 4), torch.empty(())
        assert compiled(x, out, total_out, symbols=(size,)) == 0
        assert torch.equal(out, x * 2)
        torch.testing.assert_close(total_out, (x * 2).sum())


def test_a_sum_in_parts_is_as_near_to_float64_as_eagers() -> None:
    """Far from zero, where every addition rounds: the parts are no longer added one after the other."""
    kernel = KernelText(["f32"], ["f32"], ["1048576"])
    kernel.store(1, *kernel.reduce("add", [kernel.load(0, "d0")], ["f32"], [0]), "0")
    run, out, errors = kernel.compile(), torch.empty(1), []
    for seed in range(12):
        x = torch.randn(1 << 20, generator=torch.Generator().manual_seed(seed)) + 1000
        assert run(x, out) == 0
        errors.append([abs(total.double() - x.double().sum()) / 128 for total in (out[0], x.sum())])  # ulps of 2**30
    ours, eagers = torch.tensor(errors).mean(0)
    assert ours < 1.5 * eagers
