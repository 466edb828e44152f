"""Runs a compiled graph, captures calls of it as CUDA graphs, and replays these. A policy, a subclass, decides which calls."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import torch

from ....runner import Runner
from .capture import CaptureFunction, stream_of
from .captured_call import CapturedCall
from .outputs import Outputs

log = logging.getLogger(__name__)


class CapturingRunner(ABC):
    """A runner that captures and replays `runner`'s calls. `name`: the graph's, in log messages."""

    def __init__(self, runner: Runner, device: torch.device, name: str, capture_launches: CaptureFunction) -> None:
        self.runner, self.device, self.name, self.capture_launches = runner, device, name, capture_launches

    def __call__(self, inputs: list[Any]) -> Sequence[Any]:
        captured = self._capture_for(inputs)
        return self.runner(inputs) if captured is None else self._replay(captured, inputs)

    @abstractmethod
    def _capture_for(self, inputs: list[Any]) -> CapturedCall | None:
        """The capture to replay for these inputs, a new one if the policy makes it now; None if the call runs normally."""

    def _may_replay(self, captured: CapturedCall) -> bool:
        """Whether replaying this capture now gives right results; a policy may know reasons against it. Called while no other thread
        replays it."""
        return True

    def _replay(self, captured: CapturedCall, inputs: list[Any]) -> Sequence[Any]:
        if not captured.lock.acquire(blocking=False):
            return self.runner(inputs)
        try:
            return captured.run(inputs) if self._may_replay(captured) else self.runner(inputs)
        finally:
            captured.lock.release()

    def _captured(self, make: Callable[[], CapturedCall]) -> CapturedCall | None:
        """A new capture; None, with a warning, if it fails."""
        try:
            return make()
        except Exception as error:
            log.warning("%s is not captured as a CUDA graph: %s", self.name, error)
            return None

    def _new_capture(
        self, key: Any, arguments: Sequence[Any], *, addresses: Mapping[int, int], buffers: Mapping[int, torch.Tensor],
        written: Collection[int], idle: Collection[int], copied: Collection[int] | None,
    ) -> CapturedCall:  # fmt: skip
        """Captures a call with these arguments; the others: see `CapturedCall` and `Outputs`. Raises what the capture raises."""
        replay, results = self.capture_launches(lambda: self.runner(list(arguments)))
        outputs = Outputs(results, arguments, self.device, idle, copied)
        del results  # the capture counts its own references to the outputs' memory
        return CapturedCall(replay, key, stream_of(self.device), outputs, addresses, buffers, written)
