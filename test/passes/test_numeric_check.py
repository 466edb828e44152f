"""Numeric check of graph passes: each function of a pass's lit file that the pass changes gives the same results before and after it, on
sample inputs. ATen evaluates both, on the CPU."""

import re
from pathlib import Path

import pytest
import torch
from mlirind.dialects.context import compile_context
from mlirind.errors import MlirindError
from mlirind.frontend.checking.outcomes import GraphOutcome, wrong_outcome
from mlirind.passes.driver import QUIET, run_passes
from mlirind.passes.pipeline import GRAPH, JOINT
from mlirind.runtime.reference.differences import least_share
from mlirind.runtime.reference.evaluate_graph import evaluate_graph
from mlirind.tools.mlirind_opt import _parts
from mlirind.tools.run_graph import Settings, _Inputs, graph_of
from torch_mlir import ir

FOLDER = Path(__file__).parent
WITHOUT_SAMPLES = {
    "user-patterns": "applies what users register",
    "freeze-parameters": "moves operations to a second function, whose results the runtime passes on",
}


def functions(path):
    """The functions of a lit file, each as the text of a module."""
    for part in _parts(path.read_text(), split=True):
        module = ir.Module.parse(part)
        for function in module.body.operations:
            if function.operation.name == "func.func" and len(function.regions[0].blocks):
                alone = ir.Module.create()
                function.operation.clone(ir.InsertionPoint(alone.body))
                yield str(alone)


def on_cpu(module):
    """The module with its tensors on the CPU."""
    return ir.Module.parse(re.sub(r'"cuda:\d"', '"cpu"', str(module)))


def outcome(module, inputs, source):
    function = graph_of(module)
    torch.manual_seed(0)
    return GraphOutcome.of(lambda given: evaluate_graph(function, given, inputs.symbols), inputs.make(), least_share(source))


@pytest.mark.parametrize("name", [n for n in dict.fromkeys([*JOINT, *GRAPH]) if n not in WITHOUT_SAMPLES])
def test_a_pass_keeps_results(name):
    compared = 0
    with compile_context():
        for source in functions(FOLDER / f"{name.replace('-', '_')}.mlir"):
            before, after = ir.Module.parse(source), ir.Module.parse(source)
            run_passes(after, [name], QUIET)
            if str(after) == str(before):
                continue
            before, after = on_cpu(before), on_cpu(after)
            try:
                inputs = _Inputs(graph_of(before), Settings({}, (0, 2), 0))
                wanted = outcome(before, inputs, source)
            except (MlirindError, AssertionError):  # arguments that can't be generated
                continue
            if wanted.error is None:  # else ATen's operators refuse the call on a CPU
                assert wrong_outcome(wanted, outcome(after, inputs, source)) is None, f"{before}\n{after}"
                compared += 1
    assert compared
