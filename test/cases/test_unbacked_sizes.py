"""Sizes that a program marks as unbacked: PyTorch has no example of them and asserts what it needs to know. One compilation for all
sizes; where what the graph assumes does not hold (a size of 1 or 0, an assertion) the answer is still eager's."""

import inspect

import pytest
import torch
from eager_comparison import difference
from mlirind.frontend.counters import counters
from torch._dynamo.decorators import mark_unbacked
from torch._dynamo.utils import counters as dynamo_counters

nn = torch.nn.functional
# What can be said of a size; older versions of PyTorch know less.
FACTS = inspect.signature(mark_unbacked).parameters


def marked(*sizes, dims=(0,), grad=False, **facts):
    x = torch.randn(*sizes, dtype=torch.float64)
    for dim in dims:
        mark_unbacked(x, dim, **facts)
    return x.requires_grad_(grad)


def identifiers(n):
    i = torch.randint(0, 10, (n, n + 1))
    mark_unbacked(i, [0, 1])
    return (i, torch.ones(1, requires_grad=True))


WEIGHT, TABLE = torch.linspace(-1, 1, 12, dtype=torch.float64).view(3, 4), torch.linspace(-1, 1, 80).view(10, 8)


def block(i, scale):
    h = nn.embedding(i, TABLE)
    scores = ((h @ h.mT) / 8**0.5).softmax(-1)
    return nn.layer_norm(scores @ h + h, (8,)).mean(1) * scale


PROGRAMS = {
    "pointwise": (lambda x: x * 2 + x.shape[0], lambda n: (marked(n, 3),)),
    "two equal sizes": (lambda x, y: x.sin() + y, lambda n: (marked(n, 3), marked(n, 3))),
    "shared size": (lambda x, y: x.sin() @ y, lambda n: (marked(3, n, dims=(1,), shape_id="n"), marked(n, 3, shape_id="n"))),
    "cat": (lambda x, y: torch.cat([x, y]).softmax(0), lambda n: (marked(n, 3), marked(n + 1, 3))),
    "inner": (lambda x: x.softmax(-1).t() + 1, lambda n: (marked(3, n, dims=(1,)),)),
    "both": (lambda x: (x * 2).sum(0), lambda n: (marked(n, n + 1, dims=(0, 1)),)),
    "view": (lambda x: x.view(-1)[:4] * 2, lambda n: (marked(n, 3),)),
    "write": (lambda x: x.add_(1), lambda n: (marked(n, 3),)),
    "training": (lambda x: torch.relu(x @ WEIGHT).sum(0), lambda n: (marked(n, 3, grad=True),)),
    "training, sizes of tensors alone": (lambda x: x.sin() * 2, lambda n: (marked(n, 3, grad=True),)),
    "transformer": (block, identifiers),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(backend, name):
    if name == "shared size" and "shape_id" not in FACTS:
        pytest.skip("this PyTorch has no sizes that are shared by name")
    function, make_inputs = PROGRAMS[name]
    compiled = torch.compile(function, backend=backend)
    graphs = dynamo_counters["stats"]["unique_graphs"]
    for n in (5, 9, 1, 0, 2):
        seen = []
        for call in (function, compiled):
            torch.manual_seed(0)
            inputs = make_inputs(n)
            given = call(*inputs)
            if given.requires_grad:
                given.square().sum().backward()
            seen.append((given, inputs, [x.grad for x in inputs]))
        found = difference(*seen)
        assert found is None, f"size {n}: {found}"
    # An inner size of 0 is contiguous in other strides, which Dynamo compiles anew.
    assert dynamo_counters["stats"]["unique_graphs"] - graphs <= 1 + (name in ("inner", "shared size"))
    # For PyTorch 2.11 the length of a slice is a size that depends on data.
    assert not counters.fallbacks or (name == "view" and torch.__version__ < (2, 13))
    # Attention's meta function wants to know whether a size is 0.
    assert all("PyTorch does not know the result" in reason and name == "transformer" for reason in counters.joint_unchanged)


@pytest.mark.parametrize("training", [False, True])
def test_an_assertion_that_does_not_hold(backend, training):
    def function(x):
        torch._check(x.shape[0] % 2 == 1)
        return x * 2

    compiled = torch.compile(function, backend=backend)
    for n in (3, 5):
        x = marked(n, 3, grad=training)
        assert torch.equal(compiled(x), x * 2)
    with pytest.raises(RuntimeError, match="Runtime assertion failed for expression Eq.Mod"):
        compiled(marked(4, 3, grad=training))
    assert torch.equal(compiled(marked(7, 3)).isfinite().all(), torch.tensor(True))
    assert not counters.fallbacks and not counters.joint_unchanged


def test_what_is_said_of_a_size(backend):
    """Bounds that a caller gives."""
    if not {"min", "max", "hint_override"} <= FACTS.keys():
        pytest.skip("this PyTorch takes no bounds")
    compiled = torch.compile(lambda x: x * 2, backend=backend)
    for n in (3, 8):
        x = marked(n, 3, min=3, max=8, hint_override=5)
        assert torch.equal(compiled(x), x * 2)
    assert not counters.fallbacks
