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
from ..torch_internals.wrapper_check import wrappers_are_known

PAGE = Path(__file__).parent.parent / "docs" / "design" / "torch_boundary.md"
BEGIN, END = "<!-- table -->", "<!-- end of table -->"
HEAD = ("name", "what for", "probed", "without it")


def table() -> str:
    """The table of the boundary's entries: one line for the entries with one purpose, probe and fallback."""
    lines = [" | ".join(HEAD), " | ".join("---" for _ in HEAD)]
    for _, same in itertools.groupby(every_entry(), lambda e: (e.purpose, e.without, e.probed)):
        group = list(same)
        names = ", ".join(f"`{entry.name}`" for entry in group)
        lines.append(" | ".join((names, group[0].purpose, group[0].probed, group[0].without)))
    return "\n".join(f"| {line} |" for line in lines)


def every_entry() -> list[Entry]:
    """All entries, sorted. Imports every module of the boundary and runs the checks that register entries only when called."""
    for module in pkgutil.iter_modules(torch_internals.__path__):
        importlib.import_module(f"{torch_internals.__name__}.{module.name}")
    for check in (numbers_hold, objects_are_known, memory_offsets, views_switch, wrappers_are_known):
        check()
    return sorted(boundary_entries(), key=lambda e: (e.purpose, e.without, e.probed, e.name))


def with_table(page: str) -> str:
    """The page with its table replaced by the current one."""
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}\n{table()}\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text()))
