"""Records the operation on which a pass works, for the error of a failing pass; and says what an operation is for the user."""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Callable, Iterator
from typing import ParamSpec, TypeVar

from torch_mlir import ir

from ..dialects import aten_ops
from ..dialects.locations import SourcePosition, position
from ..dialects.narrowing import text, texts
from ..errors import UnsupportedGraph

_NOTE = "mlirind_operation"
_KERNEL = re.compile(r"kernel (\S+)(?: \(.*\))?")  # what `operator_and_line` gives without a line
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


def operator_and_line(op: ir.Operation | None) -> str:
    """The operator or kernel that an operation is, or is in, with its line: "aten.sin.default of model.py:12: x.sin()". A kernel's line is
    that of a launch; without one, it is left out. Empty for None, and if neither operator nor kernel is known."""
    while op is not None and op.name != "builtin.module":
        name = _name(op)
        if name:
            where = position(op.location) or _launch_position(op)
            return f"{name} of {where.with_text}" if where is not None else name
        op = op.parent
    return ""


@contextlib.contextmanager
def reasons_with_launches(module: ir.Module) -> Iterator[None]:
    """Kernels are compiled in modules of their own. An `UnsupportedGraph` that is raised inside, for a kernel that `module` launches, says
    the launch's line."""
    try:
        yield
    except UnsupportedGraph as error:
        name = _KERNEL.fullmatch(error.at)
        kernels = [op.operation for op in module.body.operations if op.operation.name == "loop.func"] if name else []
        error.at = next((operator_and_line(op) for op in kernels if name and text(op.attributes["sym_name"]) == name[1]), error.at)
        raise


def _launch_position(kernel: ir.Operation) -> SourcePosition | None:
    """The line of the first launch of a kernel, in the kernel's module."""
    if kernel.name != "loop.func" or kernel.parent is None:
        return None
    for function in kernel.parent.regions[0].blocks[0].operations:
        for op in function.regions[0].blocks[0].operations if function.operation.name == "func.func" else ():
            if "kernel" in op.attributes and text(op.attributes["kernel"]) == text(kernel.attributes["sym_name"]):
                return position(op.location)
    return None


def _name(op: ir.Operation) -> str:
    """The name of an operator, or of a kernel with what it computes; empty for other operations."""
    if aten_ops.is_operator(op):
        return aten_ops.pytorch_name(op)
    if op.name not in ("loop.kernel", "loop.func"):
        return ""
    name = text(op.attributes["sym_name" if op.name == "loop.func" else "kernel_name"])
    return f"kernel {name}" + (f" ({', '.join(texts(op.attributes['computes']))})" if "computes" in op.attributes else "")
