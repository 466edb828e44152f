"""Writes the table in docs/design/torch_boundary.md: `python -m mlirind.tools.boundary_table`. A test checks that it is current."""

from __future__ import annotations

import importlib
import itertools
import pkgutil
from pathlib import Path

from .. import torch_internals
from ..torch_internals.c_numbers import numbers_hold
from ..torch_internals.entries import Entry, boundary_entries
from ..torch_internals.python_objects import memory_offsets, objects_are_known, views_switch
from ..torch_internals.tile_products import tile_products
from ..torch_internals.wrapper_check import wrappers_are_known

PAGE = Path(__file__).parent.parent / "docs" / "design" / "torch_boundary.md"
BEGIN, END = "<!-- table -->", "<!-- end of table -->"
HEAD = ("module", "name", "what for", "probed", "without it")


def table() -> str:
    """The table of the boundary's entries: one line for the entries with one module, purpose, probe and fallback."""
    lines = [" | ".join(HEAD), " | ".join("---" for _ in HEAD)]
    for (module, purpose, without, probed), same in itertools.groupby(every_entry(), _line_of):
        names = ", ".join(f"`{entry.name}`" for entry in same)
        lines.append(" | ".join((f"`{module}`", names, purpose, probed, without)))
    return "\n".join(f"| {line} |" for line in lines)


def _line_of(entry: Entry) -> tuple[str, str, str, str]:
    return entry.module, entry.purpose, entry.without, entry.probed


def every_entry() -> list[Entry]:
    """All entries, sorted. Imports every module of the boundary and runs the checks that register entries only when called."""
    for module in pkgutil.iter_modules(torch_internals.__path__):
        importlib.import_module(f"{torch_internals.__name__}.{module.name}")
    for check in (numbers_hold, objects_are_known, memory_offsets, views_switch, wrappers_are_known, tile_products):
        check()
    return sorted(boundary_entries(), key=lambda e: (*_line_of(e), e.name))


def with_table(page: str) -> str:
    """The page with its table replaced by the current one."""
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}\n{table()}\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text()))
