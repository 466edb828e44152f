"""Which operation a pass works on, for the error of one that fails."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from torch_mlir import ir

_NOTE = "mlirind_operation"
_Function = TypeVar("_Function", bound=Callable[..., Any])


def works_on_operation(function: _Function) -> _Function:
    """Decorates a function that works on one operation, the first among its arguments: an error raised within is one at that
    operation, which the pass driver prints with the user's line. Where such calls are nested, the innermost counts."""

    @functools.wraps(function)
    def run(*args: Any) -> Any:
        try:
            return function(*args)
        except Exception as error:
            if not hasattr(error, _NOTE):
                setattr(error, _NOTE, next(a for a in args if isinstance(a, ir.OpView | ir.Operation)))
            raise

    return run  # type: ignore[return-value]


def operation_of(error: BaseException) -> ir.OpView | ir.Operation | None:
    """The operation that was worked on when the error was raised; None where no pass says so. It may have been erased since."""
    return getattr(error, _NOTE, None)
