"""Counts the instructions of another process by single-stepping it (`ptrace`). Unlike valgrind, this supports AVX-512."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Callable

CONTINUE, STEP, ATTACH, DETACH = 7, 9, 16, 17
_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_libc.ptrace.restype = ctypes.c_long


def _ptrace(request: int, pid: int) -> None:
    if _libc.ptrace(request, pid, None, None) == -1:
        raise OSError(ctypes.get_errno(), "ptrace")


def _wait(pid: int, wanted: int) -> bool:
    """Waits until the process stops; returns whether the signal `wanted` stopped it."""
    status = os.waitpid(pid, 0)[1]
    if not os.WIFSTOPPED(status):
        raise SystemExit(f"the traced process ended: {status}")
    return os.WSTOPSIG(status) == wanted


def instructions_between_signals(pid: int, start: Callable[[], None]) -> int:
    """The instructions that a child's main thread executes between the two SIGUSR1 that it sends itself after `start` is called."""
    _ptrace(ATTACH, pid)
    _wait(pid, signal.SIGSTOP)
    _ptrace(CONTINUE, pid)
    start()
    while not _wait(pid, signal.SIGUSR1):
        _ptrace(CONTINUE, pid)
    count = 0
    while True:
        _ptrace(STEP, pid)
        count += 1
        if _wait(pid, signal.SIGUSR1):
            _ptrace(DETACH, pid)
            return count
