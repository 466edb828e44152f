"""Layouts of convolutions on GPUs. PyTorch without CUDA does not know cuDNN's layouts, so its choice is replaced; programs run on the CPU's
tensors, and their kernels in the evaluator of Triton's IR."""

from __future__ import annotations

import re
from dataclasses import replace
from unittest import mock

import pytest
import torch
import torch.nn.functional as F
from fake_gpu import backend_on, fake_gpu
from mlirind.dialects.context import compile_context
from mlirind.options import Options
from mlirind.passes import channels_last_convolutions
from mlirind.passes.driver import run_passes
from torch import nn
from torch_mlir import ir

LAST, ROWS = "channels_last", "contiguous_format"


def image(side, dtype="bf16"):
    return f'tensor<2x16x{side}x{side}x{dtype}, #aten.layout<"cuda:0", [{16 * side**2}, {side**2}, {side}, 1], 0 : i64, unit>>'


def convolution(name, x, side=8, groups=1, dtype="bf16"):
    weight = weight_type(groups, dtype)
    return (
        f'  %{name} = "aten.convolution"({x}, %w) {{dilation = [1, 1], groups = {groups} : i64, operandSegmentSizes = array<i32: 1, 1, 0>, '
        "output_padding = [0, 0], padding = [1, 1], stride = [1, 1], transposed = false} : "
        f"({image(side, dtype)}, {weight}) -> {image(side, dtype)}\n"
    )


def weight_type(groups=1, dtype="bf16"):
    inner = 16 // groups
    return f'tensor<16x{inner}x3x3x{dtype}, #aten.layout<"cuda:0", [{9 * inner}, 9, 3, 1], 0 : i64, unit>>'


def norm(name, x, side):
    statistic = 'tensor<2x4xbf16, #aten.layout<"cuda:0", [4, 1], 0 : i64, unit>>'
    return (
        f'  %{name}:3 = "aten.native_group_norm"({x}) {{C = 16 : i64, HxW = {side**2} : i64, N = 2 : i64, eps = 1.0e-05, group = 4 : i64, '
        f"operandSegmentSizes = array<i32: 1, 0, 0>}} : ({image(side)}) -> ({image(side)}, {statistic}, {statistic})\n"
    )


def rewritten(body, side=8, groups=1, dtype="bf16", attributes="", weight="", passes=("channels-last-convolutions",)):
    """The operations after the pass, a line each, without their types."""
    x = image(side, dtype)
    head = f'func.func @f(%x: {x}, %w: {weight_type(groups, dtype)}{weight}) -> {x} attributes {{aten.stage = "functional"{attributes}}}'

    def layout(image, weight, backend):
        return torch._prims_common.suggest_memory_format(image if image.dim() == 4 else weight)

    with compile_context(), mock.patch.object(torch._C, "_conv_determine_backend_memory_format", layout):
        module = ir.Module.parse(f"{head} {{\n{body}  return %last : {x}\n}}")
        run_passes(module, list(passes), replace(Options(), verify_each=True))
        text = module.operation.get_asm(use_local_scope=True)
    return [(found.group(2), found.group(0)) for found in re.finditer(r'(%\d+)(?::\d)? = "aten\.(\w+)".*', text)]


def names(operations):
    """Names of operations; of copies their layouts."""
    return [next((w for w in (LAST, ROWS) if f'"{w}"' in line), name) if name == "clone" else name for name, line in operations]


def three(**given):
    return convolution("a", "%x", **given) + convolution("b", "%a", **given) + convolution("last", "%b", **given)


def test_image_and_weight_are_copied_once():
    assert names(rewritten(three())) == [LAST, LAST, "convolution", "convolution", "convolution", ROWS]


def test_graphs_that_stay():
    assert names(rewritten(three(), attributes=', aten.rounding = "eager"')) == ["convolution"] * 3
    assert names(rewritten(three(groups=16), groups=16)) == ["convolution"] * 3
    assert names(rewritten(three(dtype="f32"), dtype="f32")) == ["convolution"] * 3
    assert names(rewritten(convolution("a", "%x") + convolution("last", "%a"))) == ["convolution"] * 2


def test_a_frozen_weight_is_copied_when_the_graph_is_compiled():
    found = rewritten(three(), weight=" {aten.frozen}", passes=("channels-last-convolutions", "freeze-parameters"))
    graph = names(found)[: names(found).index(ROWS) + 1]
    assert graph == [LAST, "convolution", "convolution", "convolution", ROWS] and LAST in names(found)[len(graph) :]


def with_norm(side):
    return convolution("a", "%x", side) + norm("n", "%a", side) + convolution("b", "%n#0", side) + convolution("last", "%b", side)


def test_group_norms():
    small, large = names(rewritten(with_norm(8))), rewritten(with_norm(32), 32)
    assert small == [LAST, LAST, "convolution", ROWS, "native_group_norm", LAST, "convolution", "convolution", ROWS]
    assert "native_group_norm" not in names(large) and names(large).count("var_mean_correction") == 1
    assert not any(name == "clone" and "2x16x32x32" in line and ROWS in line for name, line in large[:-1])


class Block(nn.Module):
    """Convolutions in a half type, a group norm in float32, an attention's projection, and an upsampled sum, as in a U-Net."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.convolutions = nn.ModuleList(nn.Conv2d(n, 16, 3, padding=1) for n in (16, 16, 16, 32, 16))
        self.norm, self.linear = nn.GroupNorm(4, 16), nn.Linear(16, 16)
        nn.init.normal_(self.norm.weight)
        nn.init.normal_(self.norm.bias)
        for module in (self.convolutions, self.linear):
            module.to(torch.bfloat16)

    def forward(self, x):
        a, b, c, d, e = self.convolutions
        x = b(F.silu(self.norm(a(x).float())).bfloat16()) + x
        rows = self.norm(x.float()).flatten(2).transpose(1, 2).bfloat16()
        x = x + self.linear(rows).transpose(1, 2).reshape(x.shape)
        y = torch.cat([c(x), x], 1)
        return e(F.interpolate(d(y), scale_factor=2.0))


@pytest.mark.parametrize("side", [5, 32])
def test_values_and_strides_are_eagers(side):
    torch._dynamo.reset()
    block = Block().requires_grad_(False)
    x = torch.randn(1, 16, side, side).bfloat16()
    want, layouts = block(x), channels_last_convolutions._Layouts
    with fake_gpu() as gpu, mock.patch.object(layouts, "run", autospec=True, side_effect=layouts.run) as changed:
        got = torch.compile(block, backend=backend_on())(x)
    assert got.stride() == want.stride() and gpu.launches and changed.called
    torch.testing.assert_close(got, want, atol=0.03, rtol=0.03)
