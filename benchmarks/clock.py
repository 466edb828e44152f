"""Seconds by part of a program."""

from __future__ import annotations

import contextlib
import resource
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any


def children_seconds() -> float:
    """Processor seconds of the processes that this one has started and that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


class Clock:
    """Seconds by part, of the processor or as `now` counts them. An inner part pauses the outer one."""

    def __init__(self, now: Callable[[], float] = time.process_time) -> None:
        self.now = now
        self.seconds: dict[str, float] = defaultdict(float)
        self._running: list[str] = []
        self._since = 0.0

    @contextlib.contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Adds the time of the `with` block to a part."""
        self._switch()
        self._running.append(name)
        try:
            yield
        finally:
            self._switch()
            self._running.pop()

    def _switch(self) -> None:
        now = self.now()
        if self._running:
            self.seconds[self._running[-1]] += now - self._since
        self._since = now

    def timed(self, function: Callable[..., Any], name: str) -> Callable[..., Any]:
        """The function, timed as a part."""

        def call(*args: Any, **kwargs: Any) -> Any:
            with self.part(name):
                return function(*args, **kwargs)

        return call
