"""What each pass did to a module: seconds, and the module's short form where the pass changed it. Only for a report: nothing is recorded
unless `record_passes` asks."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from torch_mlir import ir

from ..dialects.short_form import ShortLine, short_form

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PassRecord:
    """A pass, or another part of a compilation. `lines`: the short form of the module afterwards; empty if the pass did not change that, or
    if the module was not kept."""

    step: str
    seconds: float
    lines: tuple[ShortLine, ...] = field(default=(), repr=False)


KernelKey = tuple[str, tuple[str, ...]]  # the text of a kernel's location, and the operators that it computes


@dataclass(frozen=True)
class FusionRefusal:
    """Why two kernels, the later of which reads the earlier one's result or the same tensor, are not fused."""

    later: KernelKey
    earlier: KernelKey
    reason: str


class Records(list[PassRecord]):
    """What each pass did, and the refusals of fusion."""

    def __init__(self, records: Iterable[PassRecord] = ()) -> None:
        super().__init__(records)
        self.refusals: list[FusionRefusal] = []


class _Recorder:
    """The records of one compilation. `text`, `lines`: the module after the last pass, whole and short."""

    def __init__(self) -> None:
        self.records = Records()
        self.text = ""
        self.lines: tuple[ShortLine, ...] = ()

    def note(self, step: str, seconds: float, module: ir.Module) -> None:
        text, before = str(module), self.lines
        if text != self.text:
            self.text, self.lines = text, _short_form(step, module)
        self.records.append(PassRecord(step, seconds, self.lines if self.lines != before else ()))


def _short_form(step: str, module: ir.Module) -> tuple[ShortLine, ...]:
    try:
        return tuple(short_form(module))
    except Exception:  # a report must not stop a compilation
        log.warning("no short form of the IR after %s", step, exc_info=True)
        return ()


_local = threading.local()


def _active() -> list[_Recorder]:
    found: list[_Recorder] = _local.__dict__.setdefault("recorders", [])
    return found


@contextlib.contextmanager
def record_passes(wanted: bool, times: bool = False) -> Iterator[Records]:
    """A list that receives a record of every pass that this thread runs inside; it stays empty unless `wanted`. `times`: it receives the
    times alone, if not `wanted`."""
    recorder = _Recorder() if wanted else _Times() if times else None
    with _recording(recorder) if recorder is not None else contextlib.nullcontext(Records()) as records:
        yield records


@contextlib.contextmanager
def _recording(recorder: _Recorder) -> Iterator[Records]:
    """The recorder's records; it gets what this thread runs inside."""
    _active().append(recorder)
    try:
        yield recorder.records
    finally:
        _active().remove(recorder)


@contextlib.contextmanager
def unrecorded() -> Iterator[None]:
    """Inside, passes of this thread run on another module than the graph, whose records get nothing of them."""
    with _recording(_Times()):
        yield


def note_pass(step: str, seconds: float, module: ir.Module) -> None:
    """Records a pass that ran on a graph."""
    if _active():
        _active()[-1].note(step, seconds, module)


def is_recording() -> bool:
    """Whether this thread records what passes take."""
    return bool(_active())


def is_recording_changes() -> bool:
    """Whether it also records what they do."""
    return bool(_active()) and not isinstance(_active()[-1], _Times)


def note_refusals(refusals: list[FusionRefusal]) -> None:
    """Records the refusals of fusion, in place of those of an earlier attempt."""
    if _active():
        _active()[-1].records.refusals = refusals


def note_module(step: str, module: ir.Module) -> None:
    """Records a module that no pass made."""
    note_pass(step, 0.0, module)


@contextlib.contextmanager
def phase(name: str) -> Iterator[None]:
    """Records a part of a compilation that is no pass on the graph. Passes inside it, such as those on kernels, keep their times but not
    their modules, and count in their own records alone."""
    if not _active():
        yield
        return
    outer, start = _active()[-1], time.perf_counter()
    with _recording(_Times()) as inner:
        yield
    outer.records += inner
    outer.records.append(PassRecord(name, time.perf_counter() - start - sum(r.seconds for r in inner)))


class _Times(_Recorder):
    """Keeps times alone; equal steps are added up."""

    def note(self, step: str, seconds: float, module: ir.Module) -> None:
        for number, known in enumerate(self.records):
            if known.step == step:
                self.records[number] = replace(known, seconds=known.seconds + seconds)
                return
        self.records.append(PassRecord(step, seconds))
