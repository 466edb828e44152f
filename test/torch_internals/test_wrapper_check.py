"""AOTAutograd's wrappers are left out only in versions of PyTorch that were checked, or in which small graphs behave alike."""

import functools
import os
import subprocess
import sys

import pytest
import torch
from mlirind.disk_cache.container import pack_entry
from mlirind.torch_internals import wrapper_check
from mlirind.torch_internals.wrapper_check import CHECKED, source, wrappers_are_known, wrappers_behave
from torch import fx

UNKNOWN = """
from mlirind.torch_internals import wrapper_check
wrapper_check.CHECKED.clear()
import mlirind.frontend.backend
print(wrapper_check.wrappers_are_known())
import torch
def step(x): return (x.sin() * x).sum()
x = torch.ones(3, requires_grad=True)
torch.compile(step, backend="mlirind", options={"fallback": False})(x).backward()
print(torch.allclose(x.grad, x.detach().sin() + x.detach() * x.detach().cos()))
"""


def test_the_source_was_checked_or_behaves():
    assert torch.__version__.partition("+")[0] not in CHECKED or source() in CHECKED.values()
    assert wrappers_are_known()


def test_an_unchecked_source_is_tested_once(tmp_path):
    """The first process compiles small graphs before any other; the second reads the answer."""
    environment = {**os.environ, "MLIRIND_CACHE_DIR": str(tmp_path)}
    for answer, expected in (("as known", ["True", "True"]), ("as known", ["True", "True"]), ("other", ["False", "True"])):
        found = [*(tmp_path / "wrappers").glob("*")]
        if found:
            found[0].write_bytes(pack_entry(found[0].name, {"as known": answer == "as known"}, []))
        run = subprocess.run([sys.executable, "-P", "-c", UNKNOWN], env=environment, capture_output=True, text=True)
        assert run.stdout.split() == expected, run.stderr
        assert ("graphs are called through the wrappers" in run.stderr) == (answer == "other")


def test_nothing_is_tried_in_mid_compilation(monkeypatch, tmp_path):
    monkeypatch.setenv("MLIRIND_CACHE_DIR", str(tmp_path))
    answers = []

    def backend(graph_module, inputs):
        answers.append(wrapper_check._remembered("0" * 64))
        return graph_module.forward

    torch.compile(lambda x: x + 1, backend=backend)(torch.ones(2))
    assert answers == [False] and not any(tmp_path.iterdir())


@pytest.mark.parametrize("trains", [False, True])
def test_a_graph_with_parameters_goes_through_the_wrapper(trains):
    """The wrapper adds them to the inputs: Dynamo of PyTorch 2.11 makes such graphs where inline_inbuilt_nn_modules is off."""
    theirs, ours = wrapper_check._callables(fx.symbolic_trace(wrapper_check._Holds()), trains)
    assert ours is theirs


@pytest.mark.parametrize("what", ["training_call", "direct_call"])
def test_another_behaviour_is_found(what, monkeypatch):
    """A callable that does what AOTAutograd's does, but for one thing."""
    assert wrappers_behave()
    ours = getattr(wrapper_check, what)

    @functools.wraps(ours)
    def changed(*args):
        call = ours(*args)
        return lambda *inputs: call(*(i.clone() if isinstance(i, torch.Tensor) else i for i in inputs))  # writes are lost

    monkeypatch.setattr(wrapper_check, what, changed)
    assert not wrappers_behave()
