"""The tests of CPU kernels on Triton's IR, by evaluation: the same kernels, sizes, layouts and values."""

import pytest
import test_math_kernels
import test_pointwise_kernels
import test_reduction_kernels
import torch
from kernel_text import TYPES, KernelText
from launch import LaunchedTiles
from mlirind.lowering.tt import gpu_target
from mlirind.lowering.tt.gpu_target import DEFAULT, GpuTarget
from test_pointwise_kernels import (  # noqa: F401  (run here too)
    test_a_load_that_is_always_off_touches_nothing,
    test_division_of_indices,
    test_f64_rounds_to_half_through_f32,
    test_indirect_load_with_check,
    test_masks_switch_loads_and_stores_off,
    test_scattered_stores_accumulate,
    test_strides_and_broadcasts,
    test_transposed_copies_in_tiles,
)
from test_reduction_kernels import (  # noqa: F401
    LAYOUTS,
    test_a_value_of_some_dimensions_is_summed_as_often_as_it_occurs,
    test_any_all,
    test_everything_is_reduced,
    test_large_reductions_to_few_results,
    test_nan_wins,
    test_scans,
    test_two_reduced_dimensions,
    test_unsigned_extremes,
)
from tile_kernels import EvaluatedTiles


@pytest.fixture(autouse=True, params=["evaluated", "launched"])
def tiles(monkeypatch, request):
    """Kernels are evaluated as tiles, and launched where there is a GPU."""
    if request.param == "evaluated":
        monkeypatch.setattr(KernelText, "compiler", EvaluatedTiles)
    elif not torch.cuda.is_available() or request.function is test_indirect_load_with_check:
        pytest.skip("needs a GPU, and no failing assertion: it ends the process's use of it")
    else:
        monkeypatch.setattr(KernelText, "compiler", LaunchedTiles)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_select_keeps_every_type(dtype: torch.dtype) -> None:
    test_pointwise_kernels.test_select_keeps_every_type(dtype, None)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_half_conversions_are_exact(dtype: torch.dtype) -> None:
    test_pointwise_kernels.test_half_conversions_are_exact(dtype, None)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_functions(dtype: torch.dtype, monkeypatch) -> None:
    """On the GPU up to 4 ulp (erfc, as CUDA's manual has it)."""
    if KernelText.compiler is LaunchedTiles:
        strict = test_math_kernels.ulps
        monkeypatch.setattr(test_math_kernels, "ulps", lambda *x: strict(*x) - 2)
    test_math_kernels.test_functions(dtype, None)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["test_welford", "test_softmax_in_one_kernel"])
def test_several_reductions(name: str, layout: str) -> None:
    getattr(test_reduction_kernels, name)(layout, None)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64, torch.int32, torch.int8], ids=str)
def test_sum_max_min_product(dtype: torch.dtype, layout: str) -> None:
    test_reduction_kernels.test_sum_max_min_product(dtype, layout, None)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64], ids=str)
def test_arg_extremes(dtype: torch.dtype, layout: str) -> None:
    test_reduction_kernels.test_arg_extremes(dtype, layout, None)


def test_gather_along_an_axis_of_several_dimensions() -> None:
    """out[i, j, k] = table[rows[i], j, k] + bias[k]: the last two dimensions are walked as one, beside a row that is loaded."""
    kernel = KernelText(["f32", "i64", "f32"], ["f32"], ["9", "5", "7"])
    row = kernel.op(f"arith.index_cast {kernel.load(1, 'd0')} : i64 to index")
    found, bias = kernel.load(0, "d3 * 35 + d1 * 7 + d2", None, (row,)), kernel.load(2, "d2")
    kernel.store(3, kernel.op(f"arith.addf {found}, {bias} : f32"), "d0 * 35 + d1 * 7 + d2")
    table, rows, bias_in, out = torch.randn(11, 5, 7), torch.randint(0, 11, (9,)), torch.randn(7), torch.empty(9, 5, 7)
    assert kernel(table, rows, bias_in, out) == 0
    torch.testing.assert_close(out, table[rows] + bias_in, rtol=0, atol=0)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(140, 20000), (2, 70001), (5, 40000), (4, 33001)])
def test_long_softmax(shape: tuple[int, int], layout: str, monkeypatch) -> None:
    """Infinities, NaN and rows of nothing else, through the sum that is carried relative to the maximum; in one launch, in parts, and
    with blocks that stay in registers, as if few rows filled the GPU."""
    rows, columns = shape
    if 2 < rows < 10:
        monkeypatch.setattr(gpu_target, "DEFAULT", GpuTarget(rows // 2, DEFAULT.l2_bytes))
    expr = {"inner": f"d0 * {columns} + d1", "outer": f"d1 * {rows} + d0"}[layout]
    kernel = KernelText(["f32"], ["f32", "f32"], [str(rows), str(columns)])
    x = kernel.load(0, expr)
    (largest,) = kernel.reduce("max", [x], ["f32"], [1])
    e = kernel.op(f"math.exp {kernel.op(f'arith.subf {x}, {largest} : f32')} : f32")
    (total,) = kernel.reduce("add", [e], ["f32"], [1])
    kernel.store(1, kernel.op(f"arith.divf {e}, {total} : f32"), expr)
    kernel.store(2, total, "d0")
    x_in = torch.randn(shape) * 20
    x_in[0, 5], x_in[-1, : columns // 2] = torch.inf, -torch.inf
    if rows > 2:
        x_in[1], x_in[2, -1], x_in[3] = -torch.inf, torch.nan, -1e30
    flat, total_out = test_reduction_kernels.laid_out(x_in, layout), torch.empty(rows)
    out = torch.empty_like(flat)
    assert kernel(flat, out, total_out) == 0
    torch.testing.assert_close(out, test_reduction_kernels.laid_out(x_in.softmax(1), layout), equal_nan=True)
    torch.testing.assert_close(total_out, (x_in - x_in.amax(1, True)).exp().sum(1), equal_nan=True)


@pytest.mark.parametrize("columns", [40, 40000])
def test_quotients_by_a_number_of_the_row(columns: int) -> None:
    """As divisions: signs of zeros, infinities, NaN, the smallest and largest numbers, random ones to the last place."""
    special = torch.tensor([0.0, 1.0, 3.0, 1e-45, 3e-39, 1e-20, 1e20, 3.4e38, torch.inf])
    values, divisors = (
        torch.cat([special, -special, torch.tensor([torch.nan]), torch.randn(8)]),
        torch.cat([special, -special, torch.randn(8)]),
    )
    kernel = KernelText(["f32", "f32"], ["f32"], [str(len(divisors)), str(columns)])
    (divisor,) = kernel.reduce("max", [kernel.load(1, f"d0 * {columns} + d1")], ["f32"], [1])
    kernel.store(2, kernel.op(f"arith.divf {kernel.load(0, f'd0 * {columns} + d1')}, {divisor} : f32"), f"d0 * {columns} + d1")
    x = values.repeat(-(-columns // len(values)))[:columns].expand(len(divisors), columns).contiguous()
    out = torch.empty_like(x)
    assert kernel(x, divisors[:, None].expand(x.shape).contiguous(), out) == 0
    want = x / divisors[:, None]
    torch.testing.assert_close(out, want, rtol=0, atol=2e-45, equal_nan=True)  # the smallest numbers may differ by one
    numbers = ~want.isnan()
    assert torch.equal(out.signbit()[numbers], want.signbit()[numbers])


@pytest.mark.parametrize("columns", [40000, 33001])
def test_sweeps_that_begin_with_what_the_first_left_in_registers(columns: int, monkeypatch) -> None:
    """Welford, sums of two inputs' products with what it gives, and stores: the second of three sweeps takes the blocks that stay."""
    monkeypatch.setattr(gpu_target, "DEFAULT", GpuTarget(2, DEFAULT.l2_bytes))
    kernel = KernelText(["f32", "bf16"], ["f32", "f32", "f32"], ["3", str(columns)])
    expr = f"d0 * {columns} + d1"
    x = kernel.load(0, expr)
    y = kernel.op(f"arith.addf {x}, {kernel.op(f'arith.extf {kernel.load(1, expr)} : bf16 to f32')} : f32")
    mean, squares = kernel.reduce("welford", [y], ["f32"], [1], ["f32", "f32"])
    centered = kernel.op(f"arith.subf {y}, {mean} : f32")
    (total,) = kernel.reduce("add", [kernel.op(f"arith.mulf {centered}, {x} : f32")], ["f32"], [1])
    kernel.store(2, kernel.op(f"arith.divf {centered}, {total} : f32"), expr)
    kernel.store(3, squares, "d0")
    kernel.store(4, total, "d0")
    a, b = torch.randn(3, columns), torch.randn(3, columns).bfloat16()
    out, found = torch.empty_like(a), [torch.empty(3), torch.empty(3)]
    assert kernel(a, b, out, *found) == 0
    both = a.double() + b.double()
    centered_want = both - both.mean(1, True)
    total_want = (centered_want * a).sum(1, True)
    torch.testing.assert_close(out, (centered_want / total_want).float(), rtol=1e-4, atol=1e-7)
    torch.testing.assert_close(found[0], centered_want.square().sum(1).float(), rtol=1e-5, atol=0)
    torch.testing.assert_close(found[1], total_want[:, 0].float(), rtol=1e-4, atol=0)
