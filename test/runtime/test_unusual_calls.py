"""Calls from unusual places: a DataLoader's workers, operators that a graph calls, other threads' modes, copies; errors in a backward."""

import contextlib
import copy
import gc
import pickle
import resource
import threading
import weakref
from pathlib import Path

import pytest
import torch
from mlirind.frontend.backend import mlirind
from mlirind.frontend.counters import counters
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils.data import DataLoader, Dataset

pytestmark = pytest.mark.usefixtures("fresh_counters")


def compiled(function):
    torch._dynamo.reset()
    return torch.compile(function, backend=mlirind, dynamic=False, options={"fallback": False})


def resident_bytes():
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


@pytest.fixture
def two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


class Numbers(Dataset):
    """Large tensors of one number each, through a function."""

    def __init__(self, function):
        self.function = function

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.function(torch.full((500, 600), float(index)))


def test_workers_of_a_data_loader(two_threads):
    """They are forked from a process whose kernels ran on two threads."""
    call = compiled(lambda x: x * 2 + 1)
    call(torch.ones(500, 600))
    got = torch.cat(list(DataLoader(Numbers(call), batch_size=2, num_workers=2)))
    assert torch.equal(got[:, 0, 0], torch.tensor([1.0, 3.0, 5.0, 7.0]))


class OwnError(Exception):
    """What the operators here raise."""


@pytest.fixture(scope="module")
def operators():
    """`again(x, depth)` calls `again.call(x, depth - 1)` until 0, `refused_backward` raises in its backward."""
    library = "mlirind_unusual_test::"

    @torch.library.custom_op(library + "again", mutates_args=())
    def again(x: torch.Tensor, depth: int) -> torch.Tensor:
        return again.call(x, depth - 1).clone() if depth else x + 1

    again.register_fake(lambda x, depth: torch.empty_like(x))

    @torch.library.custom_op(library + "refuse", mutates_args=())
    def refuse(x: torch.Tensor) -> torch.Tensor:
        raise OwnError("no gradient today")

    refuse.register_fake(torch.empty_like)

    @torch.library.custom_op(library + "refused_backward", mutates_args=())
    def refused_backward(x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    refused_backward.register_fake(torch.empty_like)
    refused_backward.register_autograd(lambda ctx, gradient: refuse(gradient))
    return again, refused_backward


def test_an_operator_that_calls_the_function_that_calls_it(operators):
    again, _ = operators

    def function(x, depth):
        return again(x * 1.5, depth) * 2

    x = torch.randn(300)
    again.call = compiled(function)
    for depth in (0, 3):
        want = x
        for _ in range(depth + 1):
            want = want * 1.5
        want = (want + 1) * 2 ** (depth + 1)
        torch.testing.assert_close(again.call(x, depth), want)


def test_what_raises_in_a_backward_leaks_nothing(operators):
    _, refused_backward = operators
    call = compiled(lambda x: refused_backward(x.sin()).exp().sum())
    x = torch.ones(1 << 17, requires_grad=True)

    def refused():
        with pytest.raises(OwnError, match="no gradient today"):
            call(x).backward()

    for _ in range(10):
        refused()
    gc.collect()
    before = resident_bytes()
    for _ in range(100):  # half a MiB for each tensor, were it leaked
        refused()
    gc.collect()
    assert x.grad is None
    assert resident_bytes() - before < 8 << 20


def test_a_hook_that_raises():
    call = compiled(lambda x: (x * 2).sin())
    x = torch.randn(10, requires_grad=True)

    def hook(gradient):
        raise OwnError("hook")

    y = call(x)
    y.register_hook(hook)
    with pytest.raises(OwnError, match="hook"):
        y.sum().backward()
    call(x).sum().backward()
    torch.testing.assert_close(x.grad, 2 * (2 * x.detach()).cos())


def test_modes_are_each_threads_own():
    module = torch.nn.Linear(8, 8)
    call, x = compiled(module), torch.randn(4, 8)
    found, errors = {}, []
    ready = threading.Barrier(3)

    def work(name, mode):
        try:
            with mode():
                ready.wait(60)
                outputs = [call(x) for _ in range(5)]
            found[name] = {(y.requires_grad, y.is_inference()) for y in outputs}
        except BaseException as error:
            errors.append(error)

    modes = {"with gradients": torch.enable_grad, "without": torch.no_grad, "inference": torch.inference_mode}
    threads = [threading.Thread(target=work, args=item) for item in modes.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors
    assert found == {"with gradients": {(True, False)}, "without": {(False, False)}, "inference": {(False, True)}}


def test_copies_of_a_compiled_module():
    module = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.GELU())
    call, x = compiled(module), torch.randn(4, 8)
    want = call(x)
    copied, read = copy.deepcopy(call), pickle.loads(pickle.dumps(call))
    with torch.no_grad():
        for parameter in copied.parameters():
            parameter.zero_()
    assert torch.equal(call(x), want)
    assert torch.equal(read(x), want)
    assert not copied(x).any()
    assert not counters.fallbacks


def test_what_a_dead_function_held_is_freed():
    def make():
        held = torch.randn(1000)
        call = compiled(lambda x: (x * held).sin())
        call(torch.randn(1000))
        return weakref.ref(held)

    references = [make() for _ in range(3)]
    torch._dynamo.reset()
    gc.collect()
    assert all(reference() is None for reference in references)


@pytest.mark.parametrize("host", ["native", "python"])
def test_tensors_of_fake_tensor_mode_are_refused(host):
    call = torch.compile(lambda x, w: (x @ w).sin(), backend=mlirind, options={"host": host})
    x, w = torch.ones(2, 3), torch.ones(3, 4, requires_grad=True)
    want = call(x, w)
    with FakeTensorMode(allow_non_fake_inputs=True) as mode:
        with pytest.raises(RuntimeError, match="FakeTensorMode"):
            call(torch.ones(2, 3), torch.ones(3, 4, requires_grad=True))
        with contextlib.suppress(RuntimeError):
            torch.testing.assert_close(call(x, w), want)
        fake = mode.from_tensor(torch.ones(2, 4))
        with pytest.raises(RuntimeError, match="FakeTensorMode"):
            want.backward(fake)
    torch.testing.assert_close(call(x, w), want)
