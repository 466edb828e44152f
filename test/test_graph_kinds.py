"""Programs of every kind of graph (`test/graph_kinds`) show eager's results, run compiled, and are compiled once. Each runs in one mode, so
that all modes have their share; `python test/graph_kinds_table.py` runs them in all modes."""

import functools

import pytest
import torch
from graph_kinds import all_programs
from graph_kinds.program import compare
from graph_kinds_table import outcome
from mlirind.frontend.backend import mlirind

PROGRAMS = [program for _, program in all_programs()]
FROM_DATA = [program.name for kind, program in all_programs() if kind in ("data_sizes", "positions", "data_numbers")]
# Inference of types takes unbacked sizes for their hints, of which PyTorch's assertions are not true.
BACKEND = functools.partial(mlirind, options={"verify_each": False})

pytestmark = [pytest.mark.usefixtures("fresh_counters"), pytest.mark.filterwarnings("ignore")]


def mode_in_suite(number, program):
    """A mode that PyTorch takes; each in turn if the program does not say which."""
    taken = [mode for mode in program.modes() if mode not in program.refused]
    return program.in_suite or taken[number % len(taken)]


@pytest.mark.parametrize(("program", "mode"), [pytest.param(p, mode_in_suite(n, p), id=p.name) for n, p in enumerate(PROGRAMS)])
def test_program(program, mode):
    what, details = outcome(program, mode, BACKEND)
    assert what == "right", details
    assert not details or program.name not in FROM_DATA, "all passes run on the joint graph"


@pytest.mark.parametrize("program", [pytest.param(p, id=p.name) for p in PROGRAMS if p.refused])
def test_pytorch_refuses_it(program):
    for backend in ("aot_eager", BACKEND):
        assert "raises" in compare(program, program.refused[0], backend).difference


def test_names_are_unique():
    assert len({p.name for p in PROGRAMS}) == len(PROGRAMS) >= 120


def doubling(graph_module, inputs):
    """A wrong backend."""
    return lambda *args: [value * 2 if isinstance(value, torch.Tensor) else value for value in graph_module(*args)]


def test_a_wrong_result_is_seen():
    program = next(p for p in PROGRAMS if p.name == "custom_operator")
    assert compare(program, "training, dynamic", doubling).difference.startswith("size 6: ['outputs'] values: 24 of 24 differ")
    assert compare(program, "training, dynamic", "eager").difference is None
