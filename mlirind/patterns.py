"""Users' patterns: a subgraph that matches is replaced by another. `docs/write_a_pattern.md` explains them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from .errors import MlirindError
from .identities import checked_identity
from .pattern_registry import note_file, users_passes

if TYPE_CHECKING:
    import torch
    from torch_mlir import ir

    from .passes.patterns.engine.pattern_matching import Match
    from .passes.patterns.engine.pattern_set import Deferred, Pattern

# The default pass of patterns; it is part of every pipeline on graphs.
DEFAULT_PASS = "user-patterns"


def register_replacement(
    search: Callable[..., Any],
    replace: Callable[..., Any],
    example_inputs: Sequence[torch.Tensor],
    *,
    trace: Literal["inference", "joint"] = "inference",
    passes: str = DEFAULT_PASS,
    name: str | None = None,
    extra_check: Callable[[Match], bool] | None = None,
    scalars: Mapping[str, int | float] | None = None,
    exclusive_args: Sequence[str] = (),
    bake_shapes: bool = False,
    identity: str | None = None,
) -> Registered:
    """Replaces what computes as `search` does in a graph by what `replace` computes.

    `example_inputs`: a tensor for each tensor parameter of `search`, for tracing. The number of dims matters, and which dtypes are equal.
    Sizes don't, except 0 and 1, unless `bake_shapes`. `trace="joint"`: with the gradients of the examples that require them, also where an
    input has other uses and autograd adds its gradient to the one from there. `scalars`: parameters that are numbers, with example values;
    all other numbers in `search` must be the same in the graph. `extra_check(match)` returns False to refuse a match. `exclusive_args`:
    inputs that nothing else in the graph may use. Both functions run once on copies of the examples; they are traced when a graph has the
    operators that they call, or when `.text` of the result is read, and the text is kept on disk. `identity`: a text that changes whenever
    one of the functions, or `extra_check`, does; without it the option `cache` keeps no graph while the pattern is registered. Raises
    MlirindError if the pattern can't be traced or could never be found.
    """
    label = name or getattr(search, "__name__", "pattern").strip("<>").replace("lambda", "pattern")
    try:
        known = None if identity is None else f"{checked_identity(identity, f'pattern {label!r}')} {trace} {scalars} {bake_shapes}"
        found = _register(label, search, replace, example_inputs, trace, passes, extra_check, scalars, exclusive_args, bake_shapes, known)
    except MlirindError as error:
        code = getattr(search, "__code__", None)
        raise type(error)(f"{error}" + (f" (search function: {code.co_filename}:{code.co_firstlineno})" if code else "")) from error
    note_file(passes)
    return found


def _register(
    label: str,
    search: Callable[..., Any],
    replace: Callable[..., Any],
    example_inputs: Sequence[torch.Tensor],
    trace: str,
    passes: str,
    extra_check: Callable[[Match], bool] | None,
    scalars: Mapping[str, int | float] | None,
    exclusive_args: Sequence[str],
    bake_shapes: bool,
    identity: str | None,
) -> Registered:
    from .frontend.patterns.pattern_requests import Request
    from .passes.patterns.engine import pattern_set

    if trace not in ("inference", "joint"):
        raise MlirindError(f"pattern {label!r}: trace={trace!r}, want 'inference' or 'joint'")
    joint = trace == "joint"
    if joint and not any(getattr(example, "requires_grad", False) for example in example_inputs):
        raise MlirindError(f"pattern {label!r}: trace='joint' is for gradients: give examples with requires_grad=True")
    if extra_check is not None and not callable(extra_check):
        raise MlirindError(f"pattern {label!r}: extra_check={extra_check!r} can't be called: want a function of a match")
    if isinstance(exclusive_args, str):
        raise MlirindError(f"pattern {label!r}: exclusive_args={exclusive_args!r}, want a list of names")
    request = Request(label, search, replace, example_inputs, joint=joint, scalars=scalars or {}, bake_shapes=bake_shapes)
    for argument in exclusive_args:
        if argument not in request.tensors:
            raise MlirindError(f"pattern {label!r}: exclusive_args names {argument!r}, which is no tensor parameter of the search function")
    exclusive, seen = tuple(exclusive_args), request.outline()
    found: list[pattern_set.Pattern | pattern_set.Deferred]
    if seen is not None:
        later, look = functools.partial(request.texts_later, seen), functools.partial(request.check_later, seen)
        found = [pattern_set.Deferred(label, passes, seen.needs, later, look, extra_check, exclusive, identity)]
    else:
        found = [pattern_set.from_text(text, passes, extra_check, exclusive, identity) for text in request.texts()]
    _pass_for(passes)
    for pattern in found:
        pattern_set.add_pattern(pattern)
    return Registered(label, found)


class Registered:
    """A registered pattern: its `name`, and its `text`, for `register_text`."""

    def __init__(self, name: str, patterns: Sequence[Pattern | Deferred]) -> None:
        self.name, self._patterns = name, patterns

    @functools.cached_property
    def text(self) -> str:
        """Both functions, and PDL for the first, as MLIR text; traces them if that has not happened yet. Raises MlirindError."""
        from .passes.patterns.engine import pattern_set

        texts = [t.text for p in self._patterns for t in (p.traced if isinstance(p, pattern_set.Deferred) else [p])]
        return pattern_set.SEPARATOR.join(texts)


def register_text(
    text: str,
    *,
    passes: str = DEFAULT_PASS,
    extra_check: Callable[[Match], bool] | None = None,
    exclusive_args: Sequence[str] = (),
    identity: str | None = None,
) -> None:
    """Registers a pattern's text, `register_replacement(...).text`, perhaps of another process, without tracing. It is parsed when a graph
    has what it needs; if the text is no longer valid then (operators of another PyTorch), that compilation raises an error with the
    pattern's name. `identity`: of `extra_check`, for the option `cache`; the text identifies the rest."""
    from .passes.patterns.engine import pattern_set

    known = None if identity is None else checked_identity(identity, "register_text")
    parts = text.split(pattern_set.SEPARATOR)
    found = [pattern_set.from_text(part, passes, extra_check, tuple(exclusive_args), known) for part in parts]
    _pass_for(passes)
    for pattern in found:
        pattern_set.add_pattern(pattern)
    note_file(passes)


def register_pdl(text: str, *, passes: str = DEFAULT_PASS) -> None:
    """Registers PDL patterns as MLIR text with their `pdl.rewrite` regions. Their results are verified, but other uses and memory are not
    checked: the author must ensure both. Raises MlirindError for text that is not PDL, and for operators and arguments that don't exist."""
    from .passes.patterns.engine import pattern_set
    from .passes.patterns.engine.pdl_patterns import checked_names

    names = checked_names(text)
    _pass_for(passes)
    pattern_set.add_pattern(pattern_set.pdl_pattern(names[0], passes, text))
    note_file(passes)


def register_rewrite(
    operator: str, rewrite: Callable[[ir.Operation], ir.Value | None], *, passes: str = DEFAULT_PASS, identity: str | None = None
) -> None:
    """Registers `rewrite(op)` for each call of `operator` ("aten.add.Tensor"); it returns the value that replaces the call's result, or
    None.

    It makes new calls with `mlirind.dialects.aten_ops.create`, which get the position, location and metadata of `op`; it must not erase
    `op`. The value must have the result's type. `identity`: a text that changes whenever the function does; without it the option `cache`
    keeps no graph while the function is registered. Raises MlirindError for an operator that does not exist, or writes.
    """
    from .passes.patterns.engine import pattern_set

    _check_operator(operator)
    if not callable(rewrite):
        raise MlirindError(f"register_rewrite: {rewrite!r} can't be called: want a function of a call of {operator}")
    known = None if identity is None else checked_identity(identity, f"register_rewrite of {operator}")
    _pass_for(passes)
    pattern_set.add_rewrite(operator, rewrite, passes, known)
    note_file(passes)


def _check_operator(operator: str) -> None:
    from .dialects import aten_registry
    from .dialects.aten_names import mangle

    schema = aten_registry.schema_by_name(mangle(operator)) if operator.count(".") == 2 else None
    if schema is None:
        raise MlirindError(f"register_rewrite: there is no operator {operator!r}: it is named as in 'aten.add.Tensor', overload included")
    if schema.mutates or not schema.returns or any(r.is_list for r in schema.returns):
        raise MlirindError(f"register_rewrite: {operator} writes to an argument, or does not give a tensor: a value can't stand for it")


def _pass_for(name: str) -> None:
    """Registers the pass `name` if it does not exist: it applies the patterns registered for it. Raises if the pass exists and is no pass
    of patterns."""
    from . import passes  # noqa: F401  (registers the built-in ones)
    from .passes.patterns.engine.pattern_rewriting import is_pattern_pass, pattern_pass
    from .passes.registry import is_registered, register_pass

    if not isinstance(name, str):
        raise MlirindError(f"passes={name!r}: want the name of one pass; register the pattern once for each")
    if not is_registered(name):
        register_pass(name, pattern_pass(name), f"`{name}`: patterns that a user registered.")
        users_passes.add(name)
    if not is_pattern_pass(name):
        raise MlirindError(f"passes={name!r}: that pass applies no patterns; choose another name")


def register_function_replacement(
    search: Callable[..., Any],
    replace: Callable[..., Any],
    example_inputs: Sequence[torch.Tensor],
    *,
    name: str,
    identity: str | None = None,
) -> None:
    """Registers a pass for the option `pre_grad`, on the graph before AOTAutograd: calls of torch functions as in `search` are replaced by
    those of `replace`.

    Numbers must be equal. `identity`: as in `register_replacement`. Raises MlirindError if a function can't be captured, uses tensors from
    outside or writes; if `search` does not use a parameter; and if the results differ in number, sizes or dtype.
    """
    from .frontend.patterns.function_patterns import register_function_replacement as register

    register(search, replace, example_inputs, name=name, identity=identity)
