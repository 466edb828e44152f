"""Dynamo's `aot_compile`: what it asks of a backend, and whether it is what calls the backend."""

from __future__ import annotations

from typing import Any

from .aot import config
from .entries import private

_PURPOSE = "compiled functions that Dynamo's `aot_compile` writes to files"

SerializableCallable: Any = private(
    "torch._dynamo.aot_compile_types.SerializableCallable", _PURPOSE, "`aot_compile` refuses the backend", object
)
# What `aot_compile` sets, and nothing else sets together.
_SETTINGS = ("force_autograd_cache", "bundled_autograd_cache", "bypass_autograd_cache_key", "strict_autograd_cache")


def compiles_ahead() -> bool:
    """Whether Dynamo's `aot_compile` calls the backend. It wants an object of a class derived from SerializableCallable."""
    return SerializableCallable is not object and all(getattr(config, name, False) for name in _SETTINGS)
