"""The type of a compiled graph."""

from collections.abc import Callable, Sequence
from typing import Any

# Takes a graph's inputs, which it may remove from the list to free their memory, and returns its outputs.
Runner = Callable[[list[Any]], Sequence[Any]]
