"""The passes: one a file, each registered under the name that `mlirind-opt --list-passes` shows."""

from . import (
    canonicalize_aten,
    channels_last_convolutions,
    constant_fold,
    cse_aten,
    dce_aten,
    refresh_metadata,
    reinplace,
    remove_noops,
    remove_redundant_views,
    user_patterns,
    verify_aliasing,
    verify_aten,
    verify_functional,
    verify_inplace,
    verify_ir,
    verify_metadata,
)

__all__ = [
    "canonicalize_aten",
    "channels_last_convolutions",
    "constant_fold",
    "cse_aten",
    "dce_aten",
    "refresh_metadata",
    "reinplace",
    "remove_noops",
    "remove_redundant_views",
    "user_patterns",
    "verify_aliasing",
    "verify_aten",
    "verify_functional",
    "verify_inplace",
    "verify_ir",
    "verify_metadata",
]
