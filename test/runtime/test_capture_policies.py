"""Both policies of CUDA-graph captures beside each other: what each call does, and what it does after an error.

The capture is made up: its replay runs the graph again and copies the results to the memory of the captured ones.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import pytest
import torch
from mlirind.runtime.cuda.capturing import by_address, capture, static_buffers
from mlirind.runtime.cuda.capturing.by_address import ByAddressRunner
from mlirind.runtime.cuda.capturing.static_buffers import StaticBufferRunner

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def no_known_addresses(monkeypatch):
    """On the CPU, another tensor soon gets the memory of an earlier test's capture."""
    monkeypatch.setattr(static_buffers, "_staying", set())


class Log:
    """The graph and its captures; `events` says what each of them did, in order."""

    def __init__(self, function, fails: Callable[[Sequence[torch.Tensor]], bool] = lambda inputs: False):
        self.function, self.fails, self.events = function, fails, []
        self.arguments: list[torch.Tensor] = []

    def run(self, inputs):
        self.events.append("run")
        self.arguments = list(inputs)
        inputs.clear()
        return self.function(*self.arguments)

    def capture(self, run):
        results = list(run())
        self.events[-1] = "capture"
        arguments = self.arguments
        if self.fails(arguments):
            raise RuntimeError("an operation that is not permitted")

        def replay():
            self.events.append("replay")
            for old, new in zip(results, self.function(*arguments), strict=True):
                old.copy_(new)

        return replay, results


def graphed(function, static=(), is_dynamic=False, **options):
    log = Log(function, **options)
    return StaticBufferRunner(log.run, CPU, frozenset(static), frozenset(), is_dynamic, "graph", log.capture), log


def replaying(function, **options):
    log = Log(function, **options)
    return ByAddressRunner(log.run, CPU, [], [], "graph", log.capture), log


def test_static_buffers_replay_inputs_at_any_address():
    run, log = graphed(lambda x: [x + 1])
    xs = [torch.full((2,), float(n)) for n in range(5)]
    for x in xs:
        assert run([x])[0].tolist() == [x[0] + 1] * 2
    assert log.events == ["run", "capture", "replay", "replay", "replay", "replay"]


def test_captures_by_address_replay_inputs_at_their_address_only():
    run, log = replaying(lambda x: [x + 1])
    x, other = torch.zeros(2), torch.zeros(2)
    for given in (x, x, x, other, x, other, other):
        given.add_(1)
        assert run([given])[0].tolist() == [given[0] + 1] * 2
    assert log.events == ["run", "run", "capture", "replay", "run", "replay", "run", "capture", "replay"]


@pytest.mark.parametrize(("policy", "warm"), [(graphed, 1), (replaying, 2)])
def test_after_a_failed_capture_the_graph_runs_normally(policy, warm, caplog):
    run, log = policy(lambda x: [x + 1], fails=lambda inputs: True)
    x = torch.zeros(2)
    for n in range(warm + 4):
        x.fill_(n)
        assert run([x])[0].tolist() == [n + 1.0] * 2
    assert log.events == ["run"] * warm + ["capture"] + ["run"] * 4
    assert [r.getMessage() for r in caplog.records] == ["graph is not captured as a CUDA graph: an operation that is not permitted"]


def test_a_failed_capture_of_some_sizes_leaves_captures_of_others():
    run, log = graphed(lambda x: [x + 1], is_dynamic=True, fails=lambda inputs: len(inputs[0]) == 3)
    for size in (2, 3, 2, 3, 2, 3):
        assert run([torch.zeros(size)])[0].tolist() == [1.0] * size
    assert log.events == ["run", "run", "capture", "replay", "capture", "run", "replay", "run"]


@pytest.mark.parametrize(("policy", "warm"), [(graphed, 1), (replaying, 2)])
@pytest.mark.parametrize("function", [lambda x: [x.view(torch.int32)], lambda x: [x.view(torch.int32)[1:]]])
def test_a_view_of_an_input_in_another_dtype_has_this_dtype(policy, warm, function, caplog):
    run, log = policy(function)
    x = torch.ones(4)
    for _ in range(warm + 3):
        (view,) = run([x])
        assert torch.equal(view, function(x)[0]) and view.dtype == torch.int32 and view.untyped_storage().data_ptr() == x.data_ptr()
    assert "replay" not in log.events and len(caplog.records) == 1


@pytest.mark.parametrize(("policy", "warm"), [(graphed, 1), (replaying, 2)])
def test_a_capture_serves_its_stream_only(policy, warm, monkeypatch):
    run, log = policy(lambda x: [x + 1])
    x, stream = torch.zeros(2), 0
    for module in (by_address, static_buffers):
        monkeypatch.setattr(module, "stream_of", lambda device: stream)
    for _ in range(warm + 2):
        run([x])
    stream = 7
    assert run([x])[0].tolist() == [1.0, 1.0] and log.events[-1] == "run"
    stream = 0
    assert run([x])[0].tolist() == [1.0, 1.0] and log.events[-1] == "replay"


@pytest.mark.parametrize(("policy", "warm"), [(graphed, 1), (replaying, 2)])
def test_a_call_during_a_replay_runs_normally(policy, warm):
    """As one of a finalizer, or of another thread."""
    run, log = policy(lambda x: [x + 1])
    x, inner = torch.zeros(2), []
    for _ in range(warm + 1):
        run([x])
    function = log.function

    def calls_again(x):
        log.function = function
        thread = threading.Thread(target=lambda: inner.extend(run([x])))
        thread.start()
        thread.join()
        return function(x)

    log.function = calls_again
    assert run([x])[0].tolist() == [1.0, 1.0] and inner[0].tolist() == [1.0, 1.0]
    assert log.events[-2:] == ["replay", "run"]


def test_a_capture_by_address_does_not_wait_for_another():
    run, log = replaying(lambda x: [x + 1])
    x = torch.zeros(2)
    for _ in range(2):
        run([x])
    with capture.one_at_a_time:
        run([x])
    run([x])
    assert log.events == ["run", "run", "run", "capture", "replay"]


def test_equal_results_are_one_tensor_after_a_replay_as_in_a_run():
    """A write to one is seen in the other; autograd counts it for both."""

    def function(x):
        y = x.exp()[1:]
        return [y, y]

    for policy in (graphed, replaying):
        run, _ = policy(function)
        x = torch.zeros(3)
        for _ in range(6):
            first, second = run([x])
            first.add_(1)
            assert second.tolist() == [2.0, 2.0]
