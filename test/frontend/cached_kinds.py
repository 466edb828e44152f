"""Files of all kinds in the cache, for the faults: graphs on a GPU, cubins, tuned schedules, patterns' texts, the table of operators, what
is known of AOTAutograd's wrappers, libraries of eager operators. Each is made and used as programs do; GPUs are those of `fake_gpu.py`."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any
from unittest import mock

import mlirind
import torch
from fake_gpu import backend_on, fake_gpu
from mlirind.dialects import aten_table
from mlirind.disk_cache import folder
from mlirind.disk_cache.container import DamagedEntry, pack_entry
from mlirind.disk_cache.entries import load_entry
from mlirind.disk_cache.folder import CachedFile
from mlirind.frontend.caching import stored_graphs
from mlirind.frontend.exporting import eager_cache
from mlirind.frontend.exporting.eager_operators import call_metadata, library_options
from mlirind.frontend.patterns.pattern_cache import cached_texts
from mlirind.frontend.patterns.pattern_outline import Outline
from mlirind.runtime.artifacts.native_graph import NativeGraph
from mlirind.runtime.cuda.launching import cubin
from mlirind.torch_internals import wrapper_check

GRAPH_KEYS = {"softmax": "a" * 64, "scratch memory": "b" * 64}
SOURCE = cubin.CubinSource("text", 4, 1)
CODE = bytes(range(256))
SIZES = (5, 7)  # of the calls of an eager operator


def softmax(x):
    return torch.softmax(x.sin(), -1)


GPU_INPUTS = {"softmax": (torch.linspace(0, 3, 24).view(4, 6),), "scratch memory": (torch.linspace(0, 1, 40000).view(1, -1),)}


def run_on_gpu(name: str) -> bool:
    """Runs a graph on the GPU, with its entry if there is one that can be used; whether the result is right."""

    def through(made: Any, runner: Any) -> Any:
        entry = stored_graphs.read_entry(GRAPH_KEYS[name])
        if entry is not None:
            with contextlib.suppress(DamagedEntry):
                return NativeGraph.unpacked(*entry).runner(name, None)
        content = pack_entry(GRAPH_KEYS[name], *made.native.packed())
        with contextlib.suppress(OSError, folder.UntrustedFolder):
            folder.write(GRAPH_KEYS[name], content)
        return runner

    return _agrees(softmax, GPU_INPUTS[name], {"cache": True}, through)


def run_tuned() -> bool:
    """Runs a graph with a schedule that was timed; whether the result is right."""
    return _agrees(torch.sin, (torch.linspace(0, 9, 70000),), {"max_autotune": True}, None)


def _agrees(function: Any, inputs: Any, options: dict[str, Any], through: Any) -> bool:
    torch._dynamo.reset()
    with fake_gpu() as gpu, torch.no_grad():
        gpu.times += [3.0, 2.0, 1.0, 2.0, 3.0]
        found = torch.compile(function, backend=backend_on(options, through=through))(*inputs)
    return torch.allclose(found, function(*inputs), rtol=1e-5, atol=1e-6)


def run_cubins() -> bool:
    """Gets a cubin from the disk, or compiles it; whether it is the right one."""
    with mock.patch.object(cubin, "compile_text", lambda source, _: cubin.Cubin("kernel", source.num_warps, 0, 2, CODE)):
        return cubin.Compiler(90).compile([SOURCE]) == [cubin.Cubin("kernel", 4, 0, 2, CODE)]


def run_eager(size: int) -> bool:
    """Gets the library of a call, or compiles it; whether its result is right."""
    x = torch.linspace(0, 1, size)
    path = mlirind.aoti_compile_with_persistent_cache("aten", "sin", "cpu", False, torch.ops.aten.sin.default, (x,), {})
    return torch.allclose(torch._C._aoti.AOTIModelContainerRunnerCpu(path, 1).run([x])[0], x.sin())


def run_table() -> bool:
    """Reads the table of operators, or makes it."""
    return "aten.add_tensor" in aten_table.read_table()[0]


def run_wrappers() -> bool:
    """Gets the answer about AOTAutograd's wrappers, or finds it."""
    return wrapper_check._remembered("0" * 64)


def run_patterns() -> bool:
    """Gets the texts of a pattern, or traces it."""
    return cached_texts("c" * 64, Outline(((), ()), ((), ()), None), lambda: ["text"]) == ["text"]


RUNS = {
    "softmax": lambda: run_on_gpu("softmax"), "scratch memory": lambda: run_on_gpu("scratch memory"), "tuned": run_tuned,
    "cubins": run_cubins, "one library": lambda: run_eager(SIZES[0]), "another library": lambda: run_eager(SIZES[1]),
    "table": run_table, "wrappers": run_wrappers, "patterns": run_patterns,
}  # fmt: skip


def made_files() -> list[CachedFile]:
    """The files after all runs: those of all kinds, and the list of libraries."""
    lists = [CachedFile("list", path, 0, 0) for path in folder.folder(folder.LIBRARIES).rglob("*.json")]
    return [*folder.all_files(), *lists]


def libraries() -> Iterator[tuple[int, str | None]]:
    """The library that is listed for each call, by the call's size."""
    for size in SIZES:
        metadata = call_metadata("aten::sin", (torch.linspace(0, 1, size),), {})
        yield size, eager_cache.find_library(eager_cache.operators_folder("aten", "cpu", library_options(None)), "sin", metadata)


def is_used(entry: CachedFile, known: dict[int, str | None]) -> bool:
    """Whether a file that was damaged is used. `known`: the library of each call before."""
    if entry.kind == folder.GRAPHS:
        return stored_graphs.read_entry(entry.key) is not None
    if entry.kind in folder.KINDS:
        return load_entry(entry.kind, entry.key) is not None
    found = [(size, path) for size, path in libraries() if path is not None]
    return any(path != known[size] for size, path in found) or (entry.kind != "list" and str(entry.path) in dict(found).values())
