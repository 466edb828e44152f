"""Users' passes before AOTAutograd, on the FX graph of torch functions, in which tensors are written and viewed.

The option `pre_grad` names them, in order. Each is run and then proved harmless, as far as PyTorch's fake tensors can tell: results have
the same sizes, strides and dtypes, over the same memory, and the same inputs are written.
"""

from __future__ import annotations

import difflib
import logging
from collections.abc import Callable

from torch import fx

from ...errors import MlirindError, UserPassFailed
from ...identities import checked_identity
from ...options import Options
from ..counters import counters
from .observation import Observation

log = logging.getLogger(__name__)

PreGradPass = Callable[[fx.GraphModule], None]

_passes: dict[str, PreGradPass] = {}
_identities: dict[str, str | None] = {}


def register_pre_grad_pass(name: str, run: PreGradPass, identity: str | None = None) -> None:
    """Makes `run` a pass for the option `pre_grad`: it changes a graph of torch functions in place. `identity`: for the option `cache`,
    a text that changes whenever the function does. A name that is taken raises."""
    if name in _passes:
        raise MlirindError(f"pre-grad pass {name!r} is registered twice: choose another name")
    _identities[name] = None if identity is None else checked_identity(identity, f"pre-grad pass {name!r}")
    _passes[name] = run


def pre_grad_identities(options: Options) -> list[tuple[str, str | None]]:
    """The passes that the options name, each with its identity; None if it has none. Raises MlirindError for one that is no pass."""
    return [(step, _identities[step]) for step in pre_grad_steps(options)]


def pre_grad_steps(options: Options) -> list[str]:
    """The names in the option. Raises MlirindError for one that is no pass, with the closest names."""
    texts = [options.pre_grad] if isinstance(options.pre_grad, str) else options.pre_grad
    if not all(isinstance(text, str) for text in texts):
        raise MlirindError(f"option pre_grad: {options.pre_grad!r}, want names of passes")
    steps = [step.strip() for text in texts for step in text.split(",") if step.strip()]
    for step in steps:
        if step not in _passes:
            close = difflib.get_close_matches(step, _passes, n=3, cutoff=0.5)
            hint = f"did you mean {' or '.join(close)}?" if close else f"registered are {', '.join(_passes) or 'none'}"
            raise MlirindError(f"option pre_grad: unknown pass {step!r}: {hint}")
    return steps


def run_pre_grad(graph_module: fx.GraphModule, options: Options) -> None:
    """Runs the passes that the options name, in place. Raises UserPassFailed if one fails or changes what a caller can see. A graph that
    can't be observed stays unchanged, and is counted."""
    steps = pre_grad_steps(options)
    if not steps:
        return
    try:
        wanted = Observation(graph_module)
    except Exception as error:
        reason = f"{type(error).__name__}: {str(error).splitlines()[0]}"
        log.info("the pre-grad passes did not run: %s", reason)
        counters.pre_grad_unchanged[reason] += 1
        return
    for step in steps:
        try:
            _passes[step](graph_module)
            graph_module.graph.lint()
            graph_module.recompile()
            difference = wanted.difference(Observation(graph_module))
        except Exception as error:
            raise UserPassFailed(f"option pre_grad: pass {step!r} failed: {type(error).__name__}: {error}") from error
        if difference:
            raise UserPassFailed(f"option pre_grad: pass {step!r} {difference}")
