"""Recordings that fail, on made-up CUDA: what is given back, and that a generator is one that draws numbers again."""

from unittest import mock

import pytest
import torch
from mlirind.runtime.cuda.capturing import capture as module

PLACE = torch.device("cpu", 0)


class Machine:
    """Counts what is asked of PyTorch's CUDA. `fails`: the method of a graph that raises; `ended`: whether the graph had ended then."""

    def __init__(self, fails=None, ended=False):
        self.fails, self.ended, self.calls = fails, ended, []

    def called(self, name, *args, **kwargs):
        self.calls.append(name)
        if name == self.fails or name == "pool" and not self.ended:
            raise RuntimeError(name)
        return mock.MagicMock()

    def __enter__(self):
        def named(name):
            return lambda *args, **kwargs: self.called(name, *args, **kwargs)

        names = ("capture_begin", "capture_end", "pool")
        graph = mock.Mock(**{f"{name}.side_effect": named(name) for name in names})
        generator = mock.Mock(**{"graphsafe_set_state.side_effect": named("state")})
        self.stack = mock.patch.multiple(
            torch.cuda, CUDAGraph=lambda: graph, Stream=mock.MagicMock(), stream=mock.MagicMock(), current_stream=mock.MagicMock(),
            graph_pool_handle=lambda: (0, 1), default_generators=[generator],
        )  # fmt: skip
        self.allocator = mock.patch.multiple(module, end_allocation=named("end"), release_pool=named("release"))
        self.room = mock.patch.object(module, "_stream_and_pool", lambda place, stream: (mock.MagicMock(), (0, 2)))
        for patch in (self.stack, self.allocator, self.room):
            patch.start()
        generator.get_state.return_value = torch.Generator().get_state()
        return self

    def __exit__(self, *error):
        for patch in (self.stack, self.allocator, self.room):
            patch.stop()


def test_what_is_recorded_is_given():
    with Machine() as machine:
        _, results = module.capture(PLACE, lambda: (1, 2), shares_memory=False)
    assert results == [1, 2] and machine.calls == ["capture_begin", "capture_end"]


def test_what_is_raised_while_it_is_recorded_ends_it():
    with Machine() as machine, pytest.raises(ZeroDivisionError):
        module.capture(PLACE, lambda: [1 // 0], shares_memory=True)
    assert machine.calls == ["capture_begin", "capture_end", "state"]


@pytest.mark.parametrize("fails", ["capture_begin", "capture_end"])
@pytest.mark.parametrize("ended", [False, True])
def test_what_fails_to_begin_or_end_is_given_back(fails, ended):
    with Machine(fails, ended) as machine, pytest.raises(RuntimeError, match=fails):
        module.capture(PLACE, lambda: [], shares_memory=True)
    assert machine.calls[machine.calls.index(fails) :] == [fails, "end", "pool", *([] if ended else ["release"]), "state"]
