"""The passes: one a file, each registered under the name that `mlirind-opt --list-passes` shows."""

from . import verify_ir

__all__ = ["verify_ir"]
