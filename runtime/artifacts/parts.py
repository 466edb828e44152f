"""What the compiler leaves of a graph for the cache."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from .native_graph import KernelCode, NativeGraph

if TYPE_CHECKING:
    from ..cpu.jit import Engine, KernelAddress
    from ..host.described_callables import Description


@dataclass
class GraphParts:
    """Filled by a compilation: the native function, None if the graph has none; the conditions on its inputs (`frontend/calling`); the
    graph's constant tensors; whether the graph may be run again for the text of an exception. `done`: the compilation succeeded."""

    native: NativeGraph | None = None
    conditions: tuple[str, ...] = ()
    constants: tuple[torch.Tensor, ...] = ()
    repeats: bool = False
    done: bool = False

    def note_native(
        self, host: Engine, support: Engine, kernels: dict[str, KernelAddress], callables: Sequence[Description], module: bytes
    ) -> None:
        """Takes the code of a native function and of its `kernels` by name; `module`: the graph in `host` form, as bytecode."""
        engines = list(dict.fromkeys(address.kernel.engine for address in kernels.values()))
        codes = [engine.object_code() for engine in (host, support, *engines)]
        if not all(codes):
            return
        places = tuple(KernelCode(name, engines.index(a.kernel.engine), a.kernel.place) for name, a in kernels.items())
        counts = {address.kernel.engine: address.kernel.among for address in kernels.values()}
        tables = tuple(counts[engine] for engine in engines)
        self.native = NativeGraph(codes[0], codes[1], tuple(codes[2:]), tables, places, tuple(callables), module)

    def note_calls(self, conditions: Sequence[str], constants: Sequence[torch.Tensor], repeats: bool) -> None:
        """Takes what surrounds the native function; called last."""
        self.conditions, self.constants, self.repeats, self.done = tuple(conditions), tuple(constants), repeats, True
