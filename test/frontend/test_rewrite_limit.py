"""The limit of rewrites: a graph is right whatever number it stops at, and equal numbers are equal rewrites."""

import pytest
import torch
from mlirind.dialects.context import compile_context
from mlirind.passes import rewrite_limit
from mlirind.passes.rewrite_limit import Numbering, numbered
from mlirind.tools.backends import find_backend
from torch_mlir import ir


def program(x, w):
    y = torch.softmax((x.clone() @ w).view(2, 4, 8).clone(), -1) * 1
    z = torch.relu(x + 1).sum(0)
    x.add_(2)
    return y.transpose(0, 1) + z, (x * 2).cumsum(0)


def run(numbering, options=None):
    """The results of a compilation, the input afterwards and the gradient."""
    torch._dynamo.reset()
    x, w = torch.randn(8, 8, generator=torch.Generator().manual_seed(1)), torch.eye(8, requires_grad=True)
    function = program if numbering is None else torch.compile(program, backend=find_backend("mlirind"), options=options or {})
    with numbered(numbering):
        results = function(x, w)
        results[0].sin().sum().backward()
    return *results, x, w.grad


def test_a_graph_is_right_at_every_limit():
    whole = Numbering(None, keep=True)
    torch.testing.assert_close(run(whole, {"fallback": False}), run(None))
    steps = {event.step for event in whole.events if event.what}
    assert steps >= {"remove-noops", "cse-aten", "convert-aten-to-loop", "fuse-kernels", "plan-memory"}
    kernels = [event for event in whole.events if event.step == "convert-aten-to-loop"]
    assert any("aten._softmax.default at" in event.where and "y = torch.softmax" in event.where for event in kernels)
    for limit in range(0, whole.count, 7):
        part = Numbering(limit, keep=True)
        torch.testing.assert_close(run(part, {"fallback": False, "verify_each": True}), run(None))
        assert part.events == whole.events[:limit]


def test_the_option_counts_in_all_graphs_of_the_process(caplog):
    rewrite_limit._of_process.clear()
    caplog.set_level("INFO", "mlirind.passes.rewrite_limit")
    torch.testing.assert_close(run(Numbering(None)), run(None))
    compiled = torch.compile(lambda x: x.exp() + 1, backend=find_backend("mlirind"), options={"rewrite_limit": 30})
    compiled(torch.ones(3))
    torch.testing.assert_close(compiled(torch.ones(4, 4)), torch.ones(4, 4).exp() + 1)
    assert rewrite_limit._of_process[30].count > 40
    assert sum("(30)" in message for message in caplog.messages) == 1


@pytest.mark.parametrize("limit", [20, 30])
def test_the_module_before_the_last_rewrite(limit, tmp_path, capfd):
    rewrite_limit._of_process.clear()
    options = {"rewrite_limit": limit, "dump_dir": str(tmp_path)}
    torch.compile(lambda x: (x.exp() + 1).sum(0) * 1, backend=find_backend("mlirind"), options=options)(torch.ones(3, 3))
    path = tmp_path / "before_rewrite.mlir"
    assert f"the module before it: {path}" in capfd.readouterr().err
    head, text = path.read_text().split("\n", 1)
    assert head.startswith(f"// before rewrite ({limit})")
    with compile_context():
        assert len(ir.Module.parse(text).body.operations) >= 1


def test_nothing_is_numbered_without_a_limit():
    assert rewrite_limit.process_numbering(None) is None
    assert rewrite_limit.may_rewrite("fold") and rewrite_limit.may_run("cse-aten")


def test_the_variable_is_a_number(monkeypatch):
    from mlirind.options import Options

    monkeypatch.setenv("MLIRIND_REWRITE_LIMIT", "12")
    assert Options().rewrite_limit == 12
    monkeypatch.setenv("MLIRIND_REWRITE_LIMIT", "all")
    with pytest.raises(Exception, match="MLIRIND_REWRITE_LIMIT='all': a number from 0 is wanted"):
        Options()
