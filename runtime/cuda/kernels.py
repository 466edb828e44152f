"""The kernels of a graph that run on GPUs: lowered to Triton's IR, compiled side by side, loaded, as callables."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping

from torch_mlir import ir

from ...dialects.aten import TensorInfo, size_of
from ...errors import UnsupportedKernel
from ...options import Options
from ...passes.driver import run_passes
from ...passes.pipeline import GPU
from ..kernel_functions import device_of, kernel_functions, text_without_name
from ..memory_traffic import evaluated, size_hints
from .cubin import compiler
from .driver import Device
from .launcher import CudaKernel, Plan
from .tuning import candidates, repeatable

ITEM_SIZES = {"bool": 1, "uint8": 1, "int8": 1, "int16": 2, "float16": 2, "bfloat16": 2, "int64": 8, "float64": 8}

# What was compiled so far, by device, the text of the `loop.func`, and whether it is tuned.
Key = tuple[Device, str, str, bool]
_compiled: dict[Key, CudaKernel] = {}
_lock = threading.RLock()


def cuda_kernels(module: ir.Module, gpu: Device, options: Options) -> dict[str, CudaKernel]:
    """The kernels, by name, of the module's `loop.func`s that are on CUDA devices. Runs inside `compile_context()`; the module is
    not changed. Raises `UnsupportedKernel` where there is no GPU code for one."""
    functions = kernel_functions(module, "cuda")
    tuned = repeatable(module) if options.max_autotune and functions else set()
    keys = {name: (gpu, device_of(op), text_without_name(op), name in tuned) for name, op in functions.items()}
    with _lock:
        new = {key: functions[name] for name, key in keys.items() if key not in _compiled}
        module_of_tt, lowered = lower_to_tt(list(new.values()), options)
        names = {key: op.attributes["sym_name"].value for key, op in new.items()}
        found = {key: CudaKernel(Plan.of(lowered[names[key]]), device_number(key[1]), gpu, key[3]) for key in new}
        _load(found, {key: lowered[names[key]] for key in new}, keys, masks(module))
        for kernel in found.values():
            kernel.companions = [k for k in found.values() if k.plan.symbols]
        del lowered, module_of_tt
        _compiled.update(found)
        return {name: _compiled[key] for name, key in keys.items()}


def device_number(device: str) -> int:
    """cuda:1 -> 1"""
    return int(device.rpartition(":")[2])


def lower_to_tt(functions: list[ir.Operation], options: Options) -> tuple[ir.Module, dict[str, list[ir.Operation]]]:
    """A module of `tt.func`s, and those of each `loop.func` by its name: they live as long as the module does."""
    module = ir.Module.create()
    for op in functions:
        module.body.append(op.clone())
    if functions:
        run_passes(module, GPU, options)
    found: dict[str, list[ir.Operation]] = defaultdict(list)
    for op in module.body.operations:
        if op.operation.name == "loop.func":
            raise UnsupportedKernel(f"no GPU code for {op.attributes['sym_name'].value}: {op.attributes['unsupported'].value}")
        found[op.attributes["kernel"].value].append(op.operation)
    return module, found


def _load(
    kernels: Mapping[Key, CudaKernel],
    functions: Mapping[Key, list[ir.Operation]],
    keys: Mapping[str, Key],
    wanted: Mapping[str, set[tuple[int, int]]],
) -> None:
    """Compiles and loads the variants that the graph's launches want: all texts of a target at once, so that they compile side by
    side. What is tuned is compiled in every way that is tried, and loaded at the first launch."""
    todo = [(key, kernels[key].plan.mask(*bits)) for name, key in keys.items() if key in kernels for bits in sorted(wanted[name])]
    todo = list(dict.fromkeys(todo))
    for key, mask in todo:
        kernels[key].expected.add(mask)
    sources = {(key, mask): kernels[key].plan.sources(functions[key], mask) for key, mask in todo}
    for item, plain in sources.items():
        sources[item] = [s for c in candidates(plain) for s in c] if item[0][3] else plain
    for capability in {k.gpu.capability(k.device) for k in kernels.values()}:
        mine = [(key, mask) for key, mask in todo if kernels[key].gpu.capability(kernels[key].device) == capability]
        cubins = iter(compiler(capability).compile([s for item in mine for s in sources[item]]))
        for key, mask in mine:
            made = [next(cubins) for _ in sources[key, mask]]
            if not key[3]:
                kernels[key].add(mask, made)
                kernels[key].record.add(mask, kernels[key].variants[mask])


def masks(module: ir.Module) -> dict[str, set[tuple[int, int]]]:
    """Which variants the launches of the graph want, by kernel, as bits of buffers and of symbols. Bit n of the first is set where buffer
    n begins at no multiple of 16 bytes, if its storage does; a place that only a run will tell counts as a multiple. Bit n of the
    second is set where symbol n is no multiple of 16 for the sizes that the graph was traced with."""
    found: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for function, op in _launches(module):
        hints = size_hints(function)
        buffers = sum(1 << n for n, buffer in enumerate(op.operands) if _is_odd(TensorInfo.of(buffer.type)))
        symbols = sum(1 << n for n, size in enumerate(op.attributes["symbols"]) if evaluated(size_of(size), hints) % 16)
        found[op.attributes["kernel"].value].add((buffers, symbols))
    return found


def _is_odd(info: TensorInfo) -> bool:
    return isinstance(info.offset, int) and info.offset * ITEM_SIZES.get(info.dtype, 4) % 16 != 0


def _launches(module: ir.Module) -> Iterator[tuple[ir.OpView, ir.OpView]]:
    for function in module.body.operations:
        if function.operation.name == "func.func":
            yield from ((function, op) for op in function.regions[0].blocks[0].operations if op.operation.name == "host.launch")
