"""Values that are expensive and needed in several reduction passes: computed in the first pass and kept for the others.

They are stored in a row buffer on the stack if it is small, else in an output that a later pass writes at the same position; otherwise
they are computed again.
"""

from __future__ import annotations

from dataclasses import dataclass

from torch_mlir import ir

from ...dialects.narrowing import bits
from ...tuning.cpu import TUNING
from ..kernel.analysis import Kernel, Node, is_half
from ..kernel.reduction_passes import needed_values, pass_roots
from ..kernel.strides import has_value
from .schedule import Schedule
from .vector_math import FUNCTIONS


@dataclass(slots=True, eq=False)
class Kept:
    """`value` is computed in pass `phase`. `store`: the store whose position holds it; None: a row buffer of `size` elements holds it."""

    value: int
    phase: int
    type: ir.Type
    store: Node | None = None
    size: int = 0


def plan_kept(kernel: Kernel, schedule: Schedule) -> dict[int, Kept]:
    """The values to keep."""
    found: dict[int, Kept] = {}
    row = _row_size(kernel, schedule)
    left = TUNING.row_buffer_bytes
    for value, phase in dear_values(kernel).items():
        type_ = kernel.values[value].type
        if row is not None and row * (bits(type_) // 8) <= left:
            left -= row * (bits(type_) // 8)
            found[value] = Kept(value, phase, type_, size=row)
            continue
        taken = [k.store for k in found.values()]
        store = next((s for s in kernel.of(("loop.store",)) if s not in taken and _can_wait_in(kernel, s, value, phase)), None)
        if store is not None:
            found[value] = Kept(value, phase, type_, store)
    return found


def dear_values(kernel: Kernel) -> dict[int, int]:
    """The first pass that needs each result of an expensive function, for results that several passes need; of a chain of such functions
    only the last result."""
    first: dict[int, int] = {}
    dear: dict[int, int] = {}
    for phase in range(kernel.phases):
        wanted = needed_values(kernel, pass_roots(kernel, phase), dear)
        for number in sorted(wanted, reverse=True):
            info = kernel.values[number]
            if info.producer is None or info.producer.name not in FUNCTIONS or not info.deps & kernel.reduction_dims or is_half(info.type):
                continue
            if number in first and not _behind(kernel, number, dear):
                dear[number] = first[number]
            first.setdefault(number, phase)
    return dear


def _behind(kernel: Kernel, number: int, dear: dict[int, int]) -> bool:
    """Whether only values that are already kept need `number`."""
    users = [n for n in kernel.nodes if number in n.operands]
    return bool(dear) and all(any(r in dear for r in n.results) for n in users)


def _row_size(kernel: Kernel, schedule: Schedule) -> int | None:
    """Elements of a row buffer: all points of the reduced dimensions, with the lanes' dimension rounded up."""
    size = 1 if schedule.reduces_lanes else max(schedule.lanes, 1)
    for dim in schedule.reduction_dims:
        extent = kernel.extents[dim]
        if not isinstance(extent, int):
            return None
        size *= -(-extent // schedule.lanes) * schedule.lanes if dim == schedule.lane else extent
    return size


def _can_wait_in(kernel: Kernel, store: Node, value: int, phase: int) -> bool:
    """Whether the element that `store` writes can hold `value` until the store runs.

    The store runs in a later pass, is the only one to its buffer, and writes at every point an element of the value's type. The stored
    number depends on the value, and no later pass reads the value.
    """
    every = (1 << len(kernel.extents)) - 1
    alone = [s for s in kernel.of(("loop.store",)) if s.operands[0] == store.operands[0]] == [store]
    plain = store.mask is None and "accumulate" not in store.attributes and not has_value(kernel.index_expr(store))
    fits = kernel.buffers[store.operands[0]] == kernel.values[value].type
    if not (alone and plain and fits and store.phase > phase and kernel.indexed(store) == every):
        return False
    later = range(store.phase + 1, kernel.phases)
    return value in needed_values(kernel, [store]) and not any(value in needed_values(kernel, pass_roots(kernel, p)) for p in later)
