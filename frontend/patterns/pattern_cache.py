"""Keeps the texts of traced patterns on disk. A file's name is a hash of everything that the texts depend on."""

from __future__ import annotations

import functools
import hashlib
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import torch

from ...dialects import aten_ops
from ...dialects.aten_table import NAMESPACES
from ...dialects.context import compile_context
from ...disk_cache import folder
from ...disk_cache.entries import keep_entry, load_entry
from ...passes.pipeline import PATTERN_FORM
from ...runtime.artifacts import surroundings
from ...torch_internals.operators import schema_of
from ..decompositions.table import decomposition_table
from .function_identity import Identity, Undecidable
from .observation import describe, memory_groups
from .pattern_outline import Outline

log = logging.getLogger(__name__)


def cached_texts(key: str | None, seen: Outline, trace: Callable[[], list[str]]) -> list[str]:
    """The texts of the file for `key`; `trace()`, stored, if there is none, or its content is damaged. Without a key, `trace()`.

    `seen`: the functions' calls. Their custom operators are declared, because another process may have traced the texts.
    """
    if key is None:
        return trace()
    entry = load_entry(folder.PATTERNS, key)
    if entry is not None:
        _declare(operators_of(seen))
        return list(entry[0]["texts"])
    texts = trace()
    if not surroundings.sources_changed():
        keep_entry(folder.PATTERNS, key, {"texts": texts})
    return texts


def operators_of(seen: Outline) -> set[Any]:
    """The operators that the functions call."""
    return {call.operator for calls in seen.calls for call in calls}


def _declare(operators: Collection[Any]) -> None:
    with compile_context():
        for operator in operators:
            if operator.namespace not in NAMESPACES:
                aten_ops.declare(operator)


def cache_key(
    functions: Sequence[Callable[..., Any]], seen: Outline, examples: Sequence[torch.Tensor], scalars: Mapping[str, Any], options: Any
) -> str | None:
    """The name of the file with a pattern's texts; None if the functions read something that can't be identified in another process.

    `seen`: the functions' calls with the examples, which depend on the state of the program too; `options`: whatever else the texts
    depend on.
    """
    try:
        identity = Identity()
        parts = [identity.of(function) for function in functions]
        operators = operators_of(seen)
        schemas = sorted(str(schema_of(operator)) for operator in operators)
        unknown = [o for o in operators if o.namespace not in NAMESPACES and o.name() not in identity.custom]
        if unknown:
            raise Undecidable(f"the operator {unknown[0]}")
        versions = (torch.__version__, torch.version.git_version, surroundings.of_process(), surroundings.of_moment(), _decomposed())
    except Exception as reason:  # objects may answer anything when they are asked for their parts
        log.debug("a pattern is not cached: %s", reason)
        return None
    numbers = [(name, repr(value)) for name, value in scalars.items()]
    everything = (parts, seen.calls, seen.inputs, schemas, _described(examples), numbers, options, PATTERN_FORM, versions)
    return hashlib.sha256(repr(everything).encode()).hexdigest()


def _described(examples: Sequence[torch.Tensor]) -> list[Any]:
    """The metadata of the examples, and which of them are one tensor or share memory."""
    same = [next(n for n, other in enumerate(examples) if other is e) for e in examples]
    own = [(type(e).__name__, e.storage_offset(), e.requires_grad, e.is_leaf) for e in examples]
    return [describe(examples), memory_groups(examples), same, own]


@functools.cache
def _decomposed() -> str:
    """A hash of the operators that tracing decomposes."""
    return hashlib.sha256(repr(sorted(map(str, decomposition_table()))).encode()).hexdigest()
