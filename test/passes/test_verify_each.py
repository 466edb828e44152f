"""With `verify_each` a pass that breaks an invariant of the graph fails; the error names the operation and the user's source line."""

import linecache

import pytest
import torch
from mlirind.dialects import aten_ops
from mlirind.frontend.compile import compile_graph
from mlirind.options import Options
from mlirind.passes import pipeline, registry
from mlirind.passes.analysis.alias_analysis import functions_with_body
from mlirind.passes.driver import PassFailed
from torch.fx.experimental.proxy_tensor import make_fx
from torch_mlir import ir


def operators(module):
    """The operator calls of the graph."""
    return [op.operation for f in functions_with_body(module) for op in f.regions[0].blocks[0].operations if aten_ops.is_operator(op)]


def drop_clones(module):
    """clone(x) -> x, even if x is written later."""
    for op in operators(module):
        if op.name == "aten.clone":
            op.results[0].replace_all_uses_with(op.operands[0])
            op.erase()


def retype(module):
    """Broken: replaces the type of each permute by one without strides."""
    for op in operators(module):
        if op.name == "aten.permute":
            op.results[0].set_type(ir.RankedTensorType.get(op.results[0].type.shape, ir.F32Type.get()))


def in_place(module):
    """relu(x) -> relu_(x)"""
    for op in operators(module):
        if op.name == "aten.relu":
            made = aten_ops.create("aten.relu_.default", {"self": op.operands[0]}, [op.results[0].type], op.location, ir.InsertionPoint(op))
            op.results[0].replace_all_uses_with(made.results[0])
            op.erase()


def clone(x):
    y = torch.ops.aten.relu.default(x)
    return y, torch.ops.aten.clone.default(y)


def permute(x):
    return (torch.ops.aten.relu.default(torch.ops.aten.permute.default(x, [1, 0])),)


def relu(x):
    return (torch.ops.aten.relu.default(x),)


@pytest.mark.parametrize(
    ("run", "program", "message"),
    [
        (drop_clones, clone, "result 1 shares storage with result 0"),
        (retype, permute, "result 0: strides: want (1, 3), found (2, 1)"),
        (in_place, relu, "writes to a value in a functional graph"),
    ],
)
def test_a_breach_is_caught(monkeypatch, run, program, message):
    """The failure names the pass, the op and the line of the program."""
    monkeypatch.setattr(registry, "_passes", dict(registry._passes))
    registry.register_pass("broken", run)
    monkeypatch.setattr("mlirind.frontend.compile.GRAPH", ["broken", *pipeline.GRAPH])
    line = program.__code__.co_firstlineno + 1
    graph = make_fx(program, tracing_mode="fake")(torch.ones(2, 3))
    for node in graph.graph.nodes:
        node.meta["stack_trace"] = f'  File "{__file__}", line {line}, in program'
    with pytest.raises(PassFailed) as failure:
        compile_graph(graph, Options(verify_each=True, fallback=False, reproducer=False))
    assert failure.value.step == "broken"
    assert message in str(failure.value)
    assert f"{__file__}:{line}: {linecache.getline(__file__, line).strip()}" in str(failure.value)


def test_the_pipeline_keeps_the_invariants():
    """No verifier finds anything between the passes of the pipeline."""
    options = Options(verify_each=True, fallback=False)

    def program(x, y):
        z = torch.ops.aten.clone.default(x)
        v = torch.ops.aten.view.default(z, [3, 2])
        w = torch.ops.aten.add.Tensor(v, torch.ops.aten.permute.default(y, [1, 0]))
        return (torch.ops.aten.clone.default(w), w, torch.ops.aten.view.default(x, [6]))

    graph = make_fx(program, tracing_mode="symbolic")(torch.ones(2, 3), torch.ones(2, 3))
    x, y = torch.rand(2, 3), torch.rand(2, 3)
    got = compile_graph(graph, options)([x, y])
    for a, b in zip(got, program(x, y), strict=True):
        assert torch.equal(a, b)
