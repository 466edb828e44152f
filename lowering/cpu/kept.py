"""Values that are dear to compute and wanted in more than one sweep: computed in the first and kept for the others.

They lie in a row buffer on the stack if it is small, else in an output that is written in a later sweep at the same place;
otherwise they are computed again.
"""

from __future__ import annotations

from dataclasses import dataclass

from torch_mlir import ir

from ..kernel.analysis import Kernel, Node, is_half
from ..kernel.strides import has_value
from ..kernel.sweeps import needed, sweep_roots
from .schedule import Schedule
from .vector_math import FUNCTIONS

STACK = 1 << 16  # bytes of row buffers that a kernel may have


@dataclass(slots=True, eq=False)
class Kept:
    """`value` is computed in sweep `phase`. `store`: the store in whose place it waits; None: in a row buffer of `size` elements."""

    value: int
    phase: int
    type: ir.Type
    store: Node | None = None
    size: int = 0


def plan_kept(kernel: Kernel, schedule: Schedule) -> dict[int, Kept]:
    """What to keep, by value."""
    found: dict[int, Kept] = {}
    row = _row_size(kernel, schedule)
    left = STACK
    for value, phase in dear_values(kernel).items():
        type_ = kernel.values[value].type
        if row is not None and row * (type_.width // 8) <= left:
            left -= row * (type_.width // 8)
            found[value] = Kept(value, phase, type_, size=row)
            continue
        taken = [k.store for k in found.values()]
        store = next((s for s in kernel.of(("loop.store",)) if s not in taken and _can_wait_in(kernel, s, value, phase)), None)
        if store is not None:
            found[value] = Kept(value, phase, type_, store)
    return found


def dear_values(kernel: Kernel) -> dict[int, int]:
    """Results of functions that several sweeps want, with the first that does; of a chain of them the last."""
    first: dict[int, int] = {}
    dear: dict[int, int] = {}
    for phase in range(kernel.phases):
        wanted = needed(kernel, sweep_roots(kernel, phase), dear)
        for number in sorted(wanted, reverse=True):
            info = kernel.values[number]
            if info.producer is None or info.producer.name not in FUNCTIONS or not info.deps & kernel.swept or is_half(info.type):
                continue
            if number in first and not _behind(kernel, number, dear):
                dear[number] = first[number]
            first.setdefault(number, phase)
    return dear


def _behind(kernel: Kernel, number: int, dear: dict[int, int]) -> bool:
    """Whether only values that are kept already want `number`."""
    users = [n for n in kernel.nodes if number in n.operands]
    return bool(dear) and all(any(r in dear for r in n.results) for n in users)


def _row_size(kernel: Kernel, schedule: Schedule) -> int | None:
    """Elements of a row buffer: all points of the swept dimensions, the lanes' one rounded up."""
    size = 1 if schedule.lane_is_swept else max(schedule.lanes, 1)
    for dim in schedule.swept:
        extent = kernel.extents[dim]
        if not isinstance(extent, int):
            return None
        size *= -(-extent // schedule.lanes) * schedule.lanes if dim == schedule.lane else extent
    return size


def _can_wait_in(kernel: Kernel, store: Node, value: int, phase: int) -> bool:
    """Whether `store` writes its own element, of the value's type, at every point, later, and alone in its buffer; it is made from
    the value, which nothing reads after it."""
    every = (1 << len(kernel.extents)) - 1
    alone = [s for s in kernel.of(("loop.store",)) if s.operands[0] == store.operands[0]] == [store]
    plain = store.mask is None and "accumulate" not in store.attributes and not has_value(kernel.index_expr(store))
    fits = kernel.buffers[store.operands[0]] == kernel.values[value].type
    if not (alone and plain and fits and store.phase > phase and kernel.indexed(store) == every):
        return False
    later = range(store.phase + 1, kernel.phases)
    return value in needed(kernel, [store]) and not any(value in needed(kernel, sweep_roots(kernel, p)) for p in later)
