"""A pattern as a user registers it: traced at once, or when a graph may contain it."""

from __future__ import annotations

import contextlib
import functools
import inspect
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch

from ...errors import UserPassFailed
from ...torch_internals.modes import no_autocast, outside_tracing, without_function_modes
from .pattern_cache import cache_key, cached_texts
from .pattern_outline import Outline, outline
from .pattern_parameters import checked_parameters, distinct_examples
from .pattern_tracing import summed_gradients, trace_pattern


class Request:
    """A search function and its replacement, with everything needed to trace them. Raises MlirindError for parameters that don't fit."""

    def __init__(
        self,
        name: str,
        search: Callable[..., Any],
        replace: Callable[..., Any],
        examples: Sequence[torch.Tensor],
        *,
        joint: bool,
        scalars: Mapping[str, int | float],
        bake_shapes: bool,
    ) -> None:
        self.tensors = checked_parameters(name, search, replace, examples, scalars)
        self.name, self.examples, self.joint = name, list(examples), joint
        self.scalars, self.bake_shapes = dict(scalars), bake_shapes
        self.search, self.replace = _as_it_is(search), _as_it_is(replace)
        self.default_dtype = torch.get_default_dtype()

    def outline(self) -> Outline | None:
        """The calls of the functions; None if only tracing can find them."""
        return outline((self.search, self.replace), self.tensors, self.examples, distinct_examples(self.scalars), self.joint)

    def texts(self) -> list[str]:
        """The pattern's texts, with variants in which an input with a gradient has other uses too. Raises MlirindError."""
        made = functools.partial(
            trace_pattern,
            search=self.search,
            replace=self.replace,
            examples=self.examples,
            joint=self.joint,
            scalars=self.scalars,
            bake_shapes=self.bake_shapes,
        )
        texts = [made(self.name)]
        if self.joint:
            wanted = [n for n, example in zip(self.tensors, self.examples, strict=True) if example.requires_grad]
            summed = summed_gradients(texts[0], wanted)
            groups = [[n] for n in summed] + [summed] * (len(summed) > 1)
            texts += [made(f"{self.name}_and_{'_'.join(g)}", accumulated=g) for g in groups]
        return texts

    def texts_later(self, seen: Outline) -> list[str]:
        """The same during the compilation of a graph, from the cache on disk if that has them. Raises UserPassFailed if the functions have
        changed since `seen`."""
        with _as_outside(self.default_dtype):
            self._check(seen)
            options = (self.name, self.tensors, self.joint, self.bake_shapes)
            key = cache_key((self.search, self.replace), seen, self.examples, self.scalars, options)
            return cached_texts(key, seen, self.texts)

    def check_later(self, seen: Outline) -> None:
        """Raises UserPassFailed if the functions have changed since `seen`, during the compilation of a graph."""
        with _as_outside(self.default_dtype):
            self._check(seen)

    def _check(self, seen: Outline) -> None:
        if self.outline() != seen:
            raise UserPassFailed(
                f"pattern {self.name!r}: its functions compute something else than when it was registered, as what they read "
                "has changed (a global, an attribute, a list): make it a default argument, or register the pattern when it is final"
            )


def _as_it_is(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with the present values of its surrounding variables: in a loop they will differ when it is traced."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, type) and issubclass(owner, torch.autograd.Function):
        return _by_keywords(owner)
    if not isinstance(function, types.FunctionType):
        return function
    cells = tuple(_cell(c) for c in function.__closure__ or ())
    made = types.FunctionType(function.__code__, dict(function.__globals__), function.__name__, function.__defaults__, cells)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__dict__.update(function.__dict__)
    signed: Any = made
    signed.__signature__ = inspect.signature(function)
    return made


def _by_keywords(function: type[torch.autograd.Function]) -> Callable[..., Any]:
    """Its `apply` for arguments by keyword, which it takes by position alone before PyTorch 2.13."""
    parameters = inspect.signature(function.forward).parameters.values()
    order = [p.name for p in parameters if p.kind == p.POSITIONAL_OR_KEYWORD]

    def apply(**kwargs: Any) -> Any:
        positional = [kwargs.pop(name) for name in order if name in kwargs]
        return function.apply(*positional, **kwargs)

    return apply


def _cell(cell: types.CellType) -> types.CellType:
    try:
        return types.CellType(cell.cell_contents)
    except ValueError:  # not assigned yet
        return cell


@contextlib.contextmanager
def _as_outside(default_dtype: torch.dtype) -> Iterator[None]:
    """Hides the state of the program that is being compiled: modes, autocast, inference mode, `no_grad`."""
    now = torch.get_default_dtype()
    with contextlib.ExitStack() as stack:
        stack.enter_context(without_function_modes())
        stack.enter_context(outside_tracing())
        stack.enter_context(torch.inference_mode(False))
        stack.enter_context(torch.enable_grad())
        stack.enter_context(no_autocast())
        stack.callback(torch.set_default_dtype, now)
        torch.set_default_dtype(default_dtype)
        yield
