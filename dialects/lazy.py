"""`sympy`, imported at its first use: the import takes as long as the rest of mlirind-opt, and most IR has no symbols."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import sympy
else:

    class _Sympy:
        def __getattr__(self, name: str) -> Any:
            value = getattr(importlib.import_module("sympy"), name)
            setattr(self, name, value)  # found without this function from now on
            return value

    sympy = _Sympy()

__all__ = ["sympy"]
