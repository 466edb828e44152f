"""What Dynamo must not trace of ours, decided in one place: the compiler, and what runs when a compiled function calls `backward()`.

Dynamo looks at every frame of the thread that runs a compiled function, also where autograd calls a backward. Frames of our files it
passes by, which costs a call nothing; functions that these call, as those of custom operators, it does not see within `untraced`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch._C._dynamo import eval_frame
from torch._dynamo import disable, trace_rules

# Not `tools`, where models are that are compiled.
PACKAGES = ("bridge", "dialects", "frontend", "lowering", "passes", "runtime")

# Whether Dynamo looks at frames of this thread; a PyTorch that does not say may.
_callback: Callable[[], object] = getattr(eval_frame, "get_eval_frame_callback", lambda: False)


def untraced(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, within which Dynamo traces nothing. Costs a call a microsecond."""
    return disable(function, reason="the compiler is not to be traced")


def as_needed(function: Any) -> Any:
    """What `untraced` was given, where Dynamo looks at no frames now; else the function."""
    return getattr(function, "_torchdynamo_orig_callable", function) if _callback() is None else function


def skip_own_files() -> None:
    """Makes Dynamo pass by frames of our files."""
    name = __name__.partition(".")[0]
    add: Callable[[str], None] = getattr(trace_rules, "add", lambda _: None)
    for package in PACKAGES:
        add(f"{name}.{package}")
