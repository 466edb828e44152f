"""The passes by name. Registration is explicit and unique; a pass is a function on a module."""

from collections.abc import Callable
from dataclasses import dataclass

from torch_mlir import ir

from ..errors import MlirindError


@dataclass(frozen=True)
class Pass:
    """A registered pass: `run(module)` changes the module in place. `summary` is the first line of its module's docstring."""

    name: str
    run: Callable[[ir.Module], None]
    summary: str


_passes: dict[str, Pass] = {}


def register_pass(name: str, run: Callable[[ir.Module], None]) -> None:
    """Registers `run` as the pass `name`; a second registration of a name raises."""
    if name in _passes:
        raise MlirindError(f"pass {name!r} is registered twice: choose another name")
    doc = __import__(run.__module__, fromlist=["x"]).__doc__ or run.__doc__ or ""
    _passes[name] = Pass(name, run, doc.strip().split("\n")[0])


def passes() -> dict[str, Pass]:
    """All registered passes, by name."""
    return dict(_passes)
