"""Modes and contexts of a thread: dispatch modes, function modes, autocast, tracing, profilers."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from typing import Any

import torch

from .entries import private


@contextlib.contextmanager
def _no_autocast() -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        for device in ("cpu", "cuda"):
            stack.enter_context(torch.autocast(device, enabled=False))
        yield


def _no_context(*_: Any) -> contextlib.AbstractContextManager[None]:
    return contextlib.nullcontext()


without_dispatch_modes = private(
    "torch.utils._python_dispatch._disable_current_modes",
    "hides the dispatch modes of a running compilation from operators on other tensors",
    "fewer calls are constant-folded and compared",
    _no_context,
)
tracing = private(
    "torch._guards.tracing", "separates our fake tensors from a running compilation", "our fake tensors may add guards to it", _no_context
)
_function_modes = private(
    "torch._C._len_torch_function_stack",
    "whether a program is under modes on torch functions",
    "patterns are traced when they are registered",
)
_dispatch_modes = private(
    "torch._C._len_torch_dispatch_stack",
    "whether a program is under dispatch modes",
    "patterns are traced when they are registered; captures on a GPU are not replayed",
)
_level = private(
    "torch.autograd.forward_ad._current_level",
    "whether a program is within forward-mode differentiation",
    "a tensor with a tangent is made to find out; the first one makes PyTorch compile decompositions",
    probe=lambda level: type(level) is int,
)
_pop_mode = private(
    "torch.overrides._pop_mode_temporarily",
    "traces patterns without the program's torch function modes",
    "patterns are traced under these modes",
)
python_dispatcher = private(
    "torch._dispatch.python.enable_python_dispatcher",
    "decomposes composite operators as AOTAutograd does",
    "some patterns match less",
    contextlib.nullcontext,
)
no_autocast = private(
    "torch._C._DisableAutocast",
    "disables autocast around kernels with little overhead",
    "autocast is disabled for each device",
    _no_autocast,
)
is_autocast_on = private(
    "torch._C._is_any_autocast_enabled",
    "whether any device has autocast on",
    "only the CPU and CUDA are checked",
    lambda: torch.is_autocast_enabled("cpu") or torch.is_autocast_enabled("cuda"),
)
_profiler: dict[str, Any] = private(
    "torch.autograd.profiler.__dict__",
    "whether a profiler runs, to add ranges for graphs and kernels",
    "profilers show no ranges",
    {"_is_profiler_enabled": False},
    lambda names: isinstance(names["_is_profiler_enabled"], bool),
)
PROFILER_NAMES, PROFILER_FLAG = _profiler, "_is_profiler_enabled"


def profiler_runs() -> bool:
    """Whether a profiler runs."""
    return bool(_profiler[PROFILER_FLAG])


def hide_profiler() -> None:
    """From now on graphs run as without a profiler, until another profiler starts. The running profiler keeps recording."""
    _profiler[PROFILER_FLAG] = False


def has_function_modes() -> bool:
    """Whether the thread has a torch function mode; True if this PyTorch can't tell."""
    return _function_modes is None or _function_modes() > 0


def has_dispatch_modes() -> bool:
    """Whether the thread has a dispatch mode; True if this PyTorch can't tell."""
    return _dispatch_modes is None or _dispatch_modes() > 0


@contextlib.contextmanager
def without_function_modes() -> Iterator[None]:
    """A context without the thread's torch function modes."""
    with contextlib.ExitStack() as stack:
        if _function_modes is not None and _pop_mode is not None:
            for _ in range(_function_modes()):
                stack.enter_context(_pop_mode())
        yield


@contextlib.contextmanager
def quiet_fake_tensors() -> Iterator[None]:
    """A context in which PyTorch logs nothing about fake tensors."""
    log = logging.getLogger("torch._subclasses.fake_tensor")
    disabled, log.disabled = log.disabled, True
    try:
        yield
    finally:
        log.disabled = disabled


@contextlib.contextmanager
def outside_tracing() -> Iterator[None]:
    """A context without the modes and the tracing context of a running compilation, in which nothing is logged."""
    with quiet_fake_tensors(), without_dispatch_modes(), tracing(None), torch.no_grad():
        yield


def dual_level() -> int | None:
    """The level of `torch.autograd.forward_ad`, -1 outside of it; None if PyTorch does not tell."""
    return None if _level is None else int(torch.autograd.forward_ad._current_level)
