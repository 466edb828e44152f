"""A GPU kernel as a Python callable: `launch(stream, pointer..., symbol...) -> status`.

The callable is generated code. It packs the 8-byte arguments into a buffer that no other thread uses during the launch, computes the grid,
and calls cuLaunchKernel. Variants differ in which arguments, addresses and sizes, are multiples of 16. The variant for the graph's layouts
and traced sizes is loaded when the graph is compiled, others at the first call that needs them.
"""

from __future__ import annotations

import ctypes
import functools
import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from ....torch_internals.layout import EXTRA
from .cubin import Compiler, Cubin, CubinSource, compiler
from .driver import INVALID_CONTEXT, Device
from .launch_record import LaunchRecord, folded_mask, mask_bit

# cuLaunchKernel's first and last arguments for each function of a kernel: handle, bytes of shared memory, threads of a program.
Variant = tuple[int, ...]
NOT_LOADED = -1  # the status of native code that has no variant for a call


@dataclass(frozen=True)
class Plan:
    """A kernel before it is compiled.

    `buffers`, `symbols`: numbers of arguments. `scratch`, `grids`: bytes of each scratch buffer and grid of each function, as Python source
    over `s0`, `s1`, ...; `scratch_map`, `grid_maps`: the same as affine maps. `text`: the module of its functions.
    """

    name: str
    buffers: int
    symbols: int
    scratch: tuple[str, ...]
    grids: tuple[str, ...]
    scratch_map: str
    grid_maps: tuple[str, ...]
    text: str

    @property
    def arguments(self) -> int:
        """The number of arguments: buffers, scratch buffers, symbols."""
        return self.buffers + len(self.scratch) + self.symbols

    def mask(self, buffers: int, symbols: int) -> int:
        """A variant's mask from its buffer bits and symbol bits."""
        return folded_mask(buffers | symbols << self.buffers + len(self.scratch))


@dataclass(eq=False)
class CudaKernel:
    """A kernel on one device.

    `launch` is the callable. `variants`: by mask, what it passes to cuLaunchKernel; `record`: the same for native code; `cubins`: the code
    of those that were compiled for their own mask. `expected`: masks that are compiled exactly; others share one code; `companions`: the
    kernels of the same graph that take sizes (compiled together). `is_final`: false if its schedules should be timed, and could not be.
    """

    plan: Plan
    device: int
    gpu: Device
    variants: dict[int, Variant] = field(default_factory=dict)
    cubins: dict[int, tuple[Cubin, ...]] = field(default_factory=dict)
    expected: set[int] = field(default_factory=set)
    companions: list[CudaKernel] = field(default_factory=list)
    is_final: bool = True
    lock: threading.Lock = field(default_factory=threading.Lock)
    launch: Callable[..., int] = field(init=False)

    def __post_init__(self) -> None:
        self.slots: list[tuple[Any, Any]] = []
        self.parameters = self.plan.arguments
        self._names = {
            "pack": struct.Struct("=" + "Q" * (self.plan.buffers + len(self.plan.scratch)) + "q" * self.plan.symbols).pack_into,
            "launch": self.gpu.launch, "get": self.variants.get, "load": self.load, "take": self.slots.pop, "give": self.slots.append,
            "new": self._new_slot, "enter": functools.partial(self.gpu.enter_context, self.device),
            "empty": self.gpu.namespace()["_empty_cuda"], "uint8": torch.uint8,
        }  # fmt: skip
        launch = self.gpu.symbol("cuLaunchKernel")
        self.record = LaunchRecord(launch, self.parameters, len(self.plan.grids))
        self.launch = _make(self.plan.buffers, self.plan.symbols, self.plan.scratch, self.plan.grids, False)(**self._names)

    def add(self, mask: int, cubins: Sequence[Cubin]) -> None:
        """Loads the code of a variant."""
        assert all(c.parameters <= self.parameters + EXTRA for c in cubins)
        loaded = [(self.gpu.load(c.name, c.code, c.shared, self.device), c.shared, 32 * c.warps) for c in cubins]
        self.variants[mask] = tuple(n for function in loaded for n in function)
        self.cubins[mask] = tuple(cubins)

    def add_expected(self, mask: int, cubins: Sequence[Cubin]) -> None:
        """The same for a variant that native code finds, and that is compiled exactly for its mask."""
        self.add(mask, cubins)
        self.expected.add(mask)
        self.record.add(mask, self.variants[mask])

    def load(self, mask: int) -> Variant:
        """The variant for a mask, compiled if it is new."""
        with self.lock:
            if mask in self.variants:
                return self.variants[mask]
            weaker = self._weaker(mask)
            if weaker not in self.variants:
                for kernel in self.companions if weaker & self._sizes else ():
                    kernel.start()
                self.add(weaker, self.compiler.compile(self._sources(weaker)))
            self.variants[mask] = self.variants[weaker]
            self.record.add(mask, self.variants[mask])
            return self.variants[mask]

    def _weaker(self, mask: int) -> int:
        """The mask of the code that runs for `mask`. All masks that were not expected use the code that assumes nothing of sizes, so a
        graph whose sizes change is compiled at most twice."""
        return mask if mask in self.expected else mask | self._sizes

    @property
    def _sizes(self) -> int:
        """The bits of the symbols in a mask."""
        return self.plan.mask(0, (1 << self.plan.symbols) - 1)

    def start(self) -> None:
        """Starts compiling the code for any sizes, if there is none. A call with unexpected sizes needs it for every kernel of the
        graph."""
        for mask in {m | self._sizes for m in self.expected} - self.variants.keys():
            self.compiler.start(self._sources(mask))

    def _sources(self, mask: int) -> list[CubinSource]:
        from .plans import sources_of_plan  # imports MLIR, which a process that loads the kernel's code does not need

        return sources_of_plan(self.plan, mask)

    def launch_again(self, status: int, stream: int, values: Sequence[int]) -> int:
        """Launches a kernel that native code could not: takes its status (`NOT_LOADED`: it has no variant) and all arguments."""
        if status not in (NOT_LOADED, INVALID_CONTEXT):
            return status
        if status == INVALID_CONTEXT:
            self.gpu.enter_context(self.device)
        buffers, others = self.plan.buffers, self.plan.buffers + len(self.plan.scratch)
        return self.launch(stream, *values[:buffers], *values[others:])

    @property
    def compiler(self) -> Compiler:
        """The compiler for its device."""
        return compiler(self.gpu.capability(self.device))

    def bound(self, symbols: Sequence[int]) -> Callable[..., int]:
        """As `launch`, for these values of the symbols: `launch(stream, pointer...) -> status`. Costs less of the host's time: the values
        are packed once, and grids and sizes of scratch buffers are known."""
        plan, count = self.plan, self.plan.buffers + len(self.plan.scratch)
        slots: list[tuple[Any, Any]] = []

        def new() -> tuple[Any, Any]:
            slot = self._new_slot()
            struct.pack_into(f"={plan.symbols}q", slot[0], 8 * count, *symbols)
            return slot

        names = {**self._names, "pack": struct.Struct(f"={count}Q").pack_into, "take": slots.pop, "give": slots.append, "new": new}
        values = {f"s{n}": value for n, value in enumerate(symbols)}
        return _make(plan.buffers, plan.symbols, plan.scratch, plan.grids, True)(**names, **values)

    def _new_slot(self) -> tuple[Any, Any]:
        """A buffer for the values of all arguments, and the array of their addresses. Triton's own parameters, after ours, are null."""
        count = self.parameters + EXTRA
        values = (ctypes.c_uint64 * count)()
        start = ctypes.addressof(values)
        return values, (ctypes.c_void_p * count)(*(start + 8 * n for n in range(count)))


@functools.lru_cache(maxsize=1024)
def _make(buffers: int, symbols: int, scratch: tuple[str, ...], grids: tuple[str, ...], bound: bool) -> Callable[..., Callable[..., int]]:
    """Generates the function that binds a kernel's objects and returns its callable. `bound`: the function takes the symbols' values, and
    the callable only pointers."""
    pointers, values = [f"p{n}" for n in range(buffers)], [f"s{n}" for n in range(symbols)]
    places = {name: n for n, name in enumerate([*pointers, *["0"] * len(scratch), *values])}
    known, given = (values, pointers) if bound else ([], [*pointers, *values])
    sizes = [f"g{n} = {grid}" for n, grid in enumerate(grids)] + [f"z{n} = {size}" for n, size in enumerate(scratch)]
    head = [f"known = {_bits(known, places)}", *(sizes if bound else [])]
    body = ["key = known", f"if ({' | '.join(given) or '0'}) & 15:", f"    key |= {_bits(given, places)}", *([] if bound else sizes)]
    body += ["found = get(key) or load(key)"]
    body += [f"{', '.join(f'f{n}, m{n}, t{n}' for n in range(len(grids)))} = found"]
    body += [f"x{n} = empty((z{n},), (1,), uint8)" for n in range(len(scratch))]
    body += ["try:", "    slot = take()", "except IndexError:", "    slot = new()", "v, a = slot"]
    packed = [*pointers, *(f"x{n}.data_ptr()" for n in range(len(scratch))), *([] if bound else values)]
    body += [f"pack({', '.join(['v', '0', *packed])})", "status = 0"]
    for n in range(len(grids)):
        call = f"launch(f{n}, g{n}, 1, 1, t{n}, 1, 1, m{n}, stream, a, None)"
        body += [f"if g{n} and not status:", f"    status = {call}", f"    if status == {INVALID_CONTEXT}:"]
        body += ["        enter()", f"        status = {call}"]
    body += ["give(slot)", "return status"]
    taken = ", ".join(["pack, launch, get, load, take, give, new, enter, empty, uint8", *known])
    lines = [f"def make({taken}):", *("    " + line for line in head), f"    def run({', '.join(['stream', *given])}):"]
    source = "\n".join([*lines, *("        " + line for line in body), "    return run"])
    namespace: dict[str, Any] = {}
    exec(compile(source, "<mlirind launcher>", "exec"), namespace)
    made: Callable[..., Callable[..., int]] = namespace["make"]
    return made


def _bits(names: Sequence[str], places: Mapping[str, int]) -> str:
    """Source of a mask: the bit of each value that is no multiple of 16."""
    return " | ".join(f"({name} & 15 and {1 << mask_bit(places[name])})" for name in names) or "0"
