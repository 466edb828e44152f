"""`mlirind-opt --run`: graphs run on generated inputs, in every form, and are compared with ATen."""

import re

import pytest
import torch
from mlirind.dialects.context import compile_context
from mlirind.passes import registry
from mlirind.tools import mlirind_opt, run_graph
from torch_mlir import ir

GRAPH = """!x = tensor<?x3xf32, #aten.layout<"cpu", [3, 1], 0 : i64, [#aten.expr<"s0">, 3]>>
func.func @f(%x: !x {aten.name = "x"}, %i: tensor<4xi64>) -> (!x, tensor<4x3xf32>)
    attributes {aten.stage = "functional", aten.symbols = {s0 = [2, 100, 8]}} {
  %0 = "aten.relu"(%x) : (!x) -> !x
  %1 = "aten.u_softmax"(%0) {dim = 1 : i64, half_to_float = false} : (!x) -> !x
  %2 = "aten.index_select"(%x, %i) {dim = 0 : i64} : (!x, tensor<4xi64>) -> tensor<4x3xf32>
  %3 = "aten.copy_"(%x, %0) {non_blocking = false} : (!x, !x) -> !x
  return %1, %2 : !x, tensor<4x3xf32>
}
"""
EXP = """func.func @f(%x: tensor<9xf32>) -> tensor<9xf32> attributes {aten.stage = "functional"} {
  %0 = "aten.exp"(%x) : (tensor<9xf32>) -> tensor<9xf32>
  return %0 : tensor<9xf32>
}
"""
STAGES = {
    "compiled whole": "",
    "aten": "--cse-aten",
    "loop": "--convert-aten-to-loop --fuse-kernels",
    "host": "--convert-aten-to-loop --fuse-kernels --convert-to-host --normalize-kernels",
    "host, not normalized": "--convert-aten-to-loop --convert-to-host",
}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "graph.mlir"
    path.write_text(GRAPH)
    return path


@pytest.mark.parametrize("stage", STAGES)
def test_a_graph_runs_in_every_form(stage, file, capsys):
    for size, flags in ((8, []), (5, ["--size", "s0=5", "--seed=3"])):
        assert mlirind_opt.main([str(file), "--run", *flags, *STAGES[stage].split()]) == 0
        sizes, *lines = capsys.readouterr().out.splitlines()
        assert sizes == f"sizes: s0={size}"
        assert [line.partition(":")[0] for line in lines] == ["result 0", "result 1", "input x afterwards"]
        assert all(float(re.search("largest error ([^,]+)", line)[1]) < 1e-6 for line in lines)
        assert f"float32[{size}, 3]" in lines[0]


def replacing(old, new):
    """A pass that puts operations of one name in the place of those of another."""

    def replace(op):
        if op.name == old:
            with ir.InsertionPoint(op):
                made = ir.Operation.create(new, [op.results[0].type], list(op.operands), loc=op.location)
            op.results[0].replace_all_uses_with(made.results[0])
        return ir.WalkResult.ADVANCE

    return lambda module: module.operation.walk(replace)


@pytest.fixture
def wrong_passes(monkeypatch):
    monkeypatch.setattr(registry, "_passes", dict(registry._passes))
    registry.register_pass("wrong-relu", replacing("aten.relu", "aten.neg"))
    registry.register_pass("wrong-exp", replacing("math.exp", "math.sin"))


def test_what_differs_is_an_error(file, capsys, wrong_passes):
    for passes in (["--wrong-relu"], ["--wrong-relu", "--convert-aten-to-loop", "--convert-to-host"]):
        assert mlirind_opt.main([str(file), "--run", *passes]) == 1
        printed = capsys.readouterr()
        assert "result 0 differs from ATen's: largest error 0." in printed.err
        assert "input x afterwards differs from ATen's" in printed.err
        assert "result 1 differs" not in printed.err and "result 1: largest error 0," in printed.out


def test_a_kernel_that_is_wrong_is_an_error(file, capsys, wrong_passes):
    file.write_text(EXP)
    for passes in (["--convert-aten-to-loop", "--wrong-exp"], ["--convert-aten-to-loop", "--wrong-exp", "--convert-to-host"]):
        assert mlirind_opt.main([str(file), "--run", *passes]) == 1
        assert "result 0 differs from ATen's" in capsys.readouterr().err
    assert mlirind_opt.main([str(file), "--run"]) == 0


def test_exceptions_are_results_too(file, capsys):
    assert mlirind_opt.main([str(file), "--run", "--ints=50:60"]) == 0
    assert "both raise IndexError: index out of range" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ("--size s0=500", "--size=s0=500: aten.symbols says that it is from 2 to 100"),
        ("--size s1=5", "--size=s1=5: the graph's symbols (aten.symbols): s0"),
        ("--size s0", "--size takes a symbol and its value (s0=5)"),
        ("--ints 5:2", "--ints=5:2: the range is empty"),
        ("--convert-aten-to-loop --convert-to-host --convert-loop-to-cpu", "leave out the passes behind them"),
    ],
)
def test_wrong_command_lines(flags, message, file, capsys):
    assert mlirind_opt.main([str(file), "--run", *flags.split()]) == 1
    assert message in capsys.readouterr().err


def test_a_text_in_host_form_has_nothing_to_be_compared_with(file, tmp_path, capsys):
    lowered = tmp_path / "host.mlir"
    file.write_text(GRAPH.replace("@f", "@graph"))
    assert mlirind_opt.main([str(file), "--convert-aten-to-loop", "--convert-to-host", "-o", str(lowered)]) == 0
    assert mlirind_opt.main([str(lowered), "--run"]) == 1
    assert "this one is in `host` form" in capsys.readouterr().err


LAYOUTS = """!t = tensor<4x3xi16, #aten.layout<"cpu", [0, 2], 5 : i64, unit>>
func.func @f(%t: !t, %b: tensor<6xi1>, %h: tensor<2x0xbf16>, %c: tensor<3xcomplex<f32>>, %n: tensor<4xui8>) -> !t {
  return %t : !t
}
"""


def test_inputs_have_the_layouts_of_their_types_and_are_equal_each_time():
    with compile_context():
        module = ir.Module.parse(LAYOUTS)
        inputs = run_graph._Inputs(run_graph.graph_of(module), run_graph.Settings.of([], None, 0))
        first, second = inputs.make(), inputs.make()
    strided, flags, empty, numbers, small = first
    assert (strided.dtype, strided.shape, strided.stride(), strided.storage_offset()) == (torch.int16, (4, 3), (0, 2), 5)
    assert strided.min() >= 0 and strided.max() < 2  # the smallest dimension that is longer than 1
    assert flags.dtype == torch.bool and empty.shape == (2, 0) and numbers.dtype == torch.complex64 and small.dtype == torch.uint8
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))
