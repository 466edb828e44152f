"""From the text of a `.ttir` file to a cubin: `triton.compile` for a named target, in threads, each text once; cached on disk.

A file of the cache has what a launch needs, the cubin and a checksum, as those of whole graphs. Its name is the hash of text, target,
options and Triton's version, so reading it does not import Triton. A folder that another user can write to is not used.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import os
import re
import tempfile
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from ....disk_cache import folder
from ....disk_cache.entries import drop_entry, keep_entry, load_entry
from ....errors import UnsupportedGraph, UnsupportedKernel
from ....triton_settings import TRITON_OPTIONS, triton_variables, triton_version

log = logging.getLogger(__name__)

_PARAMETER = re.compile(r"\.param \.\w+")


@dataclass(frozen=True)
class CubinSource:
    """What is compiled: the text, and the options of `triton.compile`."""

    text: str
    num_warps: int
    num_stages: int


@dataclass(frozen=True)
class Cubin:
    """Code for one target. `parameters`: how many 8-byte arguments the entry takes, with Triton's own (null) scratch pointers; `warps`:
    the warps of a program; `shared`: its bytes of shared memory."""

    name: str
    warps: int
    shared: int
    parameters: int
    code: bytes


class Compiler:
    """Compiles texts for one target ("cuda", capability), each once in a process."""

    def __init__(self, capability: int) -> None:
        self.capability = capability
        self._futures: dict[CubinSource, Future[Cubin]] = {}
        self._lock = threading.Lock()

    def compile(self, sources: Sequence[CubinSource]) -> list[Cubin]:
        """The cubins of `sources`, compiled in parallel. Raises `UnsupportedGraph` if Triton is missing, `UnsupportedKernel` if it refuses
        one."""
        self.start(sources)
        return [self._futures[s].result() for s in sources]

    def start(self, sources: Sequence[CubinSource]) -> None:
        """Starts compiling `sources`."""
        with self._lock:
            new = [s for s in dict.fromkeys(sources) if s not in self._futures]
            for source in new:
                self._futures[source] = _pool().submit(self._one, source)

    def _one(self, source: CubinSource) -> Cubin:
        key = self._key(source)
        cubin = read_cubin(key)
        if cubin is None:
            cubin = compile_text(source, self.capability)
            write_cubin(key, cubin)
        return cubin

    def _key(self, source: CubinSource) -> str:
        parts = (source.text, source.num_warps, source.num_stages, self.capability, triton_version(), TRITON_OPTIONS, triton_variables())
        return hashlib.sha256(repr(parts).encode()).hexdigest()


def read_cubin(key: str) -> Cubin | None:
    """A cubin from the disk; None if there is none that can be used."""
    entry = load_entry(folder.CUBINS, key)
    if entry is None:
        return None
    facts, pieces = entry
    try:
        (code,) = pieces
        return Cubin(**facts, code=code)
    except (TypeError, ValueError) as error:
        drop_entry(folder.CUBINS, key, error)
    return None


def write_cubin(key: str, cubin: Cubin) -> None:
    """Keeps a cubin on the disk, if that is possible."""
    facts = asdict(cubin)
    del facts["code"]
    keep_entry(folder.CUBINS, key, facts, [cubin.code])


@functools.cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0)), thread_name_prefix="mlirind-cubin")


@functools.cache
def compiler(capability: int) -> Compiler:
    """The process's compiler for a target."""
    return Compiler(capability)


def compile_text(source: CubinSource, capability: int) -> Cubin:
    """Compiles one text with Triton. Needs no GPU and no C compiler: the target is named, and the code is not loaded."""
    if triton_version() is None:
        raise UnsupportedGraph("kernels for CUDA are compiled by Triton: install triton (pip install triton)")
    import triton
    from triton.backends.compiler import GPUTarget

    options = {"num_warps": source.num_warps, "num_stages": source.num_stages, **TRITON_OPTIONS}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "kernel.ttir")
        path.write_text(source.text)
        try:
            kernel = triton.compile(str(path), target=GPUTarget("cuda", capability, 32), options=options)
        except Exception as error:
            raise UnsupportedKernel(f"Triton can't compile a kernel: {str(error)[:500]}") from error
    metadata = kernel.metadata
    if getattr(metadata, "global_scratch_size", 0) or getattr(metadata, "profile_scratch_size", 0):
        raise UnsupportedKernel("Triton wants scratch memory for a kernel")
    return Cubin(metadata.name, metadata.num_warps, metadata.shared, _parameters(kernel.asm["ptx"]), kernel.asm["cubin"])


def _parameters(ptx: str) -> int:
    """How many parameters the entry of a PTX text declares."""
    entry = ptx[ptx.index(".entry") :]
    return len(_PARAMETER.findall(entry[: entry.index(")")]))
