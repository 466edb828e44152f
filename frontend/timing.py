"""Option `timing`: a table on stderr for each graph, and one for all that the backend did for a graph that Dynamo captured. Option
`pattern_log`: what each pattern matches in each graph."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator

from ..options import Options
from ..passes.driver import format_timings
from ..passes.patterns.engine.pattern_log import listening
from ..passes.recording import PassRecord, Records, record_passes
from ..runtime.report_requests import stages_wanted

_local = threading.local()


@contextlib.contextmanager
def recorded(title: str, options: Options) -> Iterator[Records]:
    """Records what this thread's compilation does inside, if a report or the option asks for it; prints the table at the end."""
    start = time.perf_counter()
    with record_passes(stages_wanted(), options.timing) as records, listening(options.pattern_log) as heard:
        yield records
    if heard:
        print("\n  ".join([f"patterns of {title}:", *heard]), file=sys.stderr)
    if options.timing:
        _print(title, list(records), "everything else", time.perf_counter() - start)


@contextlib.contextmanager
def captured_graph(options: Options) -> Iterator[None]:
    """Prints what each `part` inside took, and what is left for AOTAutograd."""
    if not options.timing:
        yield
        return
    outer, parts = getattr(_local, "parts", None), list[PassRecord]()
    _local.parts, start = parts, time.perf_counter()
    try:
        yield
    finally:
        _local.parts = outer
    _print("a graph that Dynamo captured", parts, "AOTAutograd: tracing, wrappers", time.perf_counter() - start)


@contextlib.contextmanager
def part(name: str) -> Iterator[None]:
    """A part of the work on the graph that Dynamo captured."""
    start = time.perf_counter()
    yield
    parts: list[PassRecord] | None = getattr(_local, "parts", None)
    if parts is not None:
        parts.append(PassRecord(name, time.perf_counter() - start))


def _print(title: str, parts: list[PassRecord], rest: str, seconds: float) -> None:
    parts.append(PassRecord(rest, seconds - sum(p.seconds for p in parts)))
    print(format_timings(parts, f"time of {title}:"), file=sys.stderr)
