"""What the compiler leaves of a graph for the cache."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from ..cpu.kept_code import KeptCode
from .native_graph import KernelCode, NativeGraph

if TYPE_CHECKING:
    from ..cpu.jit import Engine, KernelAddress
    from ..cuda.capturing.policies import Policy
    from ..cuda.launching.driver import Device
    from ..host.described_callables import Description
    from .gpu_kernels import GpuKernels


@dataclass
class GraphParts:
    """Filled by a compilation. `native`: the native function, None if the graph has none; `conditions`: those on its inputs
    (`frontend/calling`); `constants`: the graph's own tensors; `repeats`: whether eager may run the graph again for the text of an
    exception; `captures`: which calls are captured as CUDA graphs; `refusal`: why another process must not use them; `done`: whether the
    compilation succeeded. `keeps`: the object code that the compilation keeps; `gpu`: what it compiles for in place of this machine's
    GPUs."""

    native: NativeGraph | None = None
    conditions: tuple[str, ...] = ()
    constants: tuple[torch.Tensor, ...] = ()
    repeats: bool = False
    captures: Policy | None = None
    refusal: str = ""
    done: bool = False
    keeps: KeptCode = KeptCode.OBJECT
    gpu: Device | None = None

    @property
    def is_for_disk(self) -> bool:
        """Whether another process will use them."""
        return True

    def note_native(
        self,
        host: Engine,
        support: Engine,
        kernels: dict[str, KernelAddress],
        callables: Sequence[Description],
        module: bytes,
        on_gpu: GpuKernels | None,
    ) -> None:
        """Takes the code of a native function and of its `kernels` by name; `module`: the graph in `host` form, as bytecode."""
        engines = list(dict.fromkeys(address.kernel.engine for address in kernels.values()))
        codes = [engine.object_code() for engine in (host, support, *engines)]
        if not all(codes):
            return
        # Each engine has a table of kernels' addresses: its length, and where each kernel is in it.
        lengths = {address.kernel.engine: address.kernel.table_length for address in kernels.values()}
        tables = tuple(lengths[engine] for engine in engines)
        codes_of_kernels = tuple(KernelCode(name, engines.index(a.kernel.engine), a.kernel.number) for name, a in kernels.items())
        self.native = NativeGraph(codes[0], codes[1], tuple(codes[2:]), tables, codes_of_kernels, tuple(callables), module, on_gpu)

    def note_calls(self, conditions: Sequence[str], constants: Sequence[torch.Tensor], repeats: bool) -> None:
        """Takes what surrounds the native function; called last."""
        self.conditions, self.constants, self.repeats, self.done = tuple(conditions), tuple(constants), repeats, True
