"""functorch's partition with another choice of what is saved: nobody else sees it, threads may run it, a changed functorch is noticed."""

import copy
import threading

import pytest
import torch
from mlirind.frontend.backend import mlirind
from mlirind.frontend.joint import joint_partition
from mlirind.torch_internals import functorch_partition
from mlirind.torch_internals.functorch_partition import min_cut, partition
from torch._functorch import config, partitioners

pytestmark = pytest.mark.usefixtures("fresh_counters")
PROGRAMS = {
    "draws": lambda x, w: torch.nn.functional.rrelu(torch.nn.functional.rrelu(x @ w, training=True).tanh(), training=True).sin(),
    "sorted": lambda x, w: (x @ w).sort(-1)[0].sigmoid().cos().sum() + torch.nn.functional.rrelu(x, training=True).exp().sum(),
    "deep": lambda x, w: ((x @ w).sin().exp() @ w).cos().tanh().softmax(-1) @ w,
}
BUDGETS = (1.0, 0.5, 0.1, 1e-6)


@pytest.fixture
def joint_graphs(monkeypatch):
    """The joint graph of each program, and how many results its forward has."""
    made = []

    def keep(joint_module, inputs, **kwargs):
        made.append((copy.deepcopy(joint_module), inputs, kwargs["num_fwd_outputs"]))
        return original(joint_module, inputs, **kwargs)

    original = joint_partition.partition
    with monkeypatch.context() as patch:
        patch.setattr(joint_partition, "partition", keep)
        for program in PROGRAMS.values():
            torch._dynamo.reset()
            x, w = (torch.randn(8, 8, requires_grad=True) for _ in range(2))
            torch.compile(program, backend=mlirind)(x, w)
    return made


def cut(graph, budget):
    """The code of forward and backward."""
    joint_module, inputs, outputs = graph
    forward, backward = partition(
        copy.deepcopy(joint_module), inputs, kind="min-cut", budget=budget, num_fwd_outputs=outputs, static_indices=None
    )
    return forward.code, backward.code


def settings():
    return config.activation_memory_budget, config.cse, config.graphsafe_rng_functionalization, partitioners.choose_saved_values_set


def test_the_installed_functorch_is_known():
    """Where this fails, functorch has changed: budgets below 1 count as 1 for graphs with draws of several results."""
    assert min_cut() is not None


def test_four_threads(joint_graphs):
    """Each gets what it gets alone, and functorch is as it was, also while they run."""
    tasks = [(graph, budget) for graph in joint_graphs for budget in BUDGETS] * 2
    wanted = [cut(*task) for task in tasks]
    before = settings()
    found, seen, start = [None] * len(tasks), [], threading.Barrier(5)

    def run(first):
        start.wait()
        for number in range(first, len(tasks), 4):
            found[number] = cut(*tasks[number])

    threads = [threading.Thread(target=run, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    start.wait()
    while any(t.is_alive() for t in threads):
        seen.append(partitioners.choose_saved_values_set)
        threads[0].join(0.001)
    assert found == wanted and settings() == before and set(seen) == {before[-1]}


def test_programs_that_four_threads_compile():
    def work(seed, results):
        torch.manual_seed(seed)
        x, w = (torch.randn(8, 8, requires_grad=True) for _ in range(2))
        for n, budget in enumerate(BUDGETS):
            # Functions of their own, so that each is compiled.
            program = lambda x, w, n=n: PROGRAMS["deep"](x, w) * (seed + n + 2)  # noqa: E731
            compiled = torch.compile(program, backend=mlirind, options={"activation_memory_budget": budget, "fallback": False})
            got = torch.autograd.grad(compiled(x, w).sum(), (x, w))
            results.append((got, torch.autograd.grad(program(x, w).sum(), (x, w))))

    results = [[] for _ in range(4)]
    before = settings()
    threads = [threading.Thread(target=work, args=(n, r)) for n, r in enumerate(results)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(r) for r in results] == [len(BUDGETS)] * 4 and settings() == before
    for got, want in (pair for r in results for pair in r):
        torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)


def wrapped(*args, **kwargs):
    """functorch's partition behind another function: what it calls is not known."""
    return ORIGINAL(*args, **kwargs)


ORIGINAL = partitioners.min_cut_rematerialization_partition


@pytest.mark.parametrize("change", ["another function", "another name"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_another_functorch(name, change, monkeypatch, caplog):
    """Gradients stay eager's; where functorch could name an operator of several results the budget is 1, and it is said."""
    if change == "another function":
        monkeypatch.setattr(functorch_partition, "min_cut_partition", wrapped)
    else:
        monkeypatch.setattr(functorch_partition, "CHOICE", "choose_otherwise")
    assert min_cut() is None
    found = []
    for function in (PROGRAMS[name], torch.compile(PROGRAMS[name], backend=mlirind, options={"activation_memory_budget": 1e-6})):
        torch.manual_seed(0)
        x, w = (torch.randn(8, 8, requires_grad=True) for _ in range(2))
        found.append(torch.autograd.grad(function(x, w).sum(), (x, w)))
    torch.testing.assert_close(found[1], found[0], rtol=1e-4, atol=1e-5)
    assert ("counts as 1" in caplog.text) == (name != "deep")
