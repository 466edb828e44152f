"""Checks a pattern's parameters before it is traced, or by tracing it with other numbers; names each mistake."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sympy
import torch

from ...dialects.aten import parse_expr
from ...errors import MlirindError

_NAME = re.compile(r"[A-Za-z_]\w*")
# What sizes are called.
_SIZE = re.compile(r"[sd]\d+")
# An example differs by this factor from the given number, so that no literal equals it.
_APART = 1 + 2.0**-30


def checked_parameters(
    name: str, search: Callable[..., Any], replace: Callable[..., Any], examples: Sequence[torch.Tensor], scalars: Mapping[str, Any]
) -> list[str]:
    """The names of the tensor parameters. Raises MlirindError."""
    if not _NAME.fullmatch(name):
        raise MlirindError(f"pattern {name!r}: a name has letters, digits and underscores; pass name=...")
    if isinstance(examples, torch.Tensor):
        raise MlirindError(f"pattern {name!r}: the example inputs are one tensor: give a list of them")
    signature = _signature(name, search)
    for p in signature.values():
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            raise MlirindError(f"pattern {name!r}: the search function takes {p}: give each input a name")
    parameters = list(signature)
    _check_scalars(name, parameters, scalars)
    names = [p for p in parameters if p not in scalars]
    if len(names) != len(examples):
        raise MlirindError(
            f"pattern {name!r}: {len(examples)} example inputs for the {len(names)} tensor parameters {', '.join(names)}; "
            "numbers go into scalars=, constants into the functions"
        )
    for parameter, example in zip(names, examples, strict=True):
        if not isinstance(example, torch.Tensor):
            raise MlirindError(f"pattern {name!r}: the example of {parameter!r} is no tensor; numbers that may differ go into scalars=")
    given = _signature(name, replace)
    if not any(p.kind == p.VAR_KEYWORD for p in given.values()) and set(given) != set(parameters):
        raise MlirindError(f"pattern {name!r}: the replacement takes {', '.join(given)}, the search function {', '.join(parameters)}")
    return names


def _signature(name: str, function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError) as error:
        raise MlirindError(f"pattern {name!r}: {function!r} does not say what it takes; write it as a Python function") from error


def _check_scalars(name: str, parameters: Sequence[str], scalars: Mapping[str, Any]) -> None:
    if not isinstance(scalars, Mapping):
        raise MlirindError(f"pattern {name!r}: scalars={scalars!r}, want a dict of names and example values")
    for scalar, value in scalars.items():
        if scalar not in parameters:
            raise MlirindError(f"pattern {name!r}: scalars names {scalar!r}, which is no parameter of the search function")
        if _SIZE.fullmatch(scalar):
            raise MlirindError(f"pattern {name!r}: the scalar {scalar!r} would be taken for a size: give it another name")
        if not isinstance(parsed := _parsed(scalar), sympy.Symbol) or parsed.name != scalar:
            raise MlirindError(f"pattern {name!r}: sympy has something of its own that is called {scalar!r}: give the scalar another name")
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise MlirindError(f"pattern {name!r}: the example of {scalar!r} is {value!r}, want an int or a float")
        if isinstance(value, float) and not (math.isfinite(value) and value):
            raise MlirindError(f"pattern {name!r}: the example of {scalar!r} is {value!r}, want a finite number other than 0")
    if len(set(scalars.values())) < len(scalars):
        raise MlirindError(f"pattern {name!r}: the examples of scalars must differ, they are told apart by value")


def _parsed(name: str) -> Any:
    try:
        return parse_expr(name)
    except (SyntaxError, TypeError, AttributeError):
        return None


def distinct_examples(scalars: Mapping[str, Any]) -> dict[str, Any]:
    """The examples, with floats changed so that no literal equals one."""
    return {s: value * _APART if isinstance(value, float) else value for s, value in scalars.items()}


def check_integers(name: str, scalars: Mapping[str, Any], texts: list[str], traced_with: Callable[[dict[str, Any]], list[str]]) -> None:
    """Raises if an integer of the functions could equal an open number's example by chance: with another example the texts would differ."""
    integers = [s for s, value in scalars.items() if isinstance(value, int)]
    if not integers:
        return
    for step in (1, -1):
        try:
            others = traced_with({s: value + step if s in integers else value for s, value in scalars.items()})
        except MlirindError:
            continue
        if others == texts:
            return
    raise MlirindError(
        f"pattern {name!r}: the examples of {', '.join(integers)} can't be told from other integers of the functions: "
        "use examples that occur nowhere else, and for which example + 1 works too; a dim that sizes depend on can't be in scalars"
    )
