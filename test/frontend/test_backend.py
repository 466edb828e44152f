"""`torch.compile(backend="mlirind")` end to end: what goes in and out of graphs, training, mutation, fallback, options."""

import dataclasses
import threading

import pytest
import torch
from mlirind.frontend.backend import mlirind
from mlirind.frontend.counters import counters
from torch import nn


@pytest.fixture(autouse=True)
def _fresh_dynamo():
    yield
    torch._dynamo.reset()


AS_ATEN = {"stop_after": "aten"}


def compiled(function, **options):
    return torch.compile(function, backend=mlirind, options={"fallback": False, **options})


def check(function, *inputs, dynamic=None, **options):
    """Equal to eager in outputs and in the inputs afterwards; gives the outputs."""
    torch.manual_seed(0)
    mine = [i.clone() if isinstance(i, torch.Tensor) else i for i in inputs]
    want = function(*inputs)
    torch.manual_seed(0)
    got = torch.compile(function, backend=mlirind, dynamic=dynamic, options={"fallback": False, **options})(*mine)
    torch.testing.assert_close(got, want)
    torch.testing.assert_close(mine, list(inputs))
    return got


def test_values_of_all_kinds():
    def function(x, n, flag, nothing):
        return {"a": x * n, "b": (None, 3), "c": [x.sum(), x.shape[0]]}, flag, nothing

    check(function, torch.randn(4, 3), 2, True, None)


def test_dataclass_output_and_unused_inputs():
    @dataclasses.dataclass
    class Output:
        first: torch.Tensor
        second: torch.Tensor | None

    result = compiled(lambda x, unused: Output(x + 1, None))(torch.ones(2), torch.zeros(3))
    assert torch.equal(result.first, torch.full((2,), 2.0)) and result.second is None


def test_graph_breaks():
    def function(x):
        y = x * 2
        if y.sum() > 0:
            return y + 1
        return y - 1

    check(function, torch.ones(3))
    check(function, -torch.ones(3))


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode, torch.enable_grad])
def test_grad_modes(mode):
    with mode():
        check(nn.Sequential(nn.Linear(3, 4), nn.GELU(), nn.Linear(4, 2)).requires_grad_(mode is torch.enable_grad), torch.randn(5, 3))


def test_inputs_are_mutated_through_the_epilogue():
    def function(x, y):
        x.mul_(2)
        y[1:] = x[:-1]
        return x + y, x.view(-1)

    with torch.no_grad():
        check(function, torch.randn(4, 3), torch.randn(4, 3))


def train(model, backend, inputs, steps=2):
    model = torch.compile(model, backend=backend, options={"fallback": False}) if backend else model
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for _ in range(steps):
        loss = model(inputs).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return losses, [p.detach().clone() for p in model.parameters()], [b.clone() for b in model.buffers()]


def test_training_with_buffers():
    torch.manual_seed(0)
    inputs = torch.randn(8, 2, 6, 6)
    results = []
    for backend in (None, mlirind):
        torch.manual_seed(1)
        model = nn.Sequential(nn.Conv2d(2, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(64, 3))
        results.append(train(model, backend, inputs))
    torch.testing.assert_close(results[1], results[0])


def test_one_compile_for_all_sizes():
    function = torch.compile(lambda x: (x.softmax(-1).sum(0), x.shape[0] * 2), backend=mlirind, dynamic=True, options={"fallback": False})
    before = counters.compiled
    for rows in (3, 5, 9):
        x = torch.randn(rows, rows + 1)
        got, size = function(x)
        torch.testing.assert_close(got, x.softmax(-1).sum(0))
        assert size == rows * 2
    assert counters.compiled == before + 1


def test_an_unsupported_graph_runs_and_is_counted():
    counters.reset()
    x = torch.arange(6, dtype=torch.uint8)
    function = torch.compile(lambda x: x.view(torch.float4_e2m1fn_x2).view(torch.uint8) * 2, backend=mlirind)
    torch.testing.assert_close(function(x), x * 2)
    assert list(counters.fallbacks.values()) == [1]
    (reason,) = counters.fallbacks
    assert "float4" in reason
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match="float4"):
        compiled(lambda x: x.view(torch.float4_e2m1fn_x2).view(torch.uint8) * 3)(x)


def test_a_refused_call_is_named():
    counters.reset()
    with pytest.raises(RuntimeError, match="length must be non-negative"):
        torch.compile(lambda x: torch.nn.functional.pad(x, (-8, 3)), backend=mlirind)(torch.zeros(4, 6))
    assert list(counters.fallbacks) == ["eager refuses the arguments of aten.constant_pad_nd.default (`constant_pad_nd`)"]


def test_an_unknown_option_raises_with_the_list():
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match="unknown option 'fuse'.*verify_each"):
        torch.compile(lambda x: x + 1, backend=mlirind, options={"fuse": True})(torch.ones(2))


SMALL = {
    "reduced dims of size 1": lambda: (
        lambda x: (x.argmin(1), x.softmax(1), x.sum((1, 2)), torch.nn.functional.rms_norm(x, (1,))),
        torch.randn(6, 1, 1),
    ),
    "one element": lambda: (lambda x, w: torch.nn.functional.rms_norm(x, (1,), w), torch.randn(1), torch.randn(1)),
    "no elements": lambda: (lambda x: (x.repeat(0, 2, 3), torch.stack([x, x], 1)[:0] * 2, x[:0].sum(0), x[:0].sum()), torch.randn(3, 2)),
}


@pytest.mark.parametrize("name", SMALL)
def test_small_sizes(name):
    check(*SMALL[name]())


@pytest.mark.parametrize("function", [torch.nn.functional.gelu, torch.nn.functional.glu, torch.nn.functional.mish])
def test_what_eager_does_not_have_for_integers_raises(function):
    with pytest.raises(NotImplementedError, match="Long"):
        torch.compile(function, backend=mlirind)(torch.ones(2, 2, dtype=torch.int64))
    check(function, torch.randn(2, 2))


@pytest.mark.parametrize("mode", ["default", "reduce-overhead", "max-autotune"])
def test_modes_are_accepted(mode):
    assert torch.compile(lambda x: x + 1, backend=mlirind, mode=mode)(torch.ones(2)).tolist() == [2, 2]


def test_unknown_modes_are_refused():
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match="known modes are default, reduce-overhead"):
        torch.compile(lambda x: x + 1, backend=mlirind, mode="fast")(torch.ones(2))


def test_options_of_another_type_are_refused():
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match="option verify_each='yes': bool is wanted"):
        torch.compile(lambda x: x + 1, backend=mlirind, options={"verify_each": "yes"})(torch.ones(2))


@pytest.mark.parametrize("features", ["foo", "+foo", "avx2", "-avx2,-", "-sse2"])
def test_unknown_target_features_are_refused(features, monkeypatch):
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match=r"option target_features=.* known: adx aes .* avx512f .* xsaves"):
        compiled(lambda x: x + 1, target_features=features)(torch.ones(2))
    monkeypatch.setenv("MLIRIND_TARGET_FEATURES", features)
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match="option target_features="):
        compiled(lambda x: x + 1)(torch.ones(2))


def test_compiled_autograd():
    """The backward graph that it captures has lists among its inputs."""
    weight = torch.randn(4, 3, requires_grad=True)
    x = torch.randn(2, 4)
    with torch._dynamo.compiled_autograd._enable(torch.compile(backend=mlirind)):
        torch.compile(lambda: (x @ weight).tanh().sum(), backend=mlirind)().backward()
    want = x.t() @ (1 - (x @ weight.detach()).tanh().square())
    torch.testing.assert_close(weight.grad, want)


def test_threads_compile_at_the_same_time():
    failures = []

    def work(n):
        try:
            function = torch.compile(lambda x: x.sin() + n, backend=mlirind, options={"fallback": False})
            torch.testing.assert_close(function(torch.ones(4)), torch.ones(4).sin() + n)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert failures == []


FOREACH = {
    "list": lambda a, b: torch._foreach_add(a, b, alpha=2),
    "number": lambda a, b: torch._foreach_mul(a, 1.5),
    "numbers": lambda a, b: torch._foreach_div(a, [2.0 + n for n in range(len(a))]),
    "tensor": lambda a, b: torch._foreach_mul(a, b[0].sum()),
    "fused": lambda a, b: torch._foreach_addcdiv(a, b, torch._foreach_exp(b), 0.5),
    "values": lambda a, b: torch._foreach_addcmul(a, b, b, [0.5] * len(a)),
    "lerp": lambda a, b: torch._foreach_lerp(a, b, 0.25),
    "power": lambda a, b: torch._foreach_pow(2.0, b),
    "bounds": lambda a, b: torch._foreach_clamp_max(torch._foreach_maximum(a, 0.1), b),
    "write": lambda a, b: (torch._foreach_sub_(a, b), torch._foreach_sqrt(torch._foreach_abs(a)))[1],
}


@pytest.mark.parametrize("name", FOREACH)
def test_foreach(name):
    def lists(seed):
        torch.manual_seed(seed)
        return [torch.randn(n, 2) for n in range(1, 20)], [torch.randn(n, 2) for n in range(1, 20)]

    mine, theirs = lists(0), lists(0)
    with torch.no_grad():
        got = torch.compile(FOREACH[name], backend=mlirind, options={"fallback": False})(*mine)
        torch.testing.assert_close(list(got), list(FOREACH[name](*theirs)))
    torch.testing.assert_close(mine, theirs)


def test_graph_as_aten_calls():
    check(lambda x: (x + 1).relu().sum(-1), torch.randn(4, 3), **AS_ATEN)
    check(lambda x: (x + 1).relu().sum(-1) * x.shape[0], torch.randn(4, 3), dynamic=True, **AS_ATEN)


def test_a_graph_that_stops_after_import_has_seen_no_pass(capfd):
    """Forward and backward are right, and no pass runs, on the joint graph neither."""

    def train(function):
        x = torch.arange(6.0).view(2, 3).requires_grad_()
        y = function(x)
        return y, *torch.autograd.grad(y.sum(), x)

    def program(x):
        return (x + 0).relu() * x.sin()

    torch._dynamo.reset()
    options = {"stop_after": "import", "fallback": False, "print_ir_after_all": True}
    found = train(torch.compile(program, backend="mlirind", options=options))
    for a, b in zip(found, train(program), strict=True):
        assert torch.equal(a, b)
    assert "IR After" not in capfd.readouterr().err
    with pytest.raises(Exception, match="'import' and 'aten' are possible"):
        torch.compile(program, backend="mlirind", options={"stop_after": "loop"})(torch.ones(2))


@pytest.mark.skipif(not hasattr(torch.Tensor, "names"), reason="PyTorch 2.13 has no named dimensions")
def test_named_dimensions():
    """A graph that takes them runs as it was captured."""
    compiled = torch.compile(lambda x: x * 2, backend=mlirind)
    assert compiled(torch.zeros(2, 3, names=("a", "b"))).names == ("a", "b")
    assert compiled(torch.ones(2, 3)).names == (None, None)


def test_rounding_marks_the_functions(capfd):
    """The passes read the option from the functions; the default leaves no mark."""

    def marks(**options):
        compiled(lambda x: x @ x + 1, print_ir_before_all=True, **options)(torch.ones(3, 3))
        torch._dynamo.reset()
        text = capfd.readouterr().err
        assert "IR Before" in text
        return [rounding for rounding in ("library", "eager", "free") if f'aten.rounding = "{rounding}"' in text]

    assert marks() == marks(rounding="library") == []
    assert marks(rounding="eager") == ["eager"] and marks(rounding="free") == ["free"]
    with pytest.raises(Exception, match="'library', 'eager' and 'free' are possible"):
        compiled(lambda x: x + 1, rounding="exact")(torch.ones(2))
