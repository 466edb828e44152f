"""Gives every backend an empty cache. Call it before a backend is imported."""

from __future__ import annotations

import os


def fresh_caches(folder: str) -> dict[str, str]:
    """Environment variables that place the caches of Inductor, Triton and mlirind in `folder`."""
    return {
        "TORCHINDUCTOR_CACHE_DIR": f"{folder}/inductor",
        "TRITON_CACHE_DIR": f"{folder}/triton",
        "MLIRIND_CACHE_DIR": f"{folder}/mlirind",
        "TORCHINDUCTOR_AUTOGRAD_CACHE": "0",
    }


def use_fresh_caches(folder: str) -> None:
    """Sets these variables in this process."""
    os.environ.update(fresh_caches(folder))
