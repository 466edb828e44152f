"""Finds backends by name for tests and scripts."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


def find_backend(name: str) -> str | Callable[..., Any]:
    """The backend named `name`, as `torch.compile(backend=...)` takes it; mlirind need not be installed. Options follow plus signs:
    `mlirind+freezing` sets option `freezing` to True."""
    first, *switches = name.split("+")
    if first != "mlirind":
        return name
    from ..frontend.backend import mlirind

    return functools.partial(mlirind, options=dict.fromkeys(switches, True)) if switches else mlirind
