"""Finds backends by name for tests and scripts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def find_backend(name: str) -> str | Callable[..., Any]:
    """What `torch.compile(backend=...)` takes for `name`; mlirind is found without being installed."""
    if name != "mlirind":
        return name
    from ..frontend.backend import mlirind

    return mlirind
