"""Tiles and splits follow the GPU: its multiprocessors and its L2 cache."""

import pytest
import torch
from mlirind.dialects.context import compile_context
from mlirind.errors import UnsupportedGraph
from mlirind.lowering.kernel.analysis import read_kernel
from mlirind.lowering.tt.gpu_target import ATTRIBUTE, DEFAULT, TARGETS, GpuTarget, gpu_target
from mlirind.lowering.tt.schedule import choose_schedule
from mlirind.passes.driver import run_passes
from mlirind.tools.emit import triton_kernel
from test_alternatives import centered_both_ways, column_sums, heads, pointwise, row_sums, softmax, transposed_softmax
from tile_kernels import EvaluatedTiles
from torch_mlir import ir

A100, A40, L40S, H100, B200 = TARGETS
# A tile's points along its axes, warps and splits by target; the docs' table `Choices by target` has these kernels.
CHOICES = {
    (pointwise, 300, 400): {A100: ([1024], 4, 1), A40: ([1024], 4, 1), L40S: ([512], 2, 1), H100: ([512], 2, 1), B200: ([512], 2, 1)},
    (heads, 8192, 128): dict.fromkeys(TARGETS, ([16, 128], 4, 1)),
    (row_sums, 120, 65536): {
        **dict.fromkeys((A100, A40), ([1, 8192], 32, 1)),
        **dict.fromkeys((L40S, H100, B200), ([1, 8192], 32, 4)),
    },
    (softmax, 120, 40000): {
        **dict.fromkeys((A100, A40), ([1, 16384], 32, 1)),
        **dict.fromkeys((L40S, H100, B200), ([1, 4096], 16, 2)),
    },
    (softmax, 256, 262144): {
        **dict.fromkeys((A100, L40S, B200), ([1, 16384], 32, 1)),
        **dict.fromkeys((A40, H100), ([1, 8192], 16, 1)),
    },
    (transposed_softmax, 768, 12000): {
        target: ([64, 32], 4, splits) for target, splits in {A100: 2, A40: 1, L40S: 3, H100: 2, B200: 3}.items()
    },
    (centered_both_ways, 768, 8960): {
        **dict.fromkeys((A100, A40, H100), ([16, 256], 8, 1)),
        **dict.fromkeys((L40S, B200), ([64, 64], 4, 4)),
    },
    (column_sums, 8192, 768): {
        target: ([64, 64], 4, splits) for target, splits in {A100: 36, A40: 28, L40S: 47, H100: 44, B200: 49}.items()
    },
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("case", CHOICES, ids=lambda case: f"{case[0].__name__}-{case[1]}-{case[2]}")
def test_choices(case, target):
    make, rows, columns = case
    kernel, _ = make(rows, columns)
    with compile_context():
        module = ir.Module.parse(kernel.text())
        found = choose_schedule(read_kernel(module.body.operations[0].operation), TARGETS[target])
    assert ([axis.block for axis in found.axes], found.warps, found.splits) == CHOICES[case][target]


def test_rows_of_sectors_are_right():
    kernel, want = centered_both_ways(600, 300)
    with compile_context():
        small = str(GpuTarget(4, 1 << 20).attribute())
    x = torch.randn(600, 300).bfloat16()
    out = torch.full((300, 600), torch.nan).bfloat16()
    assert EvaluatedTiles(kernel.text().replace("sym_name", f"{ATTRIBUTE} = {small}, sym_name"))(x, out) == 0
    torch.testing.assert_close(out, want(x))


@pytest.mark.parametrize("target", TARGETS)
def test_triton_compiles_for_every_target(target):
    pytest.importorskip("triton")
    kernel, _ = softmax(120, 40000)
    with compile_context():
        module = ir.Module.parse(kernel.text())
        module.operation.attributes[ATTRIBUTE] = TARGETS[target].attribute()
        run_passes(module, ("lower-loop-to-tt",))
        cubins = [triton_kernel(op.operation, target).asm["cubin"] for op in module.body.operations]
    assert len(cubins) == (1 if target in (A100, A40) else 2) and all(cubins)


def test_a_function_names_its_gpu_before_its_module():
    with compile_context():
        module = ir.Module.parse(pointwise(3, 4)[0].text())
        function = module.body.operations[0].operation
        assert gpu_target(function) == DEFAULT
        module.operation.attributes[ATTRIBUTE] = TARGETS[A40].attribute()
        assert gpu_target(function) == TARGETS[A40]
        function.attributes[ATTRIBUTE] = GpuTarget(7, 1 << 20).attribute()
        assert gpu_target(function) == GpuTarget(7, 1 << 20)


@pytest.mark.parametrize("text", ["3 : i64", "{multiprocessors = 3 : i64}", "{multiprocessors = 0 : i64, l2_bytes = 5 : i64}"])
def test_an_attribute_that_describes_no_gpu(text):
    with compile_context():
        module = ir.Module.parse(pointwise(3, 4)[0].text())
        function = module.body.operations[0].operation
        function.attributes[ATTRIBUTE] = ir.Attribute.parse(text)
        with pytest.raises(UnsupportedGraph, match="gpu_target"):
            gpu_target(function)
