"""What Dynamo must not trace of ours, decided in one place: the compiler, and what runs when a compiled function calls `backward()`.

Dynamo looks at every frame of the thread that runs a compiled function, also where autograd calls a backward. Frames of our files it
passes by, which costs a call nothing; functions that these call, as those of custom operators, it does not see within `untraced`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from .entries import fact, private

# Not `tools`, where models are that are compiled.
PACKAGES = ("bridge", "dialects", "frontend", "lowering", "passes", "runtime", "torch_internals")

_add_rule: Any = private(
    "torch._dynamo.trace_rules.add", "keeps Dynamo from tracing the compiler's own files", "Dynamo may trace them, with graph breaks"
)
# Whether Dynamo looks at frames of this thread; a PyTorch that does not say may.
_callback: Callable[[], object] = private(
    "torch._C._dynamo.eval_frame.get_eval_frame_callback",
    "calls compiled backwards directly when Dynamo is not active",
    "each backward takes 1 us more",
    lambda: False,
)


def untraced(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, within which Dynamo traces nothing. Costs a call a microsecond."""
    return torch.compiler.disable(function, reason="the compiler is not to be traced")


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
    """What `untraced` was given, where Dynamo looks at no frames now; else the function."""
    return getattr(function, _INSIDE, function) if _keeps_function and _callback() is None else function


def skip_own_files() -> None:
    """Makes Dynamo pass by frames of our files."""
    name = __name__.partition(".")[0]
    for package in PACKAGES if _add_rule is not None else ():
        _add_rule(f"{name}.{package}")
