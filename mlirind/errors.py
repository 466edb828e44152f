"""Errors that a user can act on. Each message says what to do."""

from collections.abc import Callable
from typing import Any


class MlirindError(Exception):
    """Base of all errors that mlirind raises for a user's mistake."""


class UnsupportedGraph(MlirindError):
    """The compiler does not support a graph; it runs through the FX interpreter instead. `at`: the FX node and the user's source line, if
    known; `node`: the FX node's name, if the graph without it may be supported."""

    at: str = ""
    node: str = ""


class RefusedArguments(UnsupportedGraph):
    """Eager refuses an operator's arguments; FX raises eager's error."""


class NotALibrary(MlirindError):
    """`mlirind.aot_compile` can't make a library of a program; the message names the part that a library can't have."""


class UnsupportedInput(MlirindError, NotImplementedError):
    """An argument of an operator that can't be compiled for eager mode; the message names it, and what is supported."""


class UserPassFailed(MlirindError):
    """A pass that `options=` names failed, or left a graph that breaks a rule; the message says which and where."""


class UnsupportedKernel(UnsupportedGraph):
    """A kernel has no GPU code; the graph is compiled again with a kernel for each operator."""


WRITTEN = "a tensor that it writes"  # a name of a tensor in the message of the next error


class ResultNotAsDeclared(MlirindError, RuntimeError):
    """An operator returned a tensor of another size, dtype or device than its fake function declares; the message says which. A
    RuntimeError, as PyTorch's own checks of tensors raise."""


class WrongResult(MlirindError):
    """With the option `check`: a compiled graph gives something else than eager. The message names the graph, the result and, as far as
    they are asked for and found, the pass, the rewrite and the kernel. `culprit`: these, as data."""

    culprit: Any = None


class UnprovedAccess(UnsupportedGraph):
    """A view, or an access of a kernel, that is not proved to lie within its buffer."""


class UnprovedKernel(UnprovedAccess):
    """Of a kernel; the graph is compiled again, and operators whose own kernels are not proved stay calls."""


class InvalidIR(MlirindError):
    """The IR breaks a rule; earlier diagnostics say which and where. `operation`: the one that breaks it. `lost`: for a missing operation,
    whether a given operation of the previous module is the missing one."""

    operation: Any = None
    lost: Callable[[Any], bool] | None = None
