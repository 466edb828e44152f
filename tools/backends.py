"""Finds backends by name for tests and scripts."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


def find_backend(name: str) -> str | Callable[..., Any]:
    """What `torch.compile(backend=...)` takes for `name`; mlirind is found without being installed. `mlirind+freezing` switches an
    option on, further ones behind further signs."""
    first, *switches = name.split("+")
    if first != "mlirind":
        return name
    from ..frontend.backend import mlirind

    return functools.partial(mlirind, options=dict.fromkeys(switches, True)) if switches else mlirind
