"""Times the calls of one round of a benchmark."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def call_times(run: Callable[[], Any], clock: Callable[[], float], seconds: float) -> list[float]:
    """The seconds of each call within about `seconds` seconds of the clock, of three calls at least."""
    times: list[float] = []
    end = clock() + seconds
    while len(times) < 3 or clock() < end:
        start = clock()
        run()
        times.append(clock() - start)
    return times
