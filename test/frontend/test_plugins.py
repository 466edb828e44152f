"""Users' passes at the named points: that they run there, that their mistakes are told, that nothing compiled before is taken."""

import mlirind
import pytest
import torch
from mlirind.dialects import aten_ops
from mlirind.frontend.backend import mlirind as backend
from mlirind.frontend.counters import counters
from mlirind.passes.analysis.alias_analysis import functions_with_body
from mlirind.passes.analysis.node_identity import identity
from torch_mlir import ir

seen = []


def calls(module):
    return [op.operation for f in functions_with_body(module) for op in list(f.regions[0].blocks[0].operations) if aten_ops.is_operator(op)]


def note(module):
    """Notes what there is"""
    seen.append([aten_ops.pytorch_name(op) for op in calls(module)])


def sine_to_cosine(module):
    """sin(x) -> cos(x), which is another thing"""
    for op in calls(module):
        if aten_ops.pytorch_name(op) == "aten.sin.default":
            arguments, place = aten_ops.arguments(op), ir.InsertionPoint(op)
            made = aten_ops.create("aten.cos.default", arguments, [op.results[0].type], op.location, place, identity(op))
            op.results[0].replace_all_uses_with(made.results[0])


def share(module):
    """Returns what another result is a view of"""
    function = next(functions_with_body(module))
    ending = list(function.regions[0].blocks[0].operations)[-1]
    ending.operation.operands[1] = ending.operation.operands[0]


def fail(module):
    """Fails"""
    raise ValueError("no")


for name, run in {"test-note": note, "test-sine-to-cosine": sine_to_cosine, "test-share": share, "test-fail": fail}.items():
    mlirind.register_pass(name, run)


@pytest.fixture(autouse=True)
def _fresh():
    torch._dynamo.reset()
    counters.reset()
    seen.clear()
    yield
    torch._dynamo.reset()


def train(function, **options):
    x = torch.linspace(0, 1, 6, requires_grad=True)
    y = torch.compile(function, backend=backend, options=options)(x)
    y.sum().backward()
    return y, x.grad


@pytest.mark.parametrize("point", ["joint_before", "joint_after"])
def test_joint_points(point):
    """What changes the forward in the joint graph leaves the backward as it was traced."""
    x = torch.linspace(0, 1, 6)
    y, gradient = train(lambda x: x.sin() * 2, **{point: "test-note,test-sine-to-cosine,test-note"})
    torch.testing.assert_close((y, gradient), (x.cos() * 2, x.cos() * 2))
    before, after = seen
    assert before.count("aten.sin.default") == 1 and after.count("aten.sin.default") == 1 and "aten.cos.default" in after
    assert not counters.joint_unchanged


@pytest.mark.parametrize("point", ["post_grad_before", "post_grad_after"])
def test_post_grad_points(point):
    x = torch.linspace(0, 1, 6)
    y, gradient = train(lambda x: x.sin() * 2, **{point: ["test-sine-to-cosine", "test-note"]})
    torch.testing.assert_close((y, gradient), (x.cos() * 2, x.cos() * 2))
    assert len(seen) == 2


def test_pipelines_of_upstream_passes_too():
    train(lambda x: x.sin() * 2, post_grad_before="upstream{canonicalize},test-note")
    assert len(seen) == 2


@pytest.mark.parametrize("point", ["joint_before", "joint_after", "post_grad_before", "post_grad_after"])
def test_an_unknown_pass_is_told_with_the_closest(point):
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match=f"option {point}: unknown pass 'test-not': did you mean .*test-note"):
        train(lambda x: x.sin(), **{point: "test-not"})


@pytest.mark.parametrize("point", ["joint_before", "post_grad_after"])
def test_a_pass_that_fails_is_told(point):
    with pytest.raises(Exception, match=f"option {point}: pass `test-fail` failed: ValueError: no"):
        train(lambda x: x.sin(), **{point: "test-fail"})


def test_a_pass_that_breaks_a_rule_is_told():
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match="option post_grad_before: pass `test-share`.*shares storage"):
        torch.compile(lambda x: (x + 1, x + 2), backend=backend, options={"post_grad_before": "test-share"})(torch.ones(2))


def test_options_are_part_of_what_is_compiled():
    """The same function with other passes is compiled anew; both stay usable."""

    def function(x):
        return x.sin()

    x = torch.ones(3)
    plain = torch.compile(function, backend=backend)
    other = torch.compile(function, backend=backend, options={"post_grad_before": "test-sine-to-cosine"})
    for _ in range(2):
        torch.testing.assert_close(plain(x), x.sin())
        torch.testing.assert_close(other(x), x.cos())
    assert counters.compiled == 2
