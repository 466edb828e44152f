"""The kernels of a graph that run on GPUs: lowered to Triton IR, compiled in parallel, loaded, as callables."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from torch_mlir import ir

from ....dialects.aten import TensorInfo, size_of
from ....dialects.dtypes import item_size
from ....dialects.host import GROUP, grouped_launches
from ....dialects.loop import GROUPED
from ....dialects.narrowing import array, text, texts
from ....dialects.size_hints import evaluated, size_hints
from ....errors import UnsupportedKernel
from ....lowering.tt.gpu_target import ATTRIBUTE as GPU_TARGET
from ....lowering.tt.lower_loop_to_tt import ALTERNATIVE
from ....options import Options
from ....passes.driver import run_passes
from ....passes.pipeline import GPU
from ....passes.working_on import operator_and_line
from ....progress import progress
from ....tuning.gpu import TUNING
from ...kernel_functions import code_key, device_number, device_of, gpu_kernels, kernel_functions
from .driver import Device
from .launcher import CudaKernel
from .plans import plan_of, variant_sources
from .tuning import Bits, LaunchSizes, Lowered, Tuner, Way, launch_sizes, may_be_timed

# Kernels compiled so far, by device, the text of the `loop.func`, and the sizes that it was tuned for.
Key = tuple[Device, str, str, LaunchSizes | None]
_compiled: dict[Key, CudaKernel] = {}
_lock = threading.RLock()


def cuda_kernels(module: ir.Module, gpu: Device, options: Options) -> dict[str, CudaKernel]:
    """The kernels, by name, that the module's graph launches on CUDA devices. Call it inside `compile_context()`; it does not change the
    module. Raises `UnsupportedKernel` if one has no GPU code."""
    every, functions = kernel_functions(module, "cuda"), gpu_kernels(module)
    sizes = _timed_sizes(module, functions) if options.max_autotune else {}
    keys = {name: (gpu, device_of(op), code_key(op, every), sizes.get(name)) for name, op in functions.items()}
    wanted: dict[Key, set[Bits]] = defaultdict(set)
    for name, bits in masks(module).items():
        if name in keys:  # others are for the CPU
            wanted[keys[name]] |= bits
    with _lock:
        new = {key: functions[name] for name, key in keys.items() if key not in _compiled}
        lowered = lower_to_tt(list(new.values()), options, gpu, parts=every)
        tuned, untimed = _tuned({key: op for key, op in new.items() if key[3] is not None}, wanted, options, gpu)
        code = {key: lowered.functions[text(op.attributes["sym_name"])] for key, op in new.items()}
        code |= {key: way.functions for key, way in tuned.items()}
        found = {key: CudaKernel(plan_of(code[key]), device_number(key[1]), gpu) for key in new}
        _load(found, code, wanted)
        for key in untimed:
            found[key].is_final = False
        for kernel in found.values():
            kernel.companions = [k for k in found.values() if k.plan.symbols]
        _compiled.update(found)
        return {name: _compiled[key] for name, key in keys.items()}


def _timed_sizes(module: ir.Module, functions: Mapping[str, ir.Operation]) -> dict[str, LaunchSizes]:
    """The sizes for which kernels are tuned: those of each kernel's first launch."""
    found: dict[str, LaunchSizes] = {}
    for graph, op in _launches(module):
        name, sizes = text(op.attributes["kernel"]), launch_sizes(graph, op)
        if name in functions and name not in found and may_be_timed(functions[name], sizes):
            found[name] = sizes
    return found


def _tuned(
    functions: Mapping[Key, ir.Operation], wanted: Mapping[Key, set[Bits]], options: Options, gpu: Device
) -> tuple[dict[Key, Way], set[Key]]:
    """The fastest schedules of kernels, and the kernels that could not be timed; those that have to be timed are compiled in parallel."""
    lowered = [lower_to_tt(list(functions.values()), options, gpu, n) for n in range(TUNING.alternatives)] if functions else []
    ways: dict[Key, list[Way]] = {}
    for key, op in functions.items():
        name, bits = text(op.attributes["sym_name"]), min(wanted[key])
        tried = [Way.of(low, low.functions[name], bits) for low in lowered if name in low.functions]
        ways[key] = [way for n, way in enumerate(tried) if way.sources not in [w.sources for w in tried[:n]]]
    tuners = {key: Tuner(found, key[0], device_number(key[1]), key[3], min(wanted[key])) for key, found in ways.items() if key[3]}
    for tuner in tuners.values():
        tuner.start()
    found = {}
    for number, (key, tuner) in enumerate(tuners.items()):
        progress("autotuning kernels", number, len(tuners))
        found[key] = tuner.fastest()
    return found, {key for key, tuner in tuners.items() if not tuner.is_known()}


def lower_to_tt(
    functions: list[ir.Operation],
    options: Options,
    gpu: Device,
    alternative: int = 0,
    parts: Mapping[str, ir.Operation] = MappingProxyType({}),
) -> Lowered:
    """Lowers copies of functions, and of groups of `parts`, for the GPUs that they are for. Raises if one has no GPU code; an alternative
    other than the first is then left out instead."""
    module = ir.Module.create()
    names = {name for op in functions if op.name == "loop.group" for name in texts(op.attributes["parts"])}
    alone = {text(op.attributes["sym_name"]) for op in functions}
    for op in [*functions, *(parts[name] for name in sorted(names - alone))]:
        copy = op.clone()
        module.body.append(copy)
        copy.attributes[GPU_TARGET] = gpu.target(device_number(device_of(op))).attribute()
        if text(op.attributes["sym_name"]) not in alone:
            copy.attributes[GROUPED] = ir.UnitAttr.get()
        if alternative:
            copy.attributes[ALTERNATIVE] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), alternative)
    if functions:
        run_passes(module, GPU, options)
    found: dict[str, list[ir.Operation]] = defaultdict(list)
    for view in module.body.operations:
        op = view.operation
        if op.name not in ("loop.func", "loop.group"):
            found[text(op.attributes["kernel"])].append(op)
        elif not alternative:
            unsupported = UnsupportedKernel(f"no GPU code for {text(op.attributes['sym_name'])}: {text(op.attributes['unsupported'])}")
            unsupported.at = operator_and_line(op)
            raise unsupported
    return Lowered(module, found)


def _load(kernels: Mapping[Key, CudaKernel], code: Mapping[Key, Sequence[ir.Operation]], wanted: Mapping[Key, set[Bits]]) -> None:
    """Compiles and loads the variants that the graph's launches need, all in parallel."""
    todo = [(kernel, kernel.plan.mask(*bits), code[key]) for key, kernel in kernels.items() for bits in sorted(wanted[key])]
    texts = [variant_sources(kernel.plan, functions, mask) for kernel, mask, functions in todo]
    for (kernel, _, _), some in zip(todo, texts, strict=True):
        kernel.compiler.start(some)
    for number, ((kernel, mask, _), some) in enumerate(zip(todo, texts, strict=True)):
        progress("GPU kernels (Triton)", number, len(todo))
        kernel.add_expected(mask, kernel.compiler.compile(some))


def masks(module: ir.Module) -> dict[str, set[Bits]]:
    """The variants that the graph's launches need, by kernel, as (buffer bits, symbol bits).

    Bit n of the first is set if buffer n begins at an address that is no multiple of 16, given that its storage does; an address that is
    known only at run time counts as a multiple. Bit n of the second is set if symbol n is no multiple of 16 for the sizes that the graph
    was traced with.
    """
    found: dict[str, set[Bits]] = defaultdict(set)
    for function, name, operands, sizes in _launched(module):
        hints = size_hints(function)
        buffers = sum(1 << n for n, buffer in enumerate(operands) if _is_odd(TensorInfo.of(buffer.type)))
        symbols = sum(1 << n for n, size in enumerate(sizes) if evaluated(size_of(size), hints) % 16)
        found[name].add((buffers, symbols))
    return found


def _launched(module: ir.Module) -> Iterator[tuple[ir.OpView, str, Sequence[ir.Value], Sequence[ir.Attribute]]]:
    """The function, kernel, buffers and symbols of each launch; a group's launches are one."""
    for function in module.body.operations:
        if function.operation.name != "func.func":
            continue
        for grouped in grouped_launches(list(function.regions[0].blocks[0].operations)).values():
            yield function, grouped.name, grouped.buffers, grouped.symbols
    for function, op in _launches(module):
        if GROUP not in op.attributes:
            yield function, text(op.attributes["kernel"]), list(op.operands), list(array(op.attributes["symbols"]))


def _is_odd(info: TensorInfo) -> bool:
    return isinstance(info.offset, int) and info.offset * (item_size(info.dtype) or 4) % 16 != 0


def _launches(module: ir.Module) -> Iterator[tuple[ir.OpView, ir.OpView]]:
    for function in module.body.operations:
        if function.operation.name == "func.func":
            yield from ((function, op) for op in function.regions[0].blocks[0].operations if op.operation.name == "host.launch")
