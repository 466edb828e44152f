"""Native functions that launch kernels on a GPU, without one: guards, variants, operators between kernels, Python's exceptions."""

from __future__ import annotations

import pytest
import torch
from fake_gpu import NO_GUARD, backend_on, fake_gpu
from mlirind.frontend.importing.subgraph_bodies import SubgraphBody
from mlirind.runtime.cuda.launching import kernels, plans
from torch._higher_order_ops.map import map as map_
from torch._higher_order_ops.scan import scan

sources = plans.variant_sources


@pytest.fixture(autouse=True)
def native(monkeypatch):
    torch._dynamo.reset()
    monkeypatch.setenv("MLIRIND_HOST", "native")


def test_a_device_that_can_not_be_entered_raises():
    with fake_gpu() as gpu:
        compiled = torch.compile(lambda x: x + 1, backend=backend_on())
        compiled(torch.ones(3))
        gpu.statuses.append(NO_GUARD)
        with pytest.raises(RuntimeError, match="cuda:0 can't be made the current device"):
            compiled(torch.ones(3))
        assert compiled(torch.ones(3)).tolist() == [2, 2, 2]


def test_variants_that_have_no_room_are_launched_by_python(monkeypatch):
    monkeypatch.setattr("mlirind.runtime.cuda.launching.launch_record.ROOM", 1)
    base = torch.randn(101)
    with fake_gpu() as gpu:
        compiled = torch.compile(lambda x: x * 3, backend=backend_on(), dynamic=False)
        for start in (0, 1, 1, 0):
            x = base[start : start + 100].detach()
            torch.testing.assert_close(compiled(x), x * 3)
    assert len(gpu.loaded) == 2 and len(gpu.launches) == 4 and gpu.native == 2


def test_a_variant_that_python_has_loaded_is_native_from_then_on():
    base = torch.randn(101)
    with fake_gpu() as gpu:
        compiled = torch.compile(lambda x: x * 3, backend=backend_on(), dynamic=False)
        for start in (0, 1, 1, 1):
            compiled(base[start : start + 100].detach())
    assert len(gpu.loaded) == 2 and len(gpu.launches) == 4 and gpu.native == 3


def test_what_fails_between_kernels_leaves_the_device():
    @torch.library.custom_op("mlirind_gpu_test::positive", mutates_args=())
    def positive(x: torch.Tensor) -> torch.Tensor:
        if x.sum() <= 0:
            raise ZeroDivisionError("not positive")
        return x.clone()

    positive.register_fake(torch.empty_like)
    with fake_gpu() as gpu:
        compiled = torch.compile(lambda x: positive(x * 2) + 1, backend=backend_on())
        assert compiled(torch.ones(3)).tolist() == [3, 3, 3]
        with pytest.raises(ZeroDivisionError, match="not positive"):
            compiled(-torch.ones(3))
    assert gpu.native == 3 and len(gpu.guards) == 2


def test_sizes_that_are_multiples_of_16_have_code_of_their_own(monkeypatch):
    """Those that the graph was traced with; all others share one."""
    given = []

    def noted(plan, functions, mask):
        given.append((plan, mask))
        return sources(plan, functions, mask)

    for module in (plans, kernels):
        monkeypatch.setattr(module, "variant_sources", noted)
    with fake_gpu() as gpu:
        compiled = torch.compile(lambda x: torch.softmax(x @ x.t(), -1) @ x.relu(), backend=backend_on(), dynamic=True)
        for size, loaded in ((32, 2), (48, 2), (33, 4), (7, 4), (64, 4)):
            x = torch.randn(size, 16)
            torch.testing.assert_close(compiled(x), torch.softmax(x @ x.t(), -1) @ x.relu())
            assert len(gpu.loaded) == loaded
    assert len(gpu.launches) == 10 and gpu.native == 8
    assert {(plan.name, mask >> plan.buffers) for plan, mask in given} == {
        (plan.name, bits) for plan, _ in given for bits in (0, every(plan))
    }


def every(plan):
    return (1 << plan.symbols) - 1


def test_graphs_on_a_gpu_are_native_unless_asked(monkeypatch):
    monkeypatch.delenv("MLIRIND_HOST")
    with fake_gpu() as gpu:
        assert torch.compile(lambda x: x + 1, backend=backend_on())(torch.ones(3)).tolist() == [2, 2, 2]
    assert gpu.native == len(gpu.launches) == 1


def branch(x, y):
    return torch.cond(x.sum() > 0, lambda a, b: (a.sin() + b, a * b), lambda a, b: (a.cos() - b, a / b), (x, y))


def count(x):
    done, total = torch.while_loop(lambda i, a: i.sum() < 5, lambda i, a: (i + 1, a * 0.5 + a.relu()), (torch.zeros(1), x))
    return done + total


def accumulate(x):
    return scan(lambda carry, row: (carry * 0.5 + row, carry.sin() * row), torch.zeros(4), x)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize(
    ("program", "inputs", "launches"),
    [
        (branch, (torch.randn(6, 4).abs(), torch.randn(6, 4)), 2),
        (branch, (-torch.randn(6, 4).abs(), torch.randn(6, 4)), 2),
        (count, (torch.randn(6, 4),), 5),
        (accumulate, (torch.randn(7, 4),), 7),
        (lambda x: map_(lambda row, w: (row * w).exp(), x, torch.full((4,), 0.5)), (torch.randn(5, 4),), 5),
    ],
)
def test_native_code_calls_bodies_with_kernels_on_a_gpu(program, inputs, launches, dynamic, monkeypatch):
    monkeypatch.setattr(SubgraphBody, "__call__", None)  # Python calls no body
    with fake_gpu() as gpu, torch.no_grad():
        compiled = torch.compile(program, backend=backend_on(), dynamic=dynamic)
        for _ in range(2):
            before, guards = gpu.native, len(gpu.guards)
            torch.testing.assert_close(compiled(*inputs), program(*inputs))
        assert gpu.native - before >= launches
        assert len(gpu.guards) - guards >= launches  # each step makes the GPU the current device


def test_a_body_that_fails_leaves_the_device():
    @torch.library.custom_op("mlirind_gpu_test::small", mutates_args=())
    def small(x: torch.Tensor) -> torch.Tensor:
        if x.abs().max() > 100:
            raise ZeroDivisionError("too large")
        return x.clone()

    small.register_fake(torch.empty_like)
    step = lambda i, a: (i + 1, small(a * 3) + 1)  # noqa: E731
    program = lambda x: torch.while_loop(lambda i, a: i.sum() < 6, step, (torch.zeros(1), x))  # noqa: E731
    with fake_gpu() as gpu, torch.no_grad():
        compiled = torch.compile(program, backend=backend_on())
        torch.testing.assert_close(compiled(torch.full((3,), -0.5)), program(torch.full((3,), -0.5)))
        with pytest.raises(ZeroDivisionError, match="too large"):
            compiled(torch.ones(3))
    assert gpu.native > 10
