"""Records the operation on which a pass works, for the error of a failing pass."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from torch_mlir import ir

_NOTE = "mlirind_operation"
_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


def works_on_operation(function: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
    """Decorates a function that works on one operation, the first of its arguments. The pass driver prints this operation, with the user's
    line, for an error raised inside. In nested calls the innermost operation counts."""

    @functools.wraps(function)
    def run(*args: _Given.args, **kwargs: _Given.kwargs) -> _Result:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            if not hasattr(error, _NOTE):
                setattr(error, _NOTE, next(a for a in args if isinstance(a, ir.OpView | ir.Operation)))
            raise

    return run


def operation_of(error: BaseException) -> ir.OpView | ir.Operation | None:
    """The operation that was worked on when the error was raised; None if no pass recorded one. It may have been erased since."""
    return getattr(error, _NOTE, None)
