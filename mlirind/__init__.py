"""mlirind: a compiler backend for PyTorch through MLIR. `torch.compile(model, backend="mlirind")`."""

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .identities import checked_identity, identify_operator

if TYPE_CHECKING:
    from pathlib import Path

    from torch import fx
    from torch._ops import OpOverload
    from torch.export import ExportedProgram
    from torch_mlir import ir

    from .frontend.explain import Explanation

__all__ = [
    "__version__", "aot_compile", "aoti_compile_with_persistent_cache", "explain", "identify_operator", "register_eager",
    "register_pass", "register_pre_grad_pass",
]  # fmt: skip
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
    weights: str = "inside",
    device: str | None = None,
    targets: Sequence[str] | None = None,
) -> str:
    """Compiles a program into a shared library that runs without Python and without this package, and returns the path `package`.

    `program`: what `torch.export.export` returned, or a module or function to export for the arguments `args` and `kwargs`, with
    `dynamic_shapes` as `torch.export.export` takes them. `options`: fields of `mlirind.Options`. A name that ends in `.pt2` is a package,
    for PyTorch's `aoti_load_package` and for PyTorch's C++ class `AOTIModelPackageLoader`; one that ends in `.so` is the library
    alone, for `AOTIModelContainerRunnerCpu` or `AOTIModelContainerRunnerCuda`.

    `weights`: where parameters and buffers are, "inside" the library or "beside" it. Beside it they are a file of their own: in a package,
    where PyTorch loads it with the library, or `<name>_weights.blob` beside `<name>.so`, for `update_constant_buffer_from_blob`.

    `device`: "cuda" makes a library for NVIDIA GPUs of a module and arguments on the CPU; by default the library is for the device that
    they are on. `targets`: the GPUs' architectures, such as `["sm_80", "sm_90"]`; by default that of this machine's GPU. With `targets` no
    GPU is needed.

    Raises `mlirind.errors.NotALibrary` for a program that needs Python: the message names the operator and its line. Raises
    `MlirindError` for wrong arguments.
    """
    from .frontend.exporting.aot_compile import aot_compile as run

    return run(program, args, kwargs, dynamic_shapes, options, package, weights, device, targets)


def aoti_compile_with_persistent_cache(
    ns: str,
    op_func_name_with_overload: str,
    device_type: str,
    dynamic: bool,
    f: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    *,
    dynamic_shapes: Any = None,
    options: Mapping[str, Any] | None = None,
    remove_runtime_assertions: bool = False,
    disable_constraint_solver: bool = False,
) -> str:
    """The path of a shared library for a call of the operator `f` with these arguments, from the cache on disk if it is there.

    The file `<op_func_name_with_overload>.json` in the cache lists the calls that are compiled, in the form that PyTorch's holder of eager
    operators reads. `ns`, `op_func_name_with_overload`: the operator's name, such as "aten" and "add.Tensor". Only the device "cpu" and
    static shapes are supported: `dynamic=True` and `dynamic_shapes` raise `MlirindError`. An argument that is no tensor, list of tensors,
    int, float, bool, str, dtype, device or layout raises `UnsupportedInput`. The last two arguments have no effect: shapes are static.
    """
    from .frontend.exporting.eager_operators import aoti_compile_with_persistent_cache as run

    return run(ns, op_func_name_with_overload, device_type, dynamic, f, args, kwargs, dynamic_shapes=dynamic_shapes, options=options)


def register_eager(op: "str | OpOverload", device: str = "cpu") -> None:
    """Makes an operator ("aten::gelu") run compiled in eager mode, for the rest of the process. PyTorch's holder compiles a library for
    each kind of call (dtypes, sizes, strides, numbers) at the first such call, or finds it on disk, and runs it.

    A call that can't be compiled raises RuntimeError, and the log has the reason. Raises `MlirindError` for operators that write arguments,
    return views or other things than tensors, or are made of other operators, and if this PyTorch has no such holder.
    """
    from .frontend.exporting.eager_operators import register_eager as run

    run(op, device)


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
