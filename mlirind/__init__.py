"""mlirind: a compiler backend for PyTorch through MLIR. `torch.compile(model, backend="mlirind")`."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import fx
    from torch_mlir import ir

    from .frontend.explain import Explanation

__all__ = ["__version__", "explain", "register_pass", "register_pre_grad_pass"]
__version__ = "0.1.0"


def explain(function: Callable[..., Any], *args: Any, **kwargs: Any) -> "Explanation":
    """Compiles `function` for a call with these arguments, makes the call, and prints and returns what became of each graph:
    the IR of every stage, the kernels with the operators that each computes, the calls of ATen with the reason for each."""
    from .frontend.explain import explain as run

    return run(function, *args, **kwargs)


def register_pass(name: str, run: Callable[["ir.Module"], None]) -> None:
    """Makes `run` a pass: it changes a module in place, wherever `options=` or `mlirind-opt` name it. A name that is taken raises."""
    from .passes.registry import register_pass as register

    register(name, run, f"`{name}`: {(run.__doc__ or 'a pass of the user').strip().splitlines()[0]}")


def register_pre_grad_pass(name: str, run: Callable[["fx.GraphModule"], None]) -> None:
    """Makes `run` a pass for the option `pre_grad`: it changes a graph of torch functions in place. A name that is taken raises."""
    from .frontend.pre_grad import register_pre_grad_pass as register

    register(name, run)
