"""The callable of a graph: its `host` sequence as one straight-line Python function.

The function takes a list of inputs, which it empties, and returns a list of outputs. It launches kernels at native addresses through
ctypes. A value that only kernels read stays a pointer and never becomes a tensor object.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import ClassVar

import torch
from torch_mlir import ir

from ...dialects.aten import Size, TensorInfo, linear_form, outputs_of, size_of, symbols_of
from ...dialects.dtypes import TABLE
from ...dialects.host import GROUP, GroupedLaunches, argument_attributes, grouped_launches
from ...dialects.locations import module_names
from ...dialects.narrowing import array, integer, text, texts
from ...errors import UnsupportedGraph
from ...lowering.host.convert_host_to_llvm import written_values
from ...lowering.host.declared import call_site, declared_tensors, to_lay_out
from ...lowering.memory.buffer_lives import last_uses, taken_inputs
from ...runner import Runner
from ..cuda.launching.driver import Device
from ..failures import launch_failed
from ..kernel_debug import KernelDebug
from ..kernel_functions import device_number, device_of, gpu_kernels, kernel_functions
from ..launch_watcher import LaunchWatcher
from .declared_results import assignment, comparison_source
from .operator_calls import Constants, call_source
from .profiler_ranges import END, LAUNCH, STEP, profiled_source, with_ranges
from .runner_names import NAMESPACE
from .size_source import size_source, tuple_source

log = logging.getLogger(__name__)

Launcher = Callable[..., int]


def make_runner(
    module: ir.Module,
    launchers: Mapping[str, Launcher],
    name: str = "graph",
    gpu: Device | None = None,
    debug: Collection[str] = (),
    seconds: dict[int, float] | None = None,
    watcher: LaunchWatcher | None = None,
) -> Runner:
    """The callable of the module's function `@graph`. `gpu` launches its kernels on CUDA devices; `debug`: what to do around each kernel
    and call; `seconds` takes the time of each step: see `KernelDebug`; `watcher` sees their tensors. While a
    profiler runs, ranges show the graph and its kernels."""
    constants = Constants()
    debugged = KernelDebug(debug, name, seconds) if debug or seconds is not None else None
    source = _Source(module, constants, launchers, gpu, debugged, watcher).text()
    plain = _define(source, constants, name)
    return with_ranges(plain, lambda: _define(profiled_source(source), constants, name), name)


def _define(source: str, constants: Constants, name: str) -> Runner:
    log.debug("code of %s:\n%s", name, source)
    namespace = dict(constants.namespace)
    exec(compile(source, f"<mlirind {name}>", "exec"), namespace)
    run: Runner = namespace["run"]
    return run


_STEPS = ("host.launch", "host.call", "host.copy")


class _View:
    """A view that is not a tensor object yet, `offset` elements after the first element of `base`."""

    def __init__(self, base: ir.Value, info: TensorInfo, offset: Size) -> None:
        self.base, self.info, self.offset = base, info, offset


class _Source:
    """Writes the code. A value has up to three names: `t` its tensor, `k` the tensor in the strides that kernels were compiled for, `p` a
    pointer to its first element."""

    def __init__(
        self,
        module: ir.Module,
        constants: Constants,
        launchers: Mapping[str, Launcher],
        gpu: Device | None = None,
        debug: KernelDebug | None = None,
        watcher: LaunchWatcher | None = None,
    ) -> None:
        function = next(o for o in module.body.operations if o.operation.name == "func.func" and text(o.attributes["sym_name"]) == "graph")
        self.block = function.regions[0].blocks[0]
        self.arguments = list(self.block.arguments)
        self.symbols = [text(a["aten.symbol"]) if "aten.symbol" in a else None for a in argument_attributes(function)]
        self.function = function
        self.constants, self.launchers = constants, launchers
        constants.namespace.update(NAMESPACE)
        self.debugged = debug is not None
        self.watcher = watcher
        if watcher is not None:
            constants.namespace.update(_begin=watcher.begin, _end=watcher.end)
        self.step = 0  # the number of the next kernel, call or copy
        if debug is not None:
            constants.namespace.update(_before=debug.before, _after=debug.after)
        self.computes = {
            text(o.attributes["sym_name"]): tuple(texts(o.attributes["computes"]))
            for o in module.body.operations
            if o.operation.name == "loop.func" and "computes" in o.attributes
        }
        self.lines: list[str] = []
        self.names: dict[tuple[str, ir.Value], str] = {}
        self.views: dict[ir.Value, _View] = {}
        kernels = [o for o in module.body.operations if o.operation.name == "loop.func"]
        self.results = {text(o.attributes["sym_name"]): integer(o.attributes["outputs"]) for o in kernels}
        self.written = written_values(self.block, self.results)
        launched = kernel_functions(module, "cuda") | gpu_kernels(module)
        self.gpus = {name: device_number(device_of(op)) for name, op in launched.items()}
        if self.gpus:
            assert gpu is not None
            constants.namespace.update(gpu.namespace())
            constants.namespace["_launch_failed"] = functools.partial(launch_failed, gpu)
        self.origins: dict[ir.Value, ir.Value] = {}  # the value that first used the memory of a value
        self.own: set[ir.Value] = set()  # allocated here, with the layouts of their types
        self.count = 0

    def text(self) -> str:
        operations = list(self.block.operations)
        self._enter_devices()
        self._bind_inputs()
        releases, groups = self._input_releases(operations), grouped_launches(operations)
        for index, op in enumerate(operations):
            in_group = GROUP in op.attributes and index not in groups
            modules = ", ".join(module_names(op.location)) if op.operation.name in _STEPS and not in_group else ""
            if modules:
                self.lines.append(STEP + modules)
            if index in groups:
                self._launch_group(groups[index])
            elif not in_group:
                self._WRITERS[op.operation.name](self, op)
            if modules:
                self.lines.append(END)
            for argument in releases.get(index, ()):
                self._forget([argument])
        return "def run(inputs):\n" + "\n".join(self.lines)

    def _enter_devices(self) -> None:
        """If all kernels are on one GPU, makes it PyTorch's current device while the graph runs."""
        devices = set(self.gpus.values())
        if len(devices) == 1:
            (device,) = devices
            self.line(f"if _device() != {device}:")
            self.line(f"    with _on({device}): return run(inputs)")
        for device in sorted(devices):
            self.line(f"stream_{device} = _stream({device})")

    def line(self, text: str) -> None:
        self.lines.append("    " + text)

    def _new(self, kind: str, value: ir.Value) -> str:
        name = self.names[kind, value] = f"{kind}{self.count}"
        self.count += 1
        return name

    # Inputs.
    def _bind_inputs(self) -> None:
        self.line("_refuse_fake(inputs)")
        names = []
        for argument, symbol in zip(self.arguments, self.symbols, strict=True):
            names.append(symbol if symbol else self._new("t", argument))
        if names:
            self.line(f"{', '.join(names)}{',' if len(names) == 1 else ''} = inputs")
        self.line("inputs.clear()")
        known = {s for s in self.symbols if s}
        tensors = [(self.names["t", a], TensorInfo.of(a.type)) for a in self.arguments if isinstance(a.type, ir.RankedTensorType)]
        for name, info in tensors:
            for method, sizes in (("size", info.sizes), ("stride", info.strides)):
                self._bind_symbols(name, method, sizes, known)
        for name, info in tensors:
            self._solve_symbols(name, info.sizes, known)
        self.known_symbols = known
        for name in [self.names["t", a] for a in taken_inputs(list(self.block.operations))]:
            self.line(f"{name} = {name}.clone()")  # others may hold it too

    def _bind_symbols(self, name: str, method: str, sizes: Sequence[Size], known: set[str]) -> None:
        for d, size in enumerate(sizes):
            if not isinstance(size, int) and size.is_Symbol and size.name not in known:
                known.add(size.name)
                self.line(f"{size.name} = {name}.{method}({d})")

    def _solve_symbols(self, name: str, sizes: Sequence[Size], known: set[str]) -> None:
        """Binds symbols of which inputs have only multiples plus a number."""
        for d, size in enumerate(sizes):
            symbol, factor, summand = linear_form(size)
            if factor and symbol not in known:
                known.add(symbol)
                self.line(f"{symbol} = ({name}.size({d}) - {summand}) // {factor}")

    def _input_releases(self, operations: Sequence[ir.OpView]) -> dict[int, list[ir.Value]]:
        """The inputs that can be dropped after each operation: no later operation uses them or a view of them."""
        last, taken = last_uses(operations), taken_inputs(operations)
        releases: dict[int, list[ir.Value]] = {}
        for argument, symbol in zip(self.arguments, self.symbols, strict=True):
            if argument in last and argument not in taken and not symbol and last[argument] < len(operations) - 1:
                releases.setdefault(last[argument], []).append(argument)
        return releases

    # Values.
    def _size(self, size: Size) -> str:
        for s in symbols_of([size]):
            if s.name not in self.known_symbols:
                raise UnsupportedGraph(f"no input gives the value of {s.name}")
        return size_source(size)

    def _tuple(self, sizes: Sequence[Size]) -> str:
        for size in sizes:
            self._size(size)
        return tuple_source(sizes)

    def tensor(self, value: ir.Value) -> str:
        """The name of the tensor object of `value`. Creates the object of a view."""
        name = self.names.get(("t", value))
        if name is None:
            view = self.views[value]
            base = self.laid_out(view.base)
            name = self._new("t", value)
            arguments = [base, self._tuple(view.info.sizes), self._tuple(view.info.strides), self._size(view.offset)]
            self.line(f"{name} = _view({', '.join(arguments)})")
        return name

    def laid_out(self, value: ir.Value) -> str:
        """The name of a tensor with the strides that the graph was compiled for."""
        info = TensorInfo.of(value.type)
        if value in self.own or all(s == 1 for s in info.sizes):
            return self.tensor(value)
        name = self.names.get(("k", value))
        if name is None:
            tensor, strides = self.tensor(value), self._tuple(info.strides)
            name = self._new("k", value)
            function = "_refuse_restride" if value in self.written else "_restride"
            self.line(f"{name} = {tensor} if {tensor}.stride() == {strides} else {function}({tensor}, {strides})")
        return name

    def pointer(self, value: ir.Value) -> str:
        """Source of the address of the first element of `value`."""
        view = self.views.get(value)
        if view is not None and ("t", value) not in self.names:
            offset = view.offset * TABLE[TensorInfo.of(value.type).dtype].bytes
            base = self.pointer(view.base)
            return base if offset == 0 else f"{base} + {self._size(offset)}"
        name = self.names.get(("p", value))
        if name is None:
            tensor = self.laid_out(value) if view is None else self.tensor(value)
            name = self._new("p", value)
            self.line(f"{name} = {tensor}.data_ptr()")
        return name

    def _forget(self, values: Sequence[ir.Value]) -> None:
        origins = [self.origins.get(v, v) for v in values]
        views = [v for v, view in self.views.items() if view.base in origins]
        self._delete([self.names.pop((kind, v)) for v in [*values, *origins, *views] for kind in "tk" if (kind, v) in self.names])

    def _delete(self, names: Sequence[str]) -> None:
        if names:
            self.line(f"del {', '.join(dict.fromkeys(names))}")

    # Operations.
    def _host_alloc(self, op: ir.OpView) -> None:
        buffer = op.results[0]
        info = TensorInfo.of(buffer.type)
        self.own.add(buffer)
        name = self._new("t", buffer)
        sizes, strides, dtype = self._tuple(info.sizes), self._tuple(info.strides), self.constants.name(getattr(torch, info.dtype))
        if info.device == "cpu":
            self.line(f"{name} = _empty_cpu({sizes}, {strides}, {dtype})")
        elif {info.device} == {f"cuda:{number}" for number in self.gpus.values()}:
            self.line(f"{name} = _empty_cuda({sizes}, {strides}, {dtype})")
        else:
            device = self.constants.name(torch.device(info.device))
            self.line(f"{name} = _empty({sizes}, {strides}, dtype={dtype}, device={device})")

    def _host_reuse(self, op: ir.OpView) -> None:
        """The buffer is the earlier tensor, under the same name, or a view of it; older views that became tensors are dropped."""
        donor, buffer = op.operands[0], op.results[0]
        origin = self.origins[buffer] = self.origins.get(donor, donor)
        self._delete([self.names.pop(("t", v)) for v, view in self.views.items() if view.base == origin and ("t", v) in self.names])
        if buffer.type == origin.type:
            self.names["t", buffer] = self.laid_out(origin)
            self.own.add(buffer)
        else:
            self.views[buffer] = _View(origin, TensorInfo.of(buffer.type), 0)

    def _host_view(self, op: ir.OpView) -> None:
        base, result = op.operands[0], op.results[0]
        base = base if base in self.views else self.origins.get(base, base)
        info, base_info = TensorInfo.of(result.type), TensorInfo.of(base.type)
        outer = self.views.get(base)
        offset = info.offset - base_info.offset
        if outer is not None:
            base, offset = outer.base, offset + outer.offset
        self.views[result] = _View(base, info, offset)

    def _host_launch(self, op: ir.OpView) -> None:
        kernel = text(op.attributes["kernel"])
        pointers = [self.pointer(b) for b in op.operands]
        symbols = [self._size(size_of(s)) for s in array(op.attributes["symbols"])]
        launcher = self.constants.name(self.launchers[kernel], "kernel")
        computes = self.computes.get(kernel, (kernel,))
        first = len(op.operands) - self.results[kernel]
        self._debug_before(list(op.operands)[:first])
        watched = self._watched_tensors(op)
        if watched:
            self.line(f"_begin({self.step}, {watched}, [{', '.join(symbols)}])")
        if self.watcher is not None and self.watcher.replaces:
            pass  # `_begin` has run it
        elif kernel in self.gpus:
            self._launch_on_gpu(kernel, launcher, pointers + symbols)
        else:
            self.lines.append(f"{LAUNCH}{launcher}({', '.join(pointers + symbols)})  # {kernel}")
            self.line(f"if status: _fail(status, {kernel!r}, {self.constants.name(computes)})")
        if watched:
            self.line(f"_end({self.step}, {watched})")
        self._debug_after(f"kernel {kernel}", computes, list(op.operands)[first:])

    def _launch_group(self, grouped: GroupedLaunches) -> None:
        """Launches that are one."""
        arguments = [self.pointer(b) for b in grouped.buffers] + [self._size(size_of(s)) for s in grouped.symbols]
        self._launch_on_gpu(grouped.name, self.constants.name(self.launchers[grouped.name], "kernel"), arguments)

    def _watched_tensors(self, op: ir.OpView) -> str:
        """The list of an operation's tensors, as kernels see them; empty without a watcher."""
        if self.watcher is None:
            return ""
        self.watcher.note(self.step, op)
        return f"[{', '.join(self.tensor(v) if v in self.views else self.laid_out(v) for v in op.operands)}]"

    def _debug_before(self, values: Sequence[ir.Value]) -> None:
        if self.debugged:
            self.line(f"begun = _before([{', '.join(self._seen(values))}])")

    def _debug_after(self, what: str, computes: Sequence[str], values: Sequence[ir.Value]) -> None:
        if self.debugged:
            self.line(f"_after({self.step}, {what!r}, {tuple(computes)!r}, begun, [{', '.join(self._seen(values))}])")
        self.step += 1

    def _seen(self, values: Sequence[ir.Value]) -> list[str]:
        """The names of the tensors among values. Memory that is reused for another dtype has none."""
        tensors = [v for v in values if isinstance(v.type, ir.RankedTensorType)]
        bases = [self.views[v].base if v in self.views else v for v in tensors]
        return [self.tensor(v) for v, b in zip(tensors, bases, strict=True) if TensorInfo.of(v.type).dtype == TensorInfo.of(b.type).dtype]

    def _launch_on_gpu(self, kernel: str, launcher: str, arguments: list[str]) -> None:
        device = self.gpus[kernel]
        call = f"{launcher}({', '.join([f'stream_{device}', *arguments])})"
        if len(set(self.gpus.values())) == 1:
            self.lines.append(f"{LAUNCH}{call}  # {kernel}")
        else:
            self.line(f"with _on({device}): status = {call}")
        self.line(f"if status: _launch_failed(status, {kernel!r})")

    def _host_call(self, op: ir.OpView) -> None:
        operands = [self.laid_out(v) if other else self.tensor(v) for v, other in zip(op.operands, to_lay_out(op), strict=True)]
        source = call_source(op.attributes, operands, self.constants)
        self._debug_before(list(op.operands))
        names = [self._new("t", r) for r in op.results]
        for line in assignment(op.attributes, call_site(op), names, source):
            self.line(line)
        for declared in declared_tensors(op, self.known_symbols):
            self.line(comparison_source(op, declared, self.tensor(declared.value)))
        if self.watcher is not None:
            self.watcher.note(self.step, op)
            self.line(f"_end({self.step}, [{', '.join(self.tensor(r) for r in op.results if isinstance(r.type, ir.RankedTensorType))}])")
        self._debug_after("a call of ATen", (text(op.attributes["target"]),), list(op.results))

    def _host_copy(self, op: ir.OpView) -> None:
        target, source = (self.tensor(t) for t in op.operands)
        self._debug_before([op.operands[1]])
        self.line(f"{target}.copy_({source})")
        self._debug_after("a copy", ("copy_",), [op.operands[0]])

    def _host_free(self, op: ir.OpView) -> None:
        self._forget([op.operands[0]])

    def _aten_sym_value(self, op: ir.OpView) -> None:
        name = self._new("s", op.results[0])
        self.names["t", op.results[0]] = name
        self.line(f"{name} = {self._size(size_of(op.attributes['expr']))}")

    def _func_return(self, op: ir.OpView) -> None:
        symbols: dict[ir.Value, str | None] = dict(zip(self.arguments, self.symbols, strict=True))
        names = {v: symbols.get(v) or self.tensor(v) for v in op.operands}
        outputs = outputs_of(self.function, op.operands)
        sources = [names[o] if isinstance(o, ir.Value) else "None" if o is None else self._size(o) for o in outputs]
        self.line(f"return [{', '.join(sources)}]")

    _WRITERS: ClassVar[dict[str, Callable[[_Source, ir.OpView], None]]] = {
        "host.alloc": _host_alloc, "host.reuse": _host_reuse, "host.view": _host_view, "host.free": _host_free, "host.copy": _host_copy,
        "host.launch": _host_launch, "host.call": _host_call, "aten.sym_value": _aten_sym_value, "func.return": _func_return,
    }  # fmt: skip
