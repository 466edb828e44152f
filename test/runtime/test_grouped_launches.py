"""Launches that `group-launches` joins: values, numbers of launches, and programs whose launches must stay apart. Without a GPU."""

from __future__ import annotations

import copy

import pytest
import torch
from fake_gpu import backend_on, fake_gpu

SIZES = [(3,), (64, 16), (48,), (8, 6), (5,), (700,)]


@pytest.fixture(autouse=True, params=["native", "python"])
def host(request, monkeypatch):
    torch._dynamo.reset()
    monkeypatch.setenv("MLIRIND_HOST", request.param)


@torch.library.custom_op("mlirind_group_test::nonzero", mutates_args=())
def nonzero(x: torch.Tensor) -> torch.Tensor:
    """A copy of what is not zero."""
    if not x.any():
        raise ZeroDivisionError("zeros")
    return x.clone()


nonzero.register_fake(torch.empty_like)


def tensors(count=1, sizes=SIZES, dtype=torch.float32):
    """`count` lists of tensors of these sizes."""
    torch.manual_seed(0)
    return [[torch.randn(size).to(dtype) for size in sizes] for _ in range(count)]


def check(program, inputs, launches, dynamic=False):
    """Compares results and inputs with eager, twice; the compiled program makes this many launches a call."""
    wanted_inputs, given = copy.deepcopy(inputs), copy.deepcopy(inputs)
    with fake_gpu() as gpu:
        compiled = torch.compile(program, backend=backend_on(), dynamic=dynamic)
        for _ in range(2):
            gpu.launches.clear()
            torch.testing.assert_close(compiled(*given), program(*wanted_inputs))
            torch.testing.assert_close(given, wanted_inputs)
        assert len(gpu.launches) == launches, [(r.name, r.grid) for r in gpu.launches]
        return gpu


def decay(parameters, averages):
    """The moving averages of an optimizer, in place."""
    torch._foreach_mul_(averages, 0.9)
    torch._foreach_add_(averages, parameters, alpha=0.1)
    return None


def test_a_foreach_update_is_one_launch_for_lengths_that_are_multiples_of_16_and_others():
    check(decay, tensors(2), 1)


def test_an_optimizer():
    def steps(compiled):
        ((*parameters,), gradients) = tensors(2)
        optimizer = torch.optim.AdamW(parameters, lr=0.1, foreach=True, weight_decay=0.1)
        for parameter, gradient in zip(parameters, gradients, strict=True):
            parameter.grad = gradient
        optimizer.step()  # makes the state
        step = compiled(optimizer.step)
        for _ in range(2):
            step()
        return parameters

    with fake_gpu() as gpu:
        found = steps(lambda step: torch.compile(step, backend=backend_on()))
    torch.testing.assert_close(found, steps(lambda step: step))
    assert len(gpu.launches) == 4


def test_casts_of_weights():
    def program(x, weights):
        for weight in weights:
            x = torch.relu(x @ weight.to(torch.bfloat16))
        return x

    x, weights = torch.randn(16, 64, dtype=torch.bfloat16), tensors(1, [(64, 64)] * 5)[0]
    gpu = check(program, (x, weights), 6)
    assert max(r.grid for r in gpu.launches) >= 5


def test_norms_of_gradients():
    def program(gradients):
        norms = torch._foreach_norm(gradients)
        total = torch.linalg.vector_norm(torch.stack(norms))
        factor = torch.clamp(1.0 / (total + 1e-6), max=1.0)
        torch._foreach_mul_(gradients, factor)
        return total

    check(program, tensors(), 3)


def test_reductions_of_many_sizes_are_several_launches():
    check(torch._foreach_norm, tensors(1, [(n,) for n in range(2, 20)]), 3)


def test_casts_of_gradients_wait_for_each_other():
    def program(x, weights):
        outputs = []
        for weight in weights:
            x = torch.relu(x @ weight)
            outputs.append((x.t() @ x).float())  # as the gradient of a float32 weight
        return outputs

    x, weights = torch.randn(16, 64, dtype=torch.bfloat16), tensors(1, [(64, 64)] * 5, torch.bfloat16)[0]
    check(program, (x, weights), 6)


def test_symbolic_sizes():
    def program(xs):
        return [x * x.shape[0] + 1 for x in xs]

    with fake_gpu() as gpu:
        compiled = torch.compile(program, backend=backend_on(), dynamic=True)
        for rows in (5, 3, 700):
            gpu.launches.clear()
            xs = [torch.randn(rows + n % 2, 6) for n in range(4)]
            torch.testing.assert_close(compiled(xs), program(xs))
    assert len(gpu.launches) == 2


def test_unaligned_buffers_among_more_arguments_than_a_mask_has_bits():
    base, others = torch.randn(40, 33), torch.randn(40, 32)

    def program(xs, ys):
        torch._foreach_add_(xs, ys)
        return None

    wanted = base.clone()
    program([row[1:] for row in wanted], list(others))
    with fake_gpu() as gpu:
        compiled = torch.compile(program, backend=backend_on(), dynamic=False)
        found = base.clone()
        compiled([row[1:] for row in found], list(others))
    torch.testing.assert_close(found, wanted)
    assert len(gpu.launches) == 1


def test_a_write_stays_behind_the_call_that_reads():
    def program(a, b, w):
        c = b * 2
        product = a @ (c @ w)
        a.mul_(2)  # of the kind of `b * 2`
        return c, product

    check(program, (torch.randn(64, 64), torch.randn(64, 64), torch.randn(64, 64)), 2)


def test_a_write_moves_ahead_of_no_call_that_may_raise():
    def program(a, b, w):
        checked = nonzero(w)
        a.mul_(2)
        return b * 2, checked

    inputs = (torch.ones(4, 4), torch.ones(4, 4), torch.zeros(4, 4))
    with fake_gpu() as gpu:
        compiled = torch.compile(program, backend=backend_on())
        with pytest.raises(ZeroDivisionError, match="zeros"):
            compiled(*inputs)
        assert inputs[0].sum() == 16
        inputs[2].fill_(1)
        assert [t.sum() for t in compiled(*inputs)] == [32, 16] and inputs[0].sum() == 32 and len(gpu.launches) == 1


def test_a_chain_of_equal_kernels_is_not_one_launch():
    def program(x, w):
        for _ in range(3):
            x = (x * 2) @ w
        return x * 2

    check(program, (torch.randn(64, 64), torch.randn(64, 64) / 8), 4)


def test_two_views_of_one_buffer_that_overlap():
    def program(x):
        a, b = x[:40], x[20:]
        a.mul_(3)
        b.mul_(3)
        return x + 1

    torch._dynamo.reset()
    given, wanted = (torch.arange(60.0) for _ in range(2))
    with fake_gpu():
        result = torch.compile(program, backend=backend_on())(given)
    torch.testing.assert_close(result, program(wanted))
    torch.testing.assert_close(given, wanted)


def test_parameters_that_share_storage():
    def program(p, q):
        p.mul_(2)
        q.mul_(2)
        return p + q

    def arguments():
        base = torch.arange(64.0)
        return base[:48], base[16:]

    with fake_gpu():
        given, wanted = arguments(), arguments()
        found = torch.compile(program, backend=backend_on())(*given)
    torch.testing.assert_close(found, program(*wanted))
    torch.testing.assert_close(given, wanted)


def running_statistics(x, y, mean, variance, other_mean, other_variance):
    """Two batch norms. Their kernels read a row twice, so they do not write the statistics that they read."""
    x = torch.nn.functional.batch_norm(x, mean, variance, training=True)
    return x, torch.nn.functional.batch_norm(y, other_mean, other_variance, training=True)


def test_copies_of_running_statistics_onto_inputs_are_one_launch():
    torch.manual_seed(0)
    inputs = [torch.randn(6, 48, 5), torch.randn(4, 7, 9), torch.randn(48), torch.rand(48), torch.randn(7), torch.rand(7)]
    gpu = check(running_statistics, inputs, 3)
    assert len(gpu.launches[-1].arguments) == 8  # four sources, four inputs
