"""Which calls of a graph are captured as CUDA graphs, as data, which another process may have written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import torch

from ....runner import Runner
from .by_address import ByAddressRunner
from .static_buffers import StaticBufferRunner


@dataclass(frozen=True)
class StaticBuffers:
    """`mode="reduce-overhead"`. `static`: the inputs whose addresses never change; `written`: those that the graph writes; `is_dynamic`:
    whether sizes differ between calls."""

    device: str
    static: tuple[int, ...]
    written: tuple[int, ...]
    is_dynamic: bool

    def around(self, runner: Runner, name: str) -> Runner:
        """A runner that captures and replays calls of a graph on the device."""
        return StaticBufferRunner(runner, torch.device(self.device), frozenset(self.static), frozenset(self.written), self.is_dynamic, name)


@dataclass(frozen=True)
class ByAddress:
    """Option `replay`. `moving`: the inputs whose strides may change; `idle`: the outputs whose content nobody reads."""

    device: str
    moving: tuple[int, ...]
    idle: tuple[int, ...]

    def around(self, runner: Runner, name: str) -> Runner:
        """A runner that captures and replays calls of a graph on the device."""
        return ByAddressRunner(runner, torch.device(self.device), list(self.moving), frozenset(self.idle), name)


Policy = StaticBuffers | ByAddress
_POLICIES: dict[str, Callable[..., Policy]] = {c.__name__: c for c in (StaticBuffers, ByAddress)}


def written_policy(policy: Policy) -> dict[str, Any]:
    """A policy as what JSON can hold."""
    return {"kind": type(policy).__name__, **asdict(policy)}


def read_policy(entry: dict[str, Any]) -> Policy:
    """The inverse of `written_policy`. Raises KeyError or TypeError."""
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in entry.items() if name != "kind"}
    return _POLICIES[entry["kind"]](**values)
