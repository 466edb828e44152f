"""`mlirind.explain`, and what the standard log shows."""

import os
import subprocess
import sys

import mlirind
import torch
from mlirind.runtime.report import collect_reports
from mlirind.tools.backends import find_backend
from torch import nn


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
    assert capsys.readouterr().out.rstrip("\n") == str(explanation)


def test_calls_name_what_makes_them():
    def function(x):
        return torch.topk(x, 2).values, torch.linalg.qr(x).R, torch.sort(x).values

    routes = {c.target: c.route for g in mlirind.explain(function, torch.randn(4, 4)).graphs for c in g.calls}
    assert routes["aten.topk.default"] == "aoti_torch_cpu_topk" and routes["aten.linalg_qr.default"] == "Python"
    with collect_reports() as reports:
        torch.compile(function, backend=find_backend("mlirind"), options={"host": "python"})(torch.randn(4, 4))
    assert {c.route for r in reports for c in r.calls} == {"Python"} and reports[0].called == reports[0].called_by_python


def test_a_function_that_was_compiled_before_is_compiled_again():
    def function(x):
        return x + 1

    torch.compile(function, backend="eager")(torch.ones(2))
    assert len(mlirind.explain(function, torch.ones(2)).graphs) == 1
    assert len(mlirind.explain(function, torch.ones(2)).graphs) == 1


def test_a_graph_that_is_not_compiled_says_why():
    explanation = mlirind.explain(lambda x: torch.view_as_real(x.conj().resolve_conj()) * 2, torch.randn(3, dtype=torch.complex64))
    assert "conjugate" in explanation.graphs[0].fallback
    assert "not compiled: " in str(explanation)


def test_the_standard_log_has_the_graphs():
    code = "import torch; from mlirind.frontend.backend import mlirind; torch.compile(lambda x: x.sinc(), backend=mlirind)(torch.ones(2))"
    run = stderr_of(code, "+mlirind")
    assert '"aten.sinc"(%arg0)' in run
    assert "aten.sinc" not in stderr_of(code, "-mlirind")


def stderr_of(code, logs):
    environment = {**os.environ, "TORCH_LOGS": logs}
    result = subprocess.run([sys.executable, "-P", "-c", code], env=environment, capture_output=True, text=True, timeout=120, check=True)
    return result.stderr
