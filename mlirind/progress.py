"""A line on the terminal while a compilation lasts: the pass that runs, or how many of the kernels are compiled or tuned.

Nothing is shown before `PATIENCE` seconds, if stderr is no terminal, or with `MLIRIND_PROGRESS=0`; then a note costs one comparison.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

PATIENCE = 2.0  # seconds

_lock = threading.RLock()


class _Line:
    """The line of the compilations that run now, in any threads."""

    def __init__(self) -> None:
        self.users, self.begun = 0, 0.0
        self.bar: Any = None
        self.task: Any = None

    def show(self, what: str, done: int, of: int | None) -> None:
        what = what if of is None else f"{what} {done}/{of}"
        if self.bar is None:
            if time.monotonic() - self.begun < PATIENCE:
                return
            self.bar = _bar()
            self.task = self.bar.add_task(what, total=of)
            self.bar.start()
        self.bar.update(self.task, description=what, completed=done, total=of)

    def end(self) -> None:
        if self.bar is not None:
            self.bar.stop()
        self.bar = None


_line = _Line()


def _bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("mlirind: {task.description}"), BarColumn(), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)


def _is_wanted() -> bool:
    terminal = sys.stderr is not None and sys.stderr.isatty()
    return terminal and os.environ.get("MLIRIND_PROGRESS", "1").lower() not in ("", "0", "false", "no", "off")


@contextlib.contextmanager
def compiling() -> Iterator[None]:
    """A compilation, which may show its progress; compilations inside are parts of it."""
    if not _line.users and not _is_wanted():
        yield
        return
    with _lock:
        _line.begun = _line.begun if _line.users else time.monotonic()
        _line.users += 1
    try:
        yield
    finally:
        with _lock:
            _line.users -= 1
            if not _line.users:
                _line.end()


def progress(what: str, done: int = 0, of: int | None = None) -> None:
    """Shows what the compilation does now; `done` of the `of` parts are finished, None if parts are not counted."""
    if _line.users:
        with _lock:
            _line.show(what, done, of)
