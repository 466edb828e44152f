"""Users' code that takes part in compilation, for keys: patterns, passes and custom operators, by the identities that users give.

What has no identity is refused with `NoIdentity`.
"""

from __future__ import annotations

from typing import Any

import torch

from ...dialects.aten_names import is_pytorchs
from ...identities import identity_of_operator
from ...options import Options
from ...pattern_registry import state
from ...runtime.artifacts.native_graph import NotCacheable
from ...torch_internals.operators import schema_of

# Begins the namespaces of operators that the project makes in each process, except these, which its files define: draws from a seed. The
# last is one of PyTorch's files', in gradients of `flex_attention`.
_OWN = "mlirind"
_FIXED = {"mlirindrandom::uniform", "mlirindrandom::normal", "mlirindrandom::integers", "flex_lib::zeros_and_scatter"}


class NoIdentity(NotCacheable):
    """Users' code without an identity: the user may give one."""


def steps(options: Options) -> list[str]:
    """The users' passes that the options name. MLIR is imported if there are any."""
    if not any((options.joint_before, options.joint_after, options.post_grad_before, options.post_grad_after)):
        return []
    from ...passes.plugins import all_steps

    return all_steps(options)


def code_on_traced_graphs(options: Options) -> list[Any]:
    """What identifies the patterns that may match, and the passes on `aten`. Raises NoIdentity."""
    found = [[where, p.name, p.described()] for where, p in state(steps(options))]
    _check("pattern", [(name, known) for _, name, known in found])
    if options.post_grad_before or options.post_grad_after:
        found += _passes(options, ("post_grad_before", "post_grad_after"))
    return found


def code_on_captured_graphs(options: Options) -> list[Any]:
    """What identifies the passes before AOTAutograd and on joint graphs. Raises NoIdentity."""
    found: list[Any] = []
    if options.pre_grad:
        from ..patterns.pre_grad import pre_grad_identities

        found = _check("pass", pre_grad_identities(options))
    if options.joint_before or options.joint_after:
        found = found + _passes(options, ("joint_before", "joint_after"))
    return found


def _passes(options: Options, points: tuple[str, ...]) -> list[Any]:
    from ...passes.plugins import steps_at
    from ...passes.registry import identity_of

    return _check("pass", [(step, identity_of(step)) for point in points for step in steps_at(options, point)])


def _check(kind: str, found: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    for name, known in found:
        if known is None:
            raise NoIdentity(f"the {kind} {name} has no identity: register it with `identity=`")
    return found


def operator_text(operator: torch._ops.OpOverload) -> list[str]:
    """What identifies an operator. Raises NoIdentity, and NotCacheable for one that the project makes in each process."""
    text = ["operator", str(operator), str(schema_of(operator))]
    name = operator.name().partition(".")[0]
    if is_pytorchs(str(operator)) or name in _FIXED:
        return text
    if operator.namespace.startswith(_OWN):
        raise NotCacheable(f"a call of {operator}")
    known = identity_of_operator(name)
    if known is None:
        raise NoIdentity(f"the operator {name} has no identity: give it one with `mlirind.identify_operator`")
    return [*text, known]
