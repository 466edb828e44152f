"""A GPU of a named architecture in place of the machine's: kernels are compiled for it, and nothing is loaded or run."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ....lowering.tt.gpu_target import GpuTarget
from ...cpu.process_symbols import process_symbol
from .driver import Launch


def _nothing(*_: Any) -> int:
    raise AssertionError("there is no GPU")


@dataclass(unsafe_hash=True)
class NamedGpu:
    """Stands for `driver.Driver`. `number`: the compute capability, 90 for sm_90; `properties`: what tile choices depend on."""

    number: int
    properties: GpuTarget

    def __post_init__(self) -> None:
        self.launch: Launch = _nothing

    def capability(self, device: int) -> int:
        """The compute capability."""
        return self.number

    def target(self, device: int) -> GpuTarget:
        """What tile choices depend on."""
        return self.properties

    def facts(self, device: int) -> list[Any]:
        """What code for it depends on."""
        return [self.card(device), self.number, self.properties.multiprocessors, self.properties.l2_bytes, 0]

    def symbol(self, name: str) -> int:
        """An address that is never used: the code that has it does not run in this process."""
        return process_symbol("calloc")

    def load(self, name: str, code: bytes, shared: int, device: int) -> int:
        """No handle."""
        return 0

    def enter_context(self, device: int) -> None:
        """Does nothing."""

    def error(self, status: int) -> str:
        """The text of a CUresult."""
        return f"CUDA error {status}"

    def card(self, device: int) -> str:
        """The architecture's name."""
        return f"sm_{self.number}"

    def milliseconds(self, launch: Callable[[], int]) -> float | None:
        """None: nothing can be measured."""
        return None

    def namespace(self) -> dict[str, Any]:
        """Functions for code that does not run."""
        return {"_device": _nothing, "_on": _on, "_stream": _nothing, "_empty_cuda": _nothing}


@contextlib.contextmanager
def _on(device: int) -> Iterator[None]:
    yield
