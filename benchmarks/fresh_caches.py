"""Empty caches for every backend, before any is imported."""

from __future__ import annotations

import os


def use_fresh_caches(folder: str) -> None:
    """Points the caches of Inductor, Triton and mlirind's kernels into `folder`."""
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = f"{folder}/inductor"
    os.environ["TRITON_CACHE_DIR"] = f"{folder}/triton"
    os.environ["MLIRIND_CACHE_DIR"] = f"{folder}/mlirind"
    os.environ["TORCHINDUCTOR_AUTOGRAD_CACHE"] = "0"
