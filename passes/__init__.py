"""The passes: one a file, each registered under the name that `mlirind-opt --list-passes` shows."""

from . import canonicalize_aten, cse_aten, dce_aten, verify_aten, verify_ir

__all__ = ["canonicalize_aten", "cse_aten", "dce_aten", "verify_aten", "verify_ir"]
