"""`mlirind.explain`, and what the standard log shows."""

import inspect
import os
import re
import subprocess
import sys

import mlirind
import pytest
import torch
from mlirind.dialects.context import compile_context
from mlirind.runtime.report import collect_reports
from mlirind.tools.backends import find_backend
from torch import nn
from torch_mlir import ir


def test_forward_and_backward_are_explained(capsys):
    model = nn.Sequential(nn.Linear(64, 64), nn.GELU())
    explanation = mlirind.explain(model, torch.randn(64, 64))
    assert [g.fallback for g in explanation.graphs] == [None, None]
    forward, backward = explanation.graphs
    assert "forward" in forward.name and "backward" in backward.name
    assert list(forward.stages) == ["aten", "loop", "host", "cpu"]
    assert '"aten.gelu"' in forward.stages["aten"] and "loop.kernel" in forward.stages["loop"] and "host.launch" in forward.stages["host"]
    assert any("gelu" in operator for kernel in forward.kernels for operator in kernel.computes)
    assert [(c.target, c.count) for c in forward.calls] == [("aten.addmm.default", 1)]
    assert forward.calls[0].route == "aoti_torch_cpu_addmm_out" and forward.called_by_python == 0
    printed = capsys.readouterr().out
    assert forward.name in printed and "2 graphs, 0 uncompiled" in printed and "matrix multiplication" in printed
    assert "addmm.default x1" in printed and "the forward saves" in printed and "func.func" not in printed
    assert "addmm" in str(explanation) and "func.func" not in str(explanation)
    assert all(text.strip() in explanation.ir for graph in explanation.graphs for text in graph.stages.values())
    assert explanation.partitions[0].stages["joint"].strip() in explanation.ir


def test_calls_name_what_makes_them():
    def function(x):
        return torch.topk(x, 2).values, torch.linalg.qr(x).R, torch.sort(x).values

    routes = {c.target: c.route for g in mlirind.explain(function, torch.randn(4, 4)).graphs for c in g.calls}
    assert routes["aten.topk.default"] == "aoti_torch_cpu_topk" and routes["aten.linalg_qr.default"] == "Python"
    with collect_reports() as reports:
        torch.compile(function, backend=find_backend("mlirind"), options={"host": "python"})(torch.randn(4, 4))
    assert {c.route for r in reports for c in r.calls} == {"Python"} and reports[0].called == reports[0].called_by_python


def test_calls_and_steps_name_the_same_caller():
    """Measured steps name the caller of a run that is not measured; a graph that always runs as a Python function names Python."""

    def function(x):
        return torch.topk(x, 2).values * 2

    def callers(reports):
        (graph,) = reports
        (call,), (route,) = graph.calls, [s.route for s in graph.sequence.steps if s.kind == "call"]
        assert call.route == route and graph.called_by_python == (route == "Python")
        return route

    x = torch.randn(4, 4)
    assert callers(mlirind.explain(function, x).graphs) == "aoti_torch_cpu_topk"
    assert callers(mlirind.explain(function, x, profile=True).graphs) == "aoti_torch_cpu_topk"
    with collect_reports(stages=True) as reports:
        torch.compile(function, backend=find_backend("mlirind"), options={"host": "python"}, dynamic=False)(x)
    assert callers(reports) == "Python"


def test_a_function_that_was_compiled_before_is_compiled_again():
    def function(x):
        return x + 1

    torch.compile(function, backend="eager")(torch.ones(2))
    assert len(mlirind.explain(function, torch.ones(2)).graphs) == 1
    assert len(mlirind.explain(function, torch.ones(2)).graphs) == 1


def test_a_graph_that_is_not_compiled_says_why():
    explanation = mlirind.explain(lambda x: x.view(torch.float4_e2m1fn_x2).view(torch.uint8) * 2, torch.ones(3, dtype=torch.uint8))
    assert "float4" in explanation.graphs[0].fallback
    assert "not compiled: " in str(explanation)


def test_the_log_names_the_node_and_the_line_that_are_the_reason(caplog, fresh_counters):
    def function(x):
        return x.view(torch.float4_e2m1fn_x2).view(torch.uint8) * 2

    with caplog.at_level("WARNING", logger="mlirind"):
        explanation = mlirind.explain(function, torch.ones(3, dtype=torch.uint8))
    line = inspect.getsourcelines(function)[1] + 1
    at = f"{__file__}:{line}: return x.view(torch.float4_e2m1fn_x2).view(torch.uint8) * 2)"
    assert explanation.graphs[0].fallback.endswith(at)
    assert [r.getMessage() for r in caplog.records] == [f"a graph runs uncompiled: {explanation.graphs[0].fallback}"]


def test_what_a_pass_does_not_support_has_its_operator_and_line(fresh_counters, monkeypatch):
    """A rule, and the code of a kernel, say which operator and which line they refuse."""
    from mlirind.errors import UnsupportedGraph
    from mlirind.lowering.cpu import scalar_ops
    from mlirind.lowering.rules import RULES

    def refuse(*_):
        raise UnsupportedGraph("no code")

    line = inspect.currentframe().f_lineno + 2
    functions = [
        lambda x: x.relu().cumsum(0).tanh() + 1,
        lambda x: (x - x.cumsum(0)).exp(),
    ]
    monkeypatch.setitem(RULES, "aten.tanh.default", refuse)
    monkeypatch.setitem(scalar_ops._SPECIAL, "arith.subf", refuse)
    reasons = [mlirind.explain(function, torch.ones(3)).graphs[0].fallback for function in functions]
    texts = [f"{__file__}:{line + n}: " + inspect.getsourcelines(f)[0][0].strip() for n, f in enumerate(functions)]
    assert reasons[0] == f"no code (aten.tanh.default of {texts[0]})"
    assert re.fullmatch(rf"no code \(kernel \w+ \(.*sub.*\) of {re.escape(texts[1])}\)", reasons[1])


def test_the_standard_log_has_the_graphs():
    code = "import torch; from mlirind.frontend.backend import mlirind; torch.compile(lambda x: x.sinc(), backend=mlirind)(torch.ones(2))"
    run = stderr_of(code, "+mlirind")
    assert '"aten.sinc"(%arg0)' in run
    assert "aten.sinc" not in stderr_of(code, "-mlirind")


def stderr_of(code, logs):
    environment = {**os.environ, "TORCH_LOGS": logs}
    result = subprocess.run([sys.executable, "-P", "-c", code], env=environment, capture_output=True, text=True, timeout=120, check=True)
    return result.stderr


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 3)

    def forward(self, tokens, more):
        hidden = self.linear(tokens[0])
        hidden = hidden * more["scale"]
        return torch.topk(hidden.relu(), 2).values


def names_in(text):
    return re.findall(r'aten\.name = "(.*?)"', text)


@pytest.mark.parametrize("train", [False, True])
def test_inputs_have_the_names_of_the_program(train):
    """In inference, and in training in the joint graph and both that become of it."""
    with torch.set_grad_enabled(train):
        explanation = mlirind.explain(Scaled(), [torch.randn(2, 4)], {"scale": torch.randn(3)})
    names = ["self.linear.weight", "self.linear.bias", "tokens[0]", "more['scale']"]
    forward = explanation.graphs[0]
    assert list(forward.inputs) == names
    assert all(names_in(forward.stages[stage]) == names for stage in ("aten", "loop", "host"))
    if train:
        assert names_in(explanation.partitions[0].stages["joint"]) == [*names, "tangents_1"]
        assert set(names_in(explanation.graphs[1].stages["aten"])) == {*names[2:], "relu", "getitem_1", "tangents_1"}


def test_inputs_that_are_taken_for_one_keep_their_names():
    """AOTAutograd passes the storage of two views that are written: no input of the graph is an input of the program."""

    def program(x, y):
        x.add_(1)
        y.mul_(2)
        return x + y

    base = torch.ones(4, 4)
    (graph,) = mlirind.explain(program, base[:2], base[1:3]).graphs
    assert not {"x", "y"} & set(graph.inputs)


def test_writes_to_inputs_have_the_names_of_the_program():
    def program(cache, new):
        cache[1:2].copy_(new)

    (graph,) = mlirind.explain(program, torch.zeros(4, 8), torch.ones(1, 8)).graphs
    assert [w.name for w in graph.writes] == ["cache"]


def test_operations_kernels_and_calls_say_their_lines():
    """A line is a comment before its operations in the IR, which mlirind-opt still parses; a kernel has the lines of all its operators."""
    (graph,) = mlirind.explain(Scaled().requires_grad_(False), [torch.randn(2, 4)], {"scale": torch.randn(3)}).graphs
    linear, scale, result = (f"{__file__}:{found}" for found in lines_of(Scaled.forward)[1:])
    (kernel,), (call,) = graph.kernels, graph.calls
    assert kernel.lines == (linear, scale, result) and call.lines == (result,)
    assert [line for line in graph.stages["aten"].splitlines() if "//" in line] == [f"    // {line}" for line in (linear, scale, result)]
    assert f"    {scale}\n" in str(graph)
    with compile_context():
        assert all(ir.Module.parse(graph.stages[stage]) for stage in ("aten", "loop", "host"))


def test_a_kernel_has_only_the_lines_of_what_it_computes():
    """The relu is computed where the pool needs it, not in the kernel of the norm."""

    class Stem(nn.Module):
        def __init__(self):
            super().__init__()
            self.product, self.norm, self.pool = nn.Conv2d(4, 4, 3), nn.BatchNorm2d(4), nn.MaxPool2d(3, 2, 1)

        def forward(self, x):
            y = self.product(x)
            y = self.norm(y)
            y = y.relu()
            return self.pool(y)

    (graph,) = mlirind.explain(Stem().eval().requires_grad_(False), torch.randn(2, 4, 16, 16)).graphs
    _, norm, relu, pool = (int(line.partition(":")[0]) for line in lines_of(Stem.forward)[1:])
    found = {s.operators: {p.line for p in s.positions} for s in graph.sequence.steps if s.kind == "kernel"}
    assert found == {("batch_norm",): {norm}, ("max_pool2d_with_indices", "relu"): {relu, pool}}


def lines_of(function):
    """`number: text` of each line of a function."""
    lines, first = inspect.getsourcelines(function)
    return [f"{first + n}: {line.strip()}" for n, line in enumerate(lines)]
