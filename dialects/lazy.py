"""`sympy`, imported when it is first used: that takes as long as all else in mlirind-opt, and most IR has no symbols."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import sympy
else:

    class _Sympy:
        def __getattr__(self, name: str) -> Any:
            return getattr(importlib.import_module("sympy"), name)

    sympy = _Sympy()

__all__ = ["sympy"]
