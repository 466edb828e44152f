"""What chooses the code that Triton makes of a text: its version, the options that all kernels have, variables. Does not import Triton."""

from __future__ import annotations

import functools
import importlib.metadata
import os

# Options of `triton.compile` besides warps and stages. As in eager, products and sums are not contracted, and libdevice keeps f32
# denormals.
TRITON_OPTIONS = {"enable_fp_fusion": False, "enable_reflect_ftz": False}

# Triton and its LLVM read variables of this prefix, and those below. Others say where files are.
_PREFIX = "TRITON_"
_PLACES = {"TRITON_CACHE_DIR", "TRITON_HOME", "TRITON_DUMP_DIR", "TRITON_REPRODUCER_PATH", "TRITON_CACHE_MANAGER"}
_VARIABLES = {
    "ALLOW_LHS_TMEM_LAYOUT_CONVERSION", "DISABLE_LLVM_OPT", "DISABLE_MMA_V3", "DISABLE_MMA_V5", "DISABLE_PTXAS_OPT",
    "LLVM_PASS_PLUGIN_PATH", "PTXAS_OPTIONS", "USE_IR_LOC",
}  # fmt: skip


@functools.cache
def triton_version() -> str | None:
    """The version of the installed Triton, or None."""
    for name in ("triton", "pytorch-triton"):
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return None


def triton_variables() -> list[tuple[str, str]]:
    """The variables of the environment that may change the code of a kernel, with their values now."""
    return sorted(
        (name, value) for name, value in os.environ.items() if name in _VARIABLES or (name.startswith(_PREFIX) and name not in _PLACES)
    )
