"""What becomes of each pattern in a graph: it replaces operations, is refused and why, or where its nearest miss ends. For the log, and for
whoever listens; nothing is looked for if nobody does."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Iterator

_local = threading.local()  # of the compiling thread: the lists that get the messages


@contextlib.contextmanager
def listening(wanted: bool) -> Iterator[list[str]]:
    """A list that gets the messages of this thread inside; it stays empty unless `wanted`."""
    heard: list[str] = []
    if not wanted:
        yield heard
        return
    outer = _lists()
    _local.lists = [*outer, heard]
    try:
        yield heard
    finally:
        _local.lists = outer


def is_heard(log: logging.Logger) -> bool:
    """Whether anybody reads messages of `log`."""
    return log.isEnabledFor(logging.DEBUG) or bool(_lists())


def tell(log: logging.Logger, message: str) -> None:
    """Logs a message, and gives it to the lists."""
    log.debug("%s", message)
    for heard in _lists():
        heard.append(message)


def _lists() -> list[list[str]]:
    lists: list[list[str]] = getattr(_local, "lists", [])
    return lists
