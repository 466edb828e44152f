"""Option `check` and `kernel_debug="compare"`: nothing is wrong with right graphs, and planted faults are found by pass and operator."""

import re
import runpy

import mlirind.patterns
import planted_faults
import pytest
import torch
from mlirind import pattern_registry
from mlirind.dialects import aten_ops
from mlirind.errors import WrongResult
from mlirind.frontend.decompositions.table import decomposition_table
from mlirind.passes import registry
from mlirind.passes.patterns.engine import pattern_set
from mlirind.tools.backends import find_backend
from planted_faults import FAULTS
from torch_mlir import ir


def step(x, w, at):
    y = torch.nn.functional.dropout(torch.softmax(x.clone() @ w, -1), 0.5)
    x[at] = y[at] * 2
    return (y.transpose(0, 1) + x.sum(0)).sin(), y[1:3]


@pytest.mark.parametrize("options", [{"check": "graphs"}, {"check": "passes"}, {"check": "kernels"}, {"kernel_debug": "compare"}])
def test_a_right_graph(options):
    def run(function):
        torch.manual_seed(0)
        x, w = torch.randn(4, 4), torch.randn(4, 4, requires_grad=True)
        results = function(x, w, torch.tensor([0, 2]))
        results[0].sum().backward()
        return *results, x, w.grad

    torch._dynamo.reset()
    compiled = torch.compile(step, backend=find_backend("mlirind"), options=options | {"fallback": False})
    torch.testing.assert_close(run(compiled), run(step))


def failure(name, set_to, **options):
    fault = FAULTS[name]
    planted_faults.plant(fault, set_to)
    with pytest.raises(Exception, match=r"differs from|failed") as caught:
        planted_faults.run(fault, {"reproducer": False, **options})
    return fault, str(caught.value)


@pytest.mark.parametrize(
    "name",
    ["a_write_is_dropped", "later_readers_are_forgotten", "the_last_element_is_not_summed", "a_kernel_may_overwrite_what_it_reads_later"],
)
def test_a_fault_is_found(name, set_to):
    fault, text = failure(name, set_to, check="passes")
    assert planted_faults.names(fault, text), text
    assert re.search(r"planted_faults.py:\d+", text)


def test_a_constant_of_a_rule_is_found_by_its_kernel(set_to):
    _, text = failure("a_constant_of_a_rule_is_wrong", set_to, kernel_debug="compare")
    assert re.search(r"kernel fused_leaky_relu_mul_0 \(.*leaky_relu.*\)\n +from .*planted_faults.py:\d+", text)
    assert "differs from ATen in the result of aten.mul_tensor" in text


def test_a_graph_alone_is_named_without_a_search(set_to):
    _, text = failure("a_rule_takes_the_minimum", set_to, check="graphs")
    assert re.search(r"graph model__\d+_inference_\d+ differs from eager: result 0: largest error", text)
    assert "pass:" not in text


def test_a_pass_on_the_joint_graph(set_to):
    planted_faults.plant(FAULTS["relu_is_a_noop"], set_to)
    options = {"check": "passes", "reproducer": False}
    compiled = torch.compile(lambda x: torch.relu(x + 1).sum(0), backend=find_backend("mlirind"), options=options)
    wanted = r"(?s)a joint graph .*pass: `remove-noops`.*removal of aten.relu.default at .*torch.relu\(x \+ 1\)"
    with pytest.raises(WrongResult, match=wanted) as caught:
        compiled(torch.randn(8, requires_grad=True))
    assert caught.value.culprit.step == "remove-noops"


def test_a_reproducer(tmp_path, set_to):
    from mlirind.tools.mlirind_opt import main

    _, text = failure("relu_is_a_noop", set_to, check="passes", reproducer=True, dump_dir=str(tmp_path))
    (folder,) = tmp_path.iterdir()
    command = (folder / "command.txt").read_text().split()
    assert " ".join(command) in text
    assert (folder / "whole_inputs.txt").read_text() == "0: float32[4, 8], strides [8, 1], offset 0, cpu\n"
    assert len((folder / "inputs.txt").read_text().splitlines()) == 2  # of x.sin() too, which is no operation of the reduced graph
    assert main(command[1:]) == 1  # the fault is still there


def as_tanh(module):
    for op in list(module.body.operations[0].regions[0].blocks[0].operations):
        if op.operation.name == "aten.relu":
            tanh = aten_ops.create("aten.tanh.default", aten_ops.arguments(op), [op.result.type], op.location, ir.InsertionPoint(op))
            op.result.replace_all_uses_with(tanh.result)
            op.erase()


def test_a_users_pass(tmp_path, set_to):
    from mlirind.tools.mlirind_opt import main

    set_to(registry._passes, "as-tanh", registry.Pass("as-tanh", as_tanh, "", None))
    options = {"check": "passes", "post_grad_before": "as-tanh", "dump_dir": str(tmp_path)}
    with pytest.raises(WrongResult, match="pass: `as-tanh`; the IR before it is right") as caught:
        torch.compile(lambda x: torch.relu(x + 1) * 2, backend=find_backend("mlirind"), options=options)(torch.randn(4))
    _, plugin, *command = re.search(r"repeat it with: (.*)", str(caught.value))[1].split()
    assert plugin == f"--load-pass-plugin={__file__}"
    assert main(command) == 1  # the fault is still there


WRONG_PATTERN = """
import torch
from mlirind.patterns import register_replacement

def search(x): return torch.relu(x + 1.0625)
def replace(x): return torch.tanh(x + 1.0625)

register_replacement(search, replace, [torch.randn(4)], name="wrong")
"""


def test_a_users_pattern(tmp_path, monkeypatch):
    """The command loads the file that registered it."""
    from mlirind.tools.mlirind_opt import main

    monkeypatch.setattr(pattern_registry, "files", {})  # without those of other tests of this process
    file = tmp_path / "wrong_pattern.py"
    file.write_text(WRONG_PATTERN)
    try:
        runpy.run_path(str(file))
        options = {"check": "passes", "dump_dir": str(tmp_path)}
        with pytest.raises(WrongResult, match="pass: `user-patterns`; the IR before it is right") as caught:
            torch.compile(lambda x: torch.relu(x + 1.0625) * 2, backend=find_backend("mlirind"), options=options)(torch.randn(4))
        _, plugin, *command = re.search(r"repeat it with: (.*)", str(caught.value))[1].split()
        assert plugin == f"--load-pass-plugin={file}"
        pattern_set.remove_all(mlirind.patterns.DEFAULT_PASS)
        assert main(command) == 0
        assert main([plugin, *command]) == 1  # the fault is still there
    finally:
        pattern_set.remove_all(mlirind.patterns.DEFAULT_PASS)


def test_a_pattern_that_is_traced_while_a_graph_is_compiled(set_to):
    """The passes that run on the pattern are none of the graph's."""
    mlirind.patterns.register_replacement(
        lambda x: torch.relu(x + 1.0625), lambda x: torch.tanh(x + 1.0625), [torch.randn(4)], name="wrong"
    )
    try:
        options = {"check": "passes", "reproducer": False}
        wanted = r"(?s)pass: `user-patterns`; .*user-patterns: pattern wrong of aten.relu.default at"
        with pytest.raises(WrongResult, match=wanted) as caught:
            torch.compile(lambda x: torch.relu(x + 1.0625) * 2, backend=find_backend("mlirind"), options=options)(torch.randn(4))
        assert caught.value.culprit.step == "user-patterns"
    finally:
        pattern_set.remove_all(mlirind.patterns.DEFAULT_PASS)


def loss(target, x):
    y = (target * 0 - x) * -2  # reads the target first, so it is the first input
    return torch.nn.functional.soft_margin_loss(y, target) + y.sum()


@pytest.mark.parametrize(
    ("operator", "gradients", "wrong"),
    [("soft_margin_loss", False, "result 0"), ("soft_margin_loss_backward", True, "gradient 1")],
)
def test_a_wrong_decomposition(operator, gradients, wrong, set_to):
    """Each graph of ATen's operators is right, but they are the wrong ones."""
    table, overload = decomposition_table(True, True), getattr(torch.ops.aten, operator).default
    right = table[overload]
    set_to(table, overload, lambda *given, **named: right(*given, **named) * 1.25)
    compiled = torch.compile(loss, backend=find_backend("mlirind"), options={"check": "graphs"})
    with pytest.raises(WrongResult, match="as Dynamo captured it differs from eager") as caught:
        compiled(torch.ones(4), torch.randn(4, requires_grad=gradients))
    text, line = str(caught.value), loss.__code__.co_firstlineno
    assert f": {wrong}: largest error" in text
    if gradients:
        assert "input 1 is `l_x_`" in text
    else:
        assert re.search(rf"result 0 is made by `add` of .*test_check.py:{line + 2}: return torch", text)
        assert re.search(rf"the first difference is in `soft_margin_loss` of .*test_check.py:{line + 2}: return torch", text)


def test_an_optimizer_whose_graph_holds_its_tensors():
    parameter = torch.nn.Parameter(torch.ones(3))
    optimizer = torch.optim.SGD([parameter], lr=0.5)
    parameter.grad = torch.ones(3)
    torch.compile(optimizer.step, backend=find_backend("mlirind"), options={"check": "graphs"})()
    torch.testing.assert_close(parameter.detach(), torch.full((3,), 0.5))


def test_another_word_is_refused():
    with pytest.raises(Exception, match="option check='all': 'graphs', 'passes' and 'kernels' are possible"):
        torch.compile(torch.exp, backend=find_backend("mlirind"), options={"check": "all"})(torch.ones(2))
