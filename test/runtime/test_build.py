"""Graphs from the `loop` level to native code: kernels through the JIT, calls through ATen, the report of both."""

import torch
from mlirind.dialects.aten import TensorInfo
from mlirind.dialects.context import compile_context
from mlirind.dialects.segments import run_sizes_attr
from mlirind.lowering.launch.convert_to_host import convert_to_host
from mlirind.options import Options
from mlirind.runtime.build import build_runner
from mlirind.runtime.report import collect_reports
from torch_mlir import ir


def graph():
    """exp(x @ x)"""
    t = TensorInfo((8, 8), "float32", "cpu", (8, 1)).type()
    identity = "map = affine_map<(d0, d1) -> (d0, d1)>"
    sizes = run_sizes_attr([t])
    return f"""
    func.func @graph(%x: {t}) -> {t} {{
      %y = "aten.mm"(%x, %x) : ({t}, {t}) -> {t}
      %z = "loop.kernel"(%y) ({{
      ^bb0(%a: {t}, %o: {t}, %i: index, %j: index):
        %v = "loop.load"(%a, %i, %j) {{{identity}, operandSegmentSizes = array<i32: 1, 2, 0>}} : ({t}, index, index) -> f32
        %e = math.exp %v : f32
        "loop.store"(%o, %e, %i, %j) {{{identity}, operandSegmentSizes = array<i32: 1, 1, 2, 0>}} : ({t}, f32, index, index) -> ()
        "loop.yield"() : () -> ()
      }}) {{domain = affine_map<() -> (8, 8)>, symbols = [], updates = [-1], kernel_name = "exp",
            operandSegmentSizes = {sizes}, resultSegmentSizes = {sizes}}} : ({t}) -> {t}
      return %z : {t}
    }}"""


def test_a_graph_runs_and_is_reported():
    with compile_context(), collect_reports() as reports:
        module = ir.Module.parse(graph())
        convert_to_host(module)
        run = build_runner(module, Options(), "example")
    x = torch.randn(8, 8)
    torch.testing.assert_close(run([x])[0], torch.exp(x @ x))
    (report,) = reports
    assert [(k.name, k.computes, k.launches) for k in report.kernels] == [("exp_0", ("exp",), 1)]
    assert [(c.target, c.count) for c in report.calls] == [("aten.mm.default", 1)]
    assert "1 kernels, 1 launches, 1 calls" in str(report)
