"""PyTorch's minifier (`TORCHDYNAMO_REPRO_AFTER=dynamo`) reduces a program that fails with this backend."""

import runpy
import sys

import planted_faults
import pytest
import torch
from mlirind.tools.backends import find_backend


def program(x):
    return (x.tanh() + 1).sum(0) * x.exp().cos().sin()


@pytest.mark.filterwarnings("ignore")
def test_the_minifier_finds_the_operator(tmp_path, monkeypatch):
    def set_to(owner, name, value):
        monkeypatch.setitem(owner, name, value)

    planted_faults.plant(planted_faults.FAULTS["a_rule_raises"], set_to)
    monkeypatch.setenv("MLIRIND_CHECK", "graphs")  # a graph that can't be compiled raises
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["minifier_launcher.py"])
    torch._dynamo.reset()
    assert find_backend("mlirind")
    with torch._dynamo.config.patch(repro_after="dynamo", repro_level=2, debug_dir_root=str(tmp_path)):
        with pytest.raises(Exception, match="tanh"):
            torch.compile(program, backend="mlirind")(torch.randn(4, 4))
        (launcher,) = tmp_path.rglob("minifier_launcher.py")
        assert "backend='mlirind'" in launcher.read_text() or 'backend="mlirind"' in launcher.read_text()
        runpy.run_path(str(launcher), run_name="__main__")
    repro = next(tmp_path.rglob("repro.py")).read_text()
    assert "tanh" in repro
    assert "cos" not in repro
