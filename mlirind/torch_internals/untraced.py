"""Keeps Dynamo from tracing the compiler, and the code that runs when a compiled function calls `backward()`.

Dynamo looks at every frame of the thread that runs a compiled function, also when autograd calls a backward. It skips frames of our files,
which costs a call nothing. Functions of other files that these call, such as those of custom operators, are skipped inside `untraced`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from .entries import fact, private

# Without `tools`, because its models are compiled.
PACKAGES = ("bridge", "dialects", "frontend", "lowering", "passes", "runtime", "torch_internals")

_add_rule: Any = private(
    "torch._dynamo.trace_rules.add", "keeps Dynamo from tracing the compiler's own files", "Dynamo may trace them, with graph breaks"
)
# None if Dynamo looks at no frames of this thread. If PyTorch lacks the function, Dynamo counts as active.
_callback: Callable[[], object] = private(
    "torch._C._dynamo.eval_frame.get_eval_frame_callback",
    "calls compiled backwards directly when Dynamo is not active",
    "each backward takes 1 us more",
    lambda: False,
)


def untraced(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, wrapped so that Dynamo traces nothing inside it. Costs 1 us a call."""
    disabled: Callable[..., Any] = torch.compiler.disable(function, reason="the compiler is not to be traced")
    return disabled


def _is_kept(function: Callable[..., Any]) -> bool:
    return getattr(untraced(function), _INSIDE, None) is function


_INSIDE = "_torchdynamo_orig_callable"
_keeps_function = fact(
    f"{_INSIDE} of torch.compiler.disable's functions",
    "calls compiled backwards directly when Dynamo is not active",
    "each backward takes 1 us more",
    lambda: _is_kept(lambda: None),
)


def as_needed(function: Any) -> Any:
    """The function without the wrapper of `untraced` if Dynamo is not active in this thread now; else with it."""
    return getattr(function, _INSIDE, function) if _keeps_function and _callback() is None else function


def skip_own_files() -> None:
    """Makes Dynamo skip frames of our files."""
    name = __name__.partition(".")[0]
    for package in PACKAGES if _add_rule is not None else ():
        _add_rule(f"{name}.{package}")
