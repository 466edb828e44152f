"""What may be replaced in a graph, whether a pattern found it or Python code."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import TYPE_CHECKING

from torch_mlir import ir

from ....dialects.aten import Size

if TYPE_CHECKING:
    from .new_operations import NewOperations
    from .pattern_rewriting import Round


class Candidate(abc.ABC):
    """Operations whose results a replacement may compute."""

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """What the log calls it."""

    @property
    @abc.abstractmethod
    def operations(self) -> list[ir.Operation]:
        """The operations that are replaced; the last one for the log."""

    @property
    def exclusive(self) -> dict[str, ir.Value]:
        """The inputs, by name, that nothing else in the graph may use."""
        return {}

    @abc.abstractmethod
    def compare(self, equal: Callable[[Size, Size], bool]) -> None:
        """Compares what the search did not, such as sizes. Raises `Refused`."""

    @abc.abstractmethod
    def results(self) -> list[ir.Value]:
        """The values that are replaced; asked for after `compare`."""

    @abc.abstractmethod
    def accepted(self) -> bool:
        """Whether the replacement is wanted here."""

    @abc.abstractmethod
    def replacement(self, round_: Round) -> NewOperations:
        """The operations that replace it. Raises `Refused` if there are none."""
