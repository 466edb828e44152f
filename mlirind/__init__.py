"""mlirind: a compiler backend for PyTorch through MLIR. `torch.compile(model, backend="mlirind")`."""

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .identities import checked_identity, identify_operator

if TYPE_CHECKING:
    from pathlib import Path

    from torch import fx
    from torch.export import ExportedProgram
    from torch_mlir import ir

    from .frontend.explain import Explanation

__all__ = ["__version__", "aot_compile", "explain", "identify_operator", "register_pass", "register_pre_grad_pass"]
__version__ = "0.1.0"


def explain(function: Callable[..., Any], *args: Any, profile: bool = False, **kwargs: Any) -> "Explanation":
    """Compiles `function` for a call with these arguments, makes the call, and returns what became of each graph. Prints a summary. The
    result as text has each kernel with the operators that it computes, and each call of ATen with the reason; its `.ir` is the IR of
    every stage, `.save("report.html")` writes a page. `profile`: makes the call six times, and measures each kernel and call."""
    from .frontend.explain import explain as run

    return run(function, *args, profile=profile, **kwargs)


def aot_compile(
    program: "ExportedProgram | Callable[..., Any]",
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
    options: Mapping[str, Any] | None = None,
    package: "str | Path",
) -> str:
    """Compiles a program into a shared library that runs without Python and without this package, and returns the path `package`.

    `program`: what `torch.export.export` returned, or a module or function to export for the arguments `args` and `kwargs`, with
    `dynamic_shapes` as `torch.export.export` takes them. `options`: fields of `mlirind.Options`. A name that ends in `.pt2` is a package,
    for `torch._inductor.aoti_load_package` and for PyTorch's C++ class `AOTIModelPackageLoader`; one that ends in `.so` is the library
    alone, for `AOTIModelContainerRunnerCpu`. Parameters and buffers are inside. Only graphs of CPU tensors are supported.

    Raises `mlirind.errors.NotALibrary` for a program that needs Python: the message names the operator and its line.
    """
    from .frontend.exporting.aot_compile import aot_compile as run

    return run(program, args, kwargs, dynamic_shapes, options, package)


def register_pass(name: str, run: Callable[["ir.Module"], None], *, identity: str | None = None) -> None:
    """Makes `run` a pass: it changes a module in place, wherever `options=` or `mlirind-opt` name it. A name that is taken raises.
    `identity`: a text that changes whenever the function does; without it the option `cache` keeps no graph that the pass may change.

    `mlirind-opt --list-passes` shows the docstring of the file that defines `run`, where that begins with the pass's name
    ("`my-pass`: ..."), else the docstring of `run`, up to the first empty line.
    """
    from .passes.registry import first_paragraph
    from .passes.registry import register_pass as register

    of_module = first_paragraph(getattr(sys.modules.get(run.__module__), "__doc__", None) or "")
    of_function = first_paragraph(run.__doc__ or "") or "a pass of the user"
    summary = of_module if of_module.startswith(f"`{name}`: ") else f"`{name}`: {of_function}"
    register(name, run, summary, None if identity is None else checked_identity(identity, f"pass {name!r}"))


def register_pre_grad_pass(name: str, run: Callable[["fx.GraphModule"], None], *, identity: str | None = None) -> None:
    """Makes `run` a pass for the option `pre_grad`: it changes a graph of torch functions in place. `identity`: as in `register_pass`.
    A name that is taken raises."""
    from .frontend.patterns.pre_grad import register_pre_grad_pass as register

    register(name, run, identity)
