"""Replays of small graphs: which are, and that a caller sees what a run without them shows.

The recorder is made up: it runs the graph again on the tensors that it saw, as a CUDA graph does.
"""

import dataclasses
import threading
from unittest import mock

import fake_gpu
import pytest
import torch
from fake_gpu import backend_on
from mlirind.dialects.context import compile_context
from mlirind.passes.pipeline import HOST
from mlirind.runtime.cuda.capturing import by_address, replay_rules
from mlirind.runtime.cuda.capturing.by_address import MOST_CAPTURES, MOST_MISSES, WARM, ByAddressRunner
from mlirind.runtime.cuda.capturing.replay_rules import idle_outputs, why_not_replayed
from mlirind.tuning.gpu import TUNING
from torch_mlir import ir


class Recorder:
    """Counts what it records, and the replays."""

    def __init__(self, function):
        self.function = function
        self.recorded = self.replays = 0
        self.before = []  # what the runner was called with last, and its content then

    def __call__(self, run):
        results = list(run())
        for tensor, content in self.before:  # nothing is done while it is recorded
            tensor.copy_(content)
        given = [tensor for tensor, _ in self.before]
        self.recorded += 1

        def again():
            self.replays += 1
            for old, new in zip(results, self.function(*given), strict=True):
                if isinstance(old, torch.Tensor) and old.data_ptr() != new.data_ptr():
                    old.copy_(new)

        return again, results


def replaying(function, moving=(), idle=()):
    recorder = Recorder(function)

    def runner(inputs):
        given = list(inputs)
        recorder.before = [(i, i.clone()) for i in given]
        inputs.clear()
        return function(*given)

    return ByAddressRunner(runner, torch.device("cpu"), moving, idle, "graph", recorder), recorder


def test_results_are_new_tensors_with_the_values_of_now():
    run, recorder = replaying(lambda x, y: [x * 2, (x + y).t()])
    x, y = torch.randn(3, 4), torch.randn(3, 4)
    kept = []
    for n in range(WARM + 4):
        x.fill_(n)
        given = [x, y]
        kept.append((run(given), [x * 2, (x + y).t()]))
        assert given == []
    assert (recorder.recorded, recorder.replays) == (1, 4)
    for got, want in kept:
        assert all(torch.equal(g, w) and g.stride() == w.stride() for g, w in zip(got, want, strict=True))
    assert len({g.data_ptr() for got, _ in kept for g in got}) == 2 * len(kept)


def test_results_that_share_memory_share_it_again_and_inputs_are_themselves():
    def function(x):
        y = x.sin()
        part = torch.full((6,), 7.0)[2:5]
        x.add_(1)
        return [y, y[1:], x, None, 5, y, part]

    run, recorder = replaying(function)
    x = torch.zeros(3, 2)
    for n in range(WARM + 2):
        y, tail, same, nothing, number, twin, part = run([x])
        assert same is x and nothing is None and number == 5 and bool((x == n + 1).all())
        torch.testing.assert_close(y, torch.full((3, 2), float(n)).sin())
        assert tail.data_ptr() == y[1:].data_ptr() and twin.data_ptr() == y.data_ptr()
        assert part.tolist() == [7, 7, 7] and part.storage_offset() == 2
    assert recorder.replays == 2


def test_each_address_of_the_inputs_has_a_capture():
    run, recorder = replaying(lambda x: [x + 1], moving=[0])
    xs = [torch.full((2, 2), float(n)) for n in range(3)]
    xs.append(xs[0].t())
    for _ in range(WARM + 3):
        for x in xs:
            torch.testing.assert_close(run([x])[0], x + 1)
    assert recorder.recorded == 4 <= MOST_CAPTURES and recorder.replays == 12
    others = [torch.randn(2, 2) for _ in range(3)]
    for x in (x for x in others for _ in range(WARM + 2)):
        torch.testing.assert_close(run([x])[0], x + 1)
    assert len(run.captures) == MOST_CAPTURES


def test_tensors_that_always_move_are_not_recorded():
    run, recorder = replaying(lambda x: [x + 1])
    kept = [torch.randn(3) for _ in range(MOST_MISSES + 5)]
    for x in kept:
        torch.testing.assert_close(run([x])[0], x + 1)
    assert run.given_up and recorder.recorded == 0 and len(run.calls) <= MOST_MISSES + 1


def test_outputs_in_the_memory_of_an_input():
    """They lie in what is given, not in what was recorded, though its storage begins elsewhere."""
    run, recorder = replaying(lambda x, y: [x[1:].t(), x, y.sum()])
    memory, y = torch.randn(40), torch.randn(3)
    whole = torch.from_dlpack(memory[10:22])  # another storage over the same memory
    for n in range(WARM + 4):
        x = (memory[10:22] if n % 2 else whole).view(3, 4)
        part, same, total = run([x, y])
        assert same is x and torch.equal(part, x[1:].t()) and part.stride() == (1, 4) and torch.equal(total, y.sum())
        assert part.untyped_storage()._cdata == x.untyped_storage()._cdata and part.data_ptr() == x[1:].data_ptr()
    assert recorder.replays == 4


def test_an_output_beyond_an_input_is_not_recorded():
    run, recorder = replaying(lambda x: [x.as_strided((3,), (1,), x.storage_offset() + 1)])
    x = torch.randn(9)[:3]
    for _ in range(WARM + 2):
        assert run([x])[0].data_ptr() == x[1:].data_ptr()
    assert run.given_up and recorder.recorded == 1 and recorder.replays == 0


def test_idle_outputs_are_what_was_recorded():
    run, _ = replaying(lambda x: [x * 2, torch.empty(())], idle={1})
    x = torch.randn(3)
    seen = [run([x])[1] for _ in range(WARM + 3)]
    assert seen[-1] is seen[-2]


def test_another_thread_another_switch_and_a_profiler():
    run, recorder = replaying(lambda x: [x + 1])
    x = torch.randn(3)
    for _ in range(WARM + 1):
        run([x])
    thread = threading.Thread(target=run, args=([x],))
    thread.start()
    thread.join()
    assert recorder.replays == 1
    with mock.patch.object(by_address, "library_state", lambda: ("other",)):
        run([x])
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]):
        run([x])
    assert recorder.replays == 1
    run([x])
    assert recorder.replays == 2


def test_memory_of_all_captures_is_bounded():
    place = torch.device("cuda", 7)
    reserved = iter([0, 100, 100, 200])
    graph = mock.Mock()
    with (
        mock.patch.object(torch.cuda, "memory_reserved", lambda device: next(reserved)),
        mock.patch.object(by_address, "capture", lambda *args, **kwargs: (graph, [1])),
        mock.patch.multiple(by_address, MOST_BYTES=100, MOST_BYTES_OF_ALL=150),
    ):
        for _ in range(2):
            assert by_address.capture_shared(place, list) == (graph.replay, [1])
        with pytest.raises(RuntimeError, match="have taken 200 bytes"):
            by_address.capture_shared(place, list)
        reserved = iter([0, 101])
        by_address._taken.clear()
        with pytest.raises(RuntimeError, match="it takes 101 bytes"):
            by_address.capture_shared(place, list)
    del by_address._taken[place]


def rules(function, *inputs):
    """Why a program on a GPU is not replayed, and its idle outputs."""
    torch._dynamo.reset()
    found = []
    real = fake_gpu.run_passes

    def run_passes(module, steps, options):
        real(module, steps, options)
        if steps is HOST:
            found.append((why_not_replayed(module), idle_outputs(module)))

    with mock.patch.object(fake_gpu, "run_passes", run_passes), fake_gpu.fake_gpu(), torch.no_grad():
        torch.compile(function, backend=backend_on(), dynamic=False)(*inputs)
    ((why, idle),) = found
    return why, idle


def layers(x, w):
    for _ in range(4):
        x = (x @ w).softmax(-1)
    return x


def test_what_is_replayed():
    x = torch.randn(64, 64)  # large enough for the library's products
    assert rules(layers, x, x) == (None, frozenset())


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda x, w: x + w, "launches and calls"),
        (lambda x, w: torch.nn.functional.dropout(layers(x, w), 0.5), "Python|random"),
        (lambda x, w: torch.histc(layers(x, w), 4), "waits for the GPU"),
    ],
)
def test_what_is_not_replayed(function, reason):
    x = torch.randn(64, 64)
    why, _ = rules(function, x, x)
    assert any(part in why for part in reason.split("|"))


def test_large_graphs_are_not_replayed():
    x = torch.randn(64, 64)
    with mock.patch.object(replay_rules, "TUNING", dataclasses.replace(TUNING, by_address_bytes=x.nbytes)):
        why, _ = rules(layers, x, x)
    assert "bytes" in why


ATTENTION = """
!q = tensor<1x1x4x8xf32, #aten.layout<"cuda:0", [32, 32, 8, 1], 0 : i64, unit>>
!l = tensor<1x1x32xf32, #aten.layout<"cuda:0", [32, 32, 1], 0 : i64, unit>>
!s = tensor<i64, #aten.layout<"cuda:0", [], 0 : i64, unit>>
func.func @graph(%q: !q) -> (!q, !s) attributes {aten.stage = "host"} {
  %r:4 = "host.call"(%q) {target = "aten._scaled_dot_product_efficient_attention.default", reason = "library",
    arguments = [#aten.operand<0 : i64>, #aten.operand<0 : i64>, #aten.operand<0 : i64>, #aten.none, true, DROPOUT, false, #aten.none],
    operandSegmentSizes = OPERANDS, resultSegmentSizes = RESULTS} : (!q) -> (!q, !l, !s, !s)
  return %r#0, %r#3 : !q, !s
}
"""


@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_attention_draws_where_it_drops(dropout):
    runs = [ir_array(counts) for counts in ([1] + 31 * [0], [1, 1, 2] + 13 * [0])]
    text = ATTENTION.replace("DROPOUT", f"{dropout} : f64").replace("OPERANDS", runs[0]).replace("RESULTS", runs[1])
    with compile_context(), mock.patch.object(replay_rules, "TUNING", dataclasses.replace(TUNING, by_address_us=-TUNING.replay_us)):
        module = ir.Module.parse(text)
        why = why_not_replayed(module)
        assert idle_outputs(module) == {1}
    assert why == (None if dropout == 0 else "aten._scaled_dot_product_efficient_attention.default draws random numbers")


def ir_array(counts):
    return f"array<i32: {', '.join(map(str, counts))}>"
