"""mlirind: a compiler backend for PyTorch through MLIR. `torch.compile(model, backend="mlirind")`."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .frontend.explain import Explanation

__all__ = ["__version__", "explain"]
__version__ = "0.1.0"


def explain(function: Callable[..., Any], *args: Any, **kwargs: Any) -> "Explanation":
    """Compiles `function` for a call with these arguments, makes the call, and prints and returns what became of each graph:
    the IR of every stage, the kernels with the operators that each computes, the calls of ATen with the reason for each."""
    from .frontend.explain import explain as run

    return run(function, *args, **kwargs)
