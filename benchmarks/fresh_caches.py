"""Gives every backend an empty cache, and turns caches of compiled graphs off. Call it before a backend is imported."""

from __future__ import annotations

import os


def fresh_caches(folder: str) -> dict[str, str]:
    """Environment variables that place the caches of Inductor, Triton and mlirind in `folder`, and turn those of whole graphs off."""
    return {
        "TORCHINDUCTOR_CACHE_DIR": f"{folder}/inductor",
        "TRITON_CACHE_DIR": f"{folder}/triton",
        "MLIRIND_CACHE_DIR": f"{folder}/mlirind",
        "MLIRIND_CACHE": "0",
        "TORCHINDUCTOR_AUTOGRAD_CACHE": "0",
    }


def use_fresh_caches(folder: str) -> None:
    """Sets these variables in this process."""
    os.environ.update(fresh_caches(folder))
