"""Graphs that are not traced again: gradients of every kind, and what AOTAutograd reads beside a graph. `test_cache.py` and
`test_cache_keys.py` have the rest."""

import contextlib
import copy

import pytest
import torch
from cached_programs import agree, compiled, counts_of, inputs, loss, run, seen, softmax, traced_files
from mlirind.frontend import compile as compile_module
from mlirind.frontend.counters import counters
from torch.nn.attention import SDPBackend, sdpa_kernel


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("MLIRIND_CACHE_DIR", str(tmp_path))


def found_after(look, change):
    """Whether a program is found that another process traced, where the first look-up is as without `change`."""
    look()
    assert counters.cache["traced miss"] == 1
    look()
    assert counters.cache["traced hit"] == 1
    with change:
        look()
    return counters.cache["traced hit"] == 1


# Backwards.


def kept_graph(function):
    x, w = inputs(True)
    total = function(x, w).sum()
    first = torch.autograd.grad(total, [x, w], retain_graph=True)
    return [*first, *torch.autograd.grad(total, [x, w], retain_graph=True), *torch.autograd.grad(total, [x, w])]


def gradient_batches(function):
    x, w = inputs(True)
    made = function(x, w)
    return torch.autograd.grad(made, [x, w], torch.eye(made.shape[0]), is_grads_batched=True)


def ordinary(function):
    x, w = inputs(True)
    function(x, w).square().sum().backward()
    return x.grad, w.grad


def hooks(function):
    x, w = inputs(True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t * 1, lambda t: t):
        total = function(x, w).sum()
    return torch.autograd.grad(total, [x, w])


def compiled_autograd(function):
    x, w = inputs(True)
    made = function(x, w).square().sum()
    with torch._dynamo.compiled_autograd._enable(torch.compile(backend="aot_eager")):
        made.backward()
    return x.grad, w.grad


@pytest.mark.parametrize("use", [ordinary, kept_graph, gradient_batches, hooks, compiled_autograd])
@pytest.mark.parametrize("dynamic", [False, True])
def test_backwards_of_graphs_that_are_not_traced(use, dynamic):
    wanted = use(loss)
    for outcome in ("miss", "hit", "hit"):
        found = use(compiled(loss, dynamic))
        assert all(torch.allclose(a, b, rtol=1e-4, atol=1e-5) for a, b in zip(found, wanted, strict=True))
        if use is not hooks:  # under hooks it may be traced
            assert counters.cache == counts_of(outcome, 2)


def test_backwards_write_to_saved_tensors_unless_the_graph_is_kept(monkeypatch):
    """As without the cache. What a kept graph holds is copied, where AOTAutograd refuses without the cache."""

    def program(x):
        return (x @ x).exp().sum()

    def gradients(function, kept):
        x = torch.linspace(-0.1, 0.1, 512 * 512).view(512, 512).requires_grad_()  # small tensors stay with the graph
        total = function(x)
        return [torch.autograd.grad(total, x, retain_graph=keep)[0] for keep in kept]

    donated, mark = [], compile_module.mark_donated
    monkeypatch.setattr(compile_module, "mark_donated", lambda module, given: (donated.extend(given), mark(module, given)))
    for outcome in ("miss", "hit"):
        function = compiled(program)
        for kept in ((False,), (True, True, False)):
            for found in gradients(function, kept):
                torch.testing.assert_close(found, gradients(program, (False,))[0], rtol=1e-4, atol=1e-3)
        assert counters.cache == counts_of(outcome, 2)
    stored = sorted(donated)
    donated.clear()
    gradients(compiled(program, cache=False), (False,))
    assert stored == sorted(donated) != []


def test_a_graph_may_be_kept_in_another_process_only():
    """A backward copies saved tensors that a kept graph holds, so that an entry serves both kinds of programs."""
    wanted = kept_graph(loss)
    assert seen(compiled(loss), True)
    found = kept_graph(compiled(loss))
    assert counters.cache == counts_of("hit", 2)
    assert all(torch.allclose(a, b, rtol=1e-5, atol=1e-6) for a, b in zip(found, wanted, strict=True))


def test_gradients_of_gradients_are_refused_in_the_same_words():
    texts = []
    for options in ({"cache": False}, {}, {}):
        x, w = inputs(True)
        first = torch.autograd.grad(compiled(loss, **options)(x, w).square().sum(), x, create_graph=True)[0]
        with pytest.raises(RuntimeError) as raised:
            torch.autograd.grad(first.square().sum(), w)
        texts.append(str(raised.value))
    assert counters.cache == counts_of("hit", 2) and len(set(texts)) == 1


# Keys.


def attention(x, w):
    return torch.nn.functional.scaled_dot_product_attention(x[None, None], x[None, None], x[None, None]) @ w


CHANGES = {
    "attention": lambda: sdpa_kernel(SDPBackend.MATH),
    "autocast": lambda: torch.autocast("cpu", torch.bfloat16),
    "anomaly mode": torch.autograd.detect_anomaly,
    "functorch": lambda: torch._functorch.config.patch(treat_parameters_as_free_to_save=False),
    "deterministic": lambda: deterministic(),
}


@contextlib.contextmanager
def deterministic():
    torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(False)


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
@pytest.mark.parametrize("change", CHANGES)
def test_a_setting_is_part_of_the_key(change):
    assert not found_after(lambda: compiled(attention)(*inputs(False)), CHANGES[change]())


def test_memory_that_inputs_share_is_part_of_the_key():
    """Results depend on it where an input is written."""

    def writes(x, y):
        x.add_(1)
        return x + y

    def look(shared):
        base = torch.zeros(2, 6)
        given = [base[0], base[0].view(6) if shared else base[1]]
        found, wanted = compiled(writes)(*given), torch.full((6,), 2.0 if shared else 1.0)
        assert torch.equal(found, wanted), (found, wanted)

    for shared in (False, True, False, True):
        look(shared)


def test_a_parameter_is_another_input_than_a_tensor():
    def look(kind):
        x, w = inputs(False)
        with torch.no_grad():
            compiled(softmax)(kind(x), kind(w))

    look(lambda t: t.requires_grad_())
    look(torch.nn.Parameter)
    assert counters.cache["traced miss"] == 1


def test_a_program_that_implements_an_operator_is_traced():
    library = torch.library.Library("aten", "IMPL")
    library.impl("silu", lambda x: x * 3, "CompositeImplicitAutograd")
    try:
        assert run("inference")[1]["AOTAutograd traces: the program implements operators of PyTorch"] == 1
        assert not traced_files()
    finally:
        library._destroy()
    assert run("inference") == (True, {"hit": 1, "traced miss": 1})


def test_the_rules_that_pytorch_adds_for_vmap_are_its_own():
    torch.vmap(torch.sin)(torch.ones(2, 2))
    assert any(name.endswith("/FuncTorchBatched") for name in torch.library._impls)
    run("inference")
    assert run("inference") == (True, counts_of("hit", 1))


def test_passes_on_joint_graphs_are_run():
    run("training")
    right, counts = run("training", joint_after="cse-aten")
    assert right and "traced hit" not in counts
    assert run("training") == (True, counts_of("hit", 2))


def test_a_guard_that_tracing_adds_is_added_again():
    """A function that is found specializes its sizes as one that is traced."""

    def program(x):
        return x.view(3, -1).sum(0) if x.shape[0] % 3 == 0 else x * 2

    for outcome in ("miss", "hit"):
        function = compiled(program, dynamic=True)
        for size in (6, 9, 5, 12):
            x = torch.randn(size)
            assert torch.allclose(function(x), program(x))
        assert counters.cache == {outcome: 2, f"traced {outcome}": 2}


def test_modules_with_equal_sizes_share_an_entry():
    """Parameters are inputs: other values are no other graph."""
    for outcome in ("miss", "hit"):
        model = torch.nn.Sequential(torch.nn.Linear(6, 6), torch.nn.ReLU(), torch.nn.MaxPool1d(2), torch.nn.BatchNorm1d(4))
        x = torch.randn(3, 4, 6)
        reference = copy.deepcopy(model)
        found, wanted = seen(compiled(model), True, [x.clone()]), seen(reference, True, [x.clone()])
        assert agree([found[0][:1], *found[1:]], [wanted[0][:1], *wanted[1:]])
        assert counters.cache == counts_of(outcome, 2)
