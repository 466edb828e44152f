"""Recordings of `mode="reduce-overhead"`: that a caller sees what a run without them shows, whatever is held of earlier calls.

The recorder is made up: it runs the graph again on the tensors that it was recorded with, as a CUDA graph does.
"""

import ctypes

import pytest
import torch
from mlirind.runtime.cuda.capturing import static_buffers
from mlirind.runtime.cuda.capturing.static_buffers import MAX_AWAITED, MAX_COUNTED, MAX_MOVES, StaticBufferRunner


@pytest.fixture(autouse=True)
def nothing_stays(monkeypatch):
    """On the CPU memory that an earlier test's capture had is soon another's."""
    monkeypatch.setattr(static_buffers, "_staying", set())


class Recorder:
    """Counts what it records, and the replays."""

    def __init__(self, function):
        self.function = function
        self.recorded = self.replays = 0

    def run(self, inputs):
        given = list(inputs)
        inputs.clear()
        return self.function(*given)

    def __call__(self, run):
        given: list = []
        before: list = []
        real, self.function = self.function, lambda *args: (given.extend(args), before.extend(a.clone() for a in args), real(*args))[2]
        results = list(run())
        self.function = real
        for tensor, content in zip(given, before, strict=True):  # nothing is done while it is recorded
            tensor.copy_(content)
        if not any(r is g for r in results for g in given):
            given = [over_its_memory(t) for t in given]  # a CUDA graph refers to memory, not to tensors
        self.recorded += 1

        def again():
            self.replays += 1
            for old, new in zip(results, real(*given), strict=True):
                if isinstance(old, torch.Tensor) and old.data_ptr() != new.data_ptr():
                    with torch.inference_mode():
                        old.copy_(new)

        return again, results


def over_its_memory(tensor):
    """A tensor over the same memory that does not keep it."""
    if tensor.device.type != "cpu" or not tensor.is_contiguous():
        return tensor
    data = (ctypes.c_char * tensor.nbytes).from_address(tensor.data_ptr())
    return torch.frombuffer(data, dtype=tensor.dtype).view(tensor.size())


def capturing(function, static=(), written=()):
    recorder = Recorder(function)
    return StaticBufferRunner(
        recorder.run, torch.device("cpu"), frozenset(static), frozenset(written), False, "graph", recorder
    ), recorder  # fmt: skip


def test_results_that_are_dropped_lie_in_the_capture():
    run, recorder = capturing(lambda x: [x + 1, 3, None])
    places = set()
    for n in range(6):
        y, three, nothing = run([torch.full((3,), float(n))])
        assert y.tolist() == [n + 1.0] * 3 and three == 3 and nothing is None
        assert not y._is_view() and not y.requires_grad and not y.is_inference()
        places.add(y.data_ptr()) if n else None
        del y
    assert len(places) == 1 and (recorder.recorded, recorder.replays) == (1, 5)


def test_results_that_are_held_keep_their_values():
    run, recorder = capturing(lambda x: [x + 1, x * 2])
    kept = []
    for n in range(8):
        x = torch.full((3,), float(n))
        y, z = run([x])
        kept.append((x, y))
        assert z.tolist() == [2.0 * n] * 3
    assert all(y.tolist() == [float(x[0]) + 1] * 3 for x, y in kept)
    assert recorder.recorded == 2 and recorder.replays >= 5


def test_views_among_results_and_of_inputs():
    def function(x):
        y = x.sin()
        return [y, y[1:], x.t(), x]

    run, recorder = capturing(function)
    for _ in range(5):
        x = torch.randn(4, 5)
        y, part, turned, same = run([x])
        assert torch.equal(y, x.sin()) and same is x and turned.data_ptr() == x.data_ptr() and torch.equal(turned, x.t())
        assert part.data_ptr() == y[1:].data_ptr() and part.storage_offset() == 5
        y.add_(1)
        assert torch.equal(part, x.sin()[1:] + 1)
        del y, part
    assert recorder.replays == 4


def test_one_tensor_given_twice_is_one():
    """A result that is also saved for the backward: writing to it must be seen there."""

    def function(x):
        y = x.exp()
        return [y, x.cos(), y, None, None]

    run, recorder = capturing(function)
    kept = []
    for _ in range(6):
        first, other, second, *_ = run([torch.randn(3)])
        assert first is second and first is not other
        kept.append(first)
    assert recorder.recorded == 2 and len({t.data_ptr() for t in kept}) == 6


def test_views_that_are_held_share_memory_of_their_own():
    def function(x):
        y = x.sin()
        return [y, y[1:], x.cos()[:, 1:], y.sum()]

    run, recorder = capturing(function)
    kept = []
    for n in range(7):
        x = torch.full((3, 4), float(n))
        y, part, other, total = run([x])
        assert part.data_ptr() == y[1:].data_ptr() and other.stride() == (4, 1) and total.tolist() == y.sum().tolist()
        kept.append((x, part, other))
    for x, part, other in kept:
        assert torch.equal(part, x.sin()[1:]) and torch.equal(other, x.cos()[:, 1:])
    assert recorder.recorded == 2 and recorder.replays >= 4


def test_written_inputs_and_inputs_that_stay():
    run, recorder = capturing(lambda x, w: [x.add_(w)], static=[1], written=[0])
    w = torch.ones(3)
    for n in range(5):
        x = torch.full((3,), float(n))
        assert run([x, w])[0] is x and x.tolist() == [n + 1.0] * 3
    assert (recorder.recorded, recorder.replays) == (1, 4)


def test_inputs_that_move_are_copied_in_the_end():
    """An input that is nowhere twice is copied, others still are read in place."""
    run, recorder = capturing(lambda x, w, v: [x + w * v], static=[1, 2])
    v, kept = torch.full((3,), 10.0), []
    for n in range(MAX_MOVES + 6):
        kept.append(torch.full((3,), float(n)))
        assert run([torch.ones(3), kept[-1], v])[0].tolist() == [1 + 10.0 * n] * 3
    found = run.captures[()][-1]
    assert list(found.buffers) == [0, 1] and list(found.addresses) == [2] and recorder.recorded == 2 and recorder.replays == 5


def test_a_graph_that_layers_share_is_recorded_for_each():
    run, recorder = capturing(lambda x, w: [x * w, x + w], static=[1])
    weights = [torch.full((3,), float(n)) for n in range(5)]
    for turn in range(6):
        x, saved = torch.full((3,), float(turn)), []
        for n, w in enumerate(weights):  # what a layer saves is held until the backward
            x, other = run([x, w])
            saved.append(other)
            assert x.tolist() == [0.0] * 3 if n == 0 else True
        assert [s.tolist()[0] for s in saved] == [turn + 0.0, 1.0, 2.0, 3.0, 4.0]
        del x, other, saved
    assert len(run.captures[()]) == recorder.recorded == 5 and recorder.replays >= 4 * 5


def test_results_that_are_held_of_one_layer():
    run, recorder = capturing(lambda x, w: [x * w], static=[1])
    weights, kept = [torch.full((3,), float(n)) for n in range(3)], []
    for turn in range(6):
        for n, w in enumerate(weights):
            (y,) = run([torch.full((3,), float(turn)), w])
            kept.append((turn * n, y)) if n == 1 else None
    assert all(y.tolist() == [float(want)] * 3 for want, y in kept)
    assert recorder.recorded == 4 and len(run.captures[()]) == 3


def test_captures_for_addresses_that_do_not_return_are_dropped():
    run, _ = capturing(lambda x, w: [x + w], static=[1])
    kept = []
    for n in range(6):
        kept.append(torch.full((3,), float(n)))
        for _ in range(40):
            assert run([torch.ones(3), kept[-1]])[0].tolist() == [n + 1.0] * 3
    assert len(run.captures[()]) <= 2


def test_inputs_that_will_be_on_the_gpu_are_awaited(caplog):
    run, recorder = capturing(lambda x, seed: [x + 1])
    for device in ["meta"] * 5 + ["cpu"] * 3:
        assert run([torch.zeros(2), torch.zeros((), device=device)])[0].tolist() == [1.0] * 2
    assert (recorder.recorded, recorder.replays) == (1, 3)
    run, recorder = capturing(lambda x, seed: [x + 1])
    for _ in range(MAX_AWAITED + 5):
        assert run([torch.zeros(2), torch.zeros((), device="meta")])[0].tolist() == [1.0] * 2
    assert [r.getMessage() for r in caplog.records] == ["graph is not captured as a CUDA graph: an input is not on the GPU"]


def test_a_gradient_is_taken_as_it_is():
    """The tensor in which a capture gives a gradient becomes `.grad` itself: no copy."""
    run, _ = capturing(lambda x: [x * 2])

    class Function(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, gradient):
            (found,) = run([gradient])
            places.append(found.data_ptr())
            return found

    x, places = torch.ones(3, requires_grad=True), []
    for _ in range(4):
        x.grad = None
        Function.apply(x).backward(torch.ones(3))
        assert x.grad.tolist() == [2.0] * 3 and x.grad.data_ptr() == places[-1]
    assert places[-1] == places[-2]
    kept = x.grad
    Function.apply(x).backward(torch.ones(3))
    assert kept.tolist() == [4.0] * 3


def test_inside_inference_mode_results_are_its_tensors():
    run, recorder = capturing(lambda x: [x + 1])
    for mode in (True, True, True, False):
        with torch.inference_mode(mode):
            (y,) = run([torch.zeros(2)])
            assert y.tolist() == [1.0, 1.0]
        del y
    assert recorder.replays == 3


@pytest.mark.parametrize("elsewhere", [False, True])
def test_what_cannot_be_recorded_runs_as_ever(elsewhere, caplog):
    def record(run):
        if elsewhere:
            return None, [torch.empty(0, device="meta")]
        raise RuntimeError("an operation that is not permitted")

    run = StaticBufferRunner(lambda inputs: [inputs[0] + 1], torch.device("cpu"), frozenset(), frozenset(), False, "graph", record)
    for n in range(4):
        assert run([torch.full((2,), float(n))])[0].tolist() == [n + 1.0] * 2
    assert [r.getMessage() for r in caplog.records] == [
        f"graph is not captured as a CUDA graph: {'an output is not on the GPU' if elsewhere else 'an operation that is not permitted'}"
    ]


def test_sizes_that_never_come_again_cost_no_memory():
    recorder = Recorder(lambda x: [x + 1])
    run = StaticBufferRunner(recorder.run, torch.device("cpu"), frozenset(), frozenset(), True, "graph", recorder)
    for n in range(2 * MAX_COUNTED):
        assert run([torch.zeros(n)])[0].tolist() == [1.0] * n
    assert len(run.calls) <= MAX_COUNTED + 1
