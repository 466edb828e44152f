"""What Dynamo compiled: each function or part of one, why it was compiled again, and where it broke the graph."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ...torch_internals.dynamo import compilation_metrics


@dataclass(frozen=True)
class Frame:
    """One compilation by Dynamo. `backend`: the seconds of AOTAutograd and the compiler; `again`: the guard that failed, if the function
    was compiled before; `breaks`: why the graph ends inside the function; `failure`: why it is not compiled at all."""

    id: str
    function: str
    file: str
    line: int
    seconds: float
    backend: float = 0.0
    again: str = ""
    breaks: tuple[str, ...] = ()
    failure: str = ""

    @staticmethod
    def of(metrics: Any) -> Frame:
        """Reads what Dynamo noted of a compilation."""
        known = {name: getattr(metrics, name, None) for name in _FIELDS}
        return Frame(
            str(known["compile_id"]),
            str(known["co_name"]),
            str(known["co_filename"]),
            int(known["co_firstlineno"] or 0),
            float(known["entire_frame_compile_time_s"] or 0),
            float(known["backend_compile_time_s"] or 0),
            str(known["recompile_reason"] or ""),
            tuple(map(str, known["restart_reasons"] or ())),
            str(known["fail_reason"] or ""),
        )


_FIELDS = (
    "compile_id", "co_name", "co_filename", "co_firstlineno", "entire_frame_compile_time_s", "backend_compile_time_s",
    "recompile_reason", "restart_reasons", "fail_reason",
)  # fmt: skip


@contextmanager
def collect_frames() -> Iterator[list[Frame]]:
    """A list that holds, at the end, what Dynamo compiled inside; the latest 64, which is all that Dynamo keeps."""
    before = {id(m): m for m in compilation_metrics()}  # kept alive, so that no other gets the same id
    frames: list[Frame] = []
    try:
        yield frames
    finally:
        new = [m for m in compilation_metrics() if id(m) not in before]
        frames += [Frame.of(m) for m in new if getattr(m, "co_name", None)]  # others are backward graphs, compiled at a call
