"""`convert-host-to-llvm`: the launch sequence becomes one native function, `mlirind_run(callables, inputs) -> outputs`.

It is a Python function in C: `callables` is a tuple, `inputs` a list, which it empties. The module's attribute `host.callables` lists what
Python has to do for it, for the positions of the tuple from `OWN` on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

from torch_mlir import ir

from ...dialects.aten import Expr, Size, TensorInfo, linear_form, outputs_of, parse_expr, size_of, symbol
from ...dialects.host import CONTROL, GROUP, INTO, argument_attributes, call_into, grouped_launches
from ...dialects.narrowing import array, integer, text
from ...errors import UnsupportedGraph
from ...passes.registry import register_pass
from ...torch_internals.layout import (
    DO_COPY,
    DO_PYTHON,
    DO_SIZE,
    HEAD,
    INPUT_WORDS,
    INTEGER_OUTPUT,
    KERNEL_PREFIX,
    LEAST,
    NONE_INPUT,
    NONE_OUTPUT,
    NUMBER_INPUT,
    NUMBER_OUTPUT,
    OWN,
    TENSOR_INPUT,
    TENSOR_OUTPUT,
)
from ..launch.convert_to_host import graph_function
from ..memory.buffer_lives import taken_inputs
from .c_arguments import CArgument, Marshal
from .control_flow import ControlFlowCalls
from .declared import call_site, declared_tensors, to_lay_out
from .gpu_launches import GpuLaunches, gpu_of
from .host_function import HostFunction, coded
from .releases import input_releases
from .routes import c_call, schema_of
from .shims import Shim

CALLABLES = "host.callables"


def written_values(block: ir.Block, outputs: dict[str, int]) -> set[ir.Value]:
    """The values that calls, copies or kernels write, and the bases of those that are views. `outputs`: by kernel, how many results it
    has."""
    written: set[ir.Value] = set()
    bases: dict[ir.Value, ir.Value] = {}
    for op in block.operations:
        name = op.operation.name
        if name == "host.view":
            bases[op.results[0]] = op.operands[0]
        elif name == "host.copy" and op.operands[0] in bases:
            written.add(op.operands[0])
        elif name == "host.launch":
            written.update(list(op.operands)[-outputs[text(op.attributes["kernel"])] :])
        elif name == "host.call":
            schema = schema_of(op)
            if schema is None or any(a.writes for a in schema.arguments):
                written.update(op.operands)
    return written | {bases[v] for v in written if v in bases}


def _input_kind(type_: ir.Type) -> int:
    """The kind of an argument."""
    if isinstance(type_, ir.RankedTensorType):
        return TENSOR_INPUT
    return NONE_INPUT if isinstance(type_, ir.NoneType) else NUMBER_INPUT


class Conversion:
    """The conversion of the graph of a module."""

    def __init__(self, module: ir.Module) -> None:
        self.graph = graph_function(module)
        self.block = self.graph.regions[0].blocks[0]
        kernels = [op for op in module.body.operations if op.operation.name == "loop.func"]
        outputs = {text(op.attributes["sym_name"]): integer(op.attributes["outputs"]) for op in kernels}
        self.computes = {text(op.attributes["sym_name"]): op.attributes["computes"] for op in kernels if "computes" in op.attributes}
        self.f = self.new_function(module, written_values(self.block, outputs))
        self.given: dict[ir.Value, int] = {}  # slots of allocated values for which the caller may provide memory
        self.operands: list[int] = []
        handle = lambda number: self.f.load(self.operands[number])  # noqa: E731
        self.marshal = Marshal(self.f.emitter, self.f.sizes, handle, self.f.undefined, self.f.room)
        self.returned = {v for op in self.block.operations if op.operation.name == "func.return" for v in op.operands}
        self.callables: list[ir.Attribute] = []
        self.numbers: dict[ir.Attribute, int] = {}
        self.kernels = {text(op.attributes["sym_name"]): op for op in kernels}
        self.groups = {text(op.attributes["sym_name"]): op for op in module.body.operations if op.operation.name == "loop.group"}
        gpu = gpu_of(kernels)
        self.gpu = GpuLaunches(self.f, gpu, self._callable) if gpu else None
        self.control = ControlFlowCalls(self.f)

    def new_function(self, module: ir.Module, written: set[ir.Value]) -> HostFunction:
        """The native function, without code."""
        return HostFunction(module, self.block.arguments, written)

    def run(self) -> ir.ArrayAttr:
        """Writes the function; returns what Python has to do for it."""
        operations = list(self.block.operations)
        groups = grouped_launches(operations)
        self.early = self.releases()
        self.taken = dict.fromkeys(taken_inputs(operations))
        self.read_inputs()
        self._bind_inputs()
        for index, op in enumerate(operations):
            self.f.room.reset()
            if index in groups and self.gpu:
                self.gpu.launch(self.groups[groups[index].name], groups[index].buffers, groups[index].symbols)
            elif GROUP not in op.attributes:
                self._EMITTERS[op.operation.name](self, op)
            for argument in (a for a in self.early.get(index, ()) if a not in self.taken):
                self.f.drop(argument)
        self.f.write_exits()
        return ir.ArrayAttr.get(self.callables)

    # Inputs.

    def releases(self) -> dict[int, list[ir.BlockArgument]]:
        """The inputs that the call releases before it ends, by the number of the last operation that uses them."""
        return input_releases(self.graph)

    def read_inputs(self) -> None:
        """Emits the start of the function: the frame gets the inputs."""
        f, emitter = self.f, self.f.emitter
        kinds = [_input_kind(a.type) for a in f.arguments]
        self._leave_to_profiler()
        emitter.store(f.callables, f.frame_address(1))
        operands = [f.frame.base, f.input_list, emitter.integer(len(kinds)), emitter.numbers(kinds or [0])]
        # Nothing is held yet, and this thread has the GIL: no cleaning up.
        failed = self._block_that_returns(lambda: emitter.null)
        emitter.exit_if(emitter.differs(emitter.call("mlirind_host_unwrap", "pplp:i", operands)), failed)
        self._take_early(failed)
        emitter.store(emitter.call("PyEval_SaveThread", ":p", []), f.frame.base)
        self.enter_device()

    def enter_device(self) -> None:
        """Makes the GPU of the kernels the current device until the call ends."""
        if self.gpu:
            self.f.leave = self.gpu.leave
            self.gpu.enter()

    def _bind_inputs(self) -> None:
        f = self.f
        self._bind_symbols()
        read = self._read_by_kernels()
        for number, argument in enumerate(f.arguments):
            if argument in read:
                f.slots.append(self._word(number) + 1)
                f.held.setdefault(argument, []).append(self._word(number) + 1)
                f.lay_out(argument, self._word(number) + 1)

    @staticmethod
    def _word(number: int) -> int:
        """The first word of an input in the frame."""
        return HEAD + INPUT_WORDS * number

    def _block_that_returns(self, value: Callable[[], ir.Value]) -> ir.Block:
        emitter = self.f.emitter
        block, after = emitter.new_block(), emitter.ip
        emitter.enter(block)
        emitter.return_(value())
        emitter.ip = after
        return block

    def _leave_to_profiler(self) -> None:
        f, emitter = self.f, self.f.emitter
        answer = self._block_that_returns(lambda: f.load(0))
        emitter.exit_if(emitter.call("mlirind_host_profiled", "ppp:b", [f.callables, f.input_list, f.frame.base]), answer)

    def _take_early(self, failed: ir.Block) -> None:
        """Takes ownership of inputs that die before the call ends; those whose memory is reused must have no other reference."""
        f, emitter = self.f, self.f.emitter
        taken = [a.arg_number for arguments in self.early.values() for a in arguments]
        for number in taken:
            f.hold(f.arguments[number], self._word(number))
        written = [a.arg_number for a in self.taken]
        assert set(written) <= set(taken), "the memory of an input that stays in the list is taken"
        if written:
            operands = [f.frame.base, f.callables, f.input_list, emitter.numbers([len(written), *written])]
            emitter.exit_if(emitter.differs(emitter.call("mlirind_host_own", "pppp:i", operands)), failed)
        if taken:
            emitter.call_procedure("mlirind_host_take", "ppp:", [f.frame.base, f.input_list, emitter.numbers([len(taken), *taken])])

    def _read_by_kernels(self) -> set[ir.Value]:
        """The arguments whose memory kernels read, directly or through views."""
        bases: dict[ir.Value, ir.Value] = {}
        read: set[ir.Value] = set()
        for op in self.block.operations:
            if op.operation.name == "host.view":
                bases[op.results[0]] = bases.get(op.operands[0], op.operands[0])
            elif op.operation.name == "host.launch":
                read.update(bases.get(v, v) for v in op.operands)
        return read

    def _bind_symbols(self) -> None:
        f = self.f
        words: dict[str, int] = {}
        for number, (argument, attributes) in enumerate(zip(f.arguments, argument_attributes(self.graph), strict=True)):
            f.handles[argument] = self._word(number)
            if "aten.symbol" in attributes:
                words[text(attributes["aten.symbol"])] = self._word(number)
        for argument, is_stride, d, size in _sizes_of(f.arguments):
            if not isinstance(size, int) and size.is_Symbol and size.name not in words:
                words[size.name] = f.reserve()
                f.step(DO_SIZE, words[size.name], f.handles[argument], d, is_stride)
        derived: dict[str, tuple[int, int, int]] = {}  # symbol: the word of a size, which is factor * symbol + summand
        for argument, is_stride, d, size in _sizes_of(f.arguments):
            if isinstance(size, int) or is_stride or {s.name for s in size.free_symbols} <= {*words, *derived}:
                continue
            name, factor, summand = linear_form(size)
            if factor > 0:
                derived[name] = f.reserve(), factor, summand
                f.step(DO_SIZE, derived[name][0], f.handles[argument], d, is_stride)
        f.flush()
        for name, word in words.items():
            f.size_words[symbol(name)] = word
            f.sizes.symbols[name] = f.load(word, f.emitter.i64)
        for name, (word, factor, summand) in derived.items():
            solved = ir.AffineExpr.get_floor_div(ir.AffineExpr.get_add(ir.AffineExpr.get_symbol(0), -summand), factor)
            f.sizes.symbols[name] = f.sizes.affine(solved, [f.load(word, f.emitter.i64)])

    # Operations.

    def _host_alloc(self, op: ir.OpView) -> None:
        self.f.allocate(op.results[0], self.given.get(op.results[0]))

    def _host_reuse(self, op: ir.OpView) -> None:
        self.f.reuse(op.results[0], op.operands[0])

    def _host_view(self, op: ir.OpView) -> None:
        self.f.view(op.results[0], op.operands[0])

    def _host_free(self, op: ir.OpView) -> None:
        self.f.drop(op.operands[0])

    def _host_copy(self, op: ir.OpView) -> None:
        target, source = (self.f.handle(v) for v in op.operands)
        self.f.step(DO_COPY, target, source)

    def _host_launch(self, op: ir.OpView) -> None:
        f, emitter = self.f, self.f.emitter
        kernel = text(op.attributes["kernel"])
        if self.gpu and "device" in self.kernels[kernel].attributes:
            self.gpu.launch(self.kernels[kernel], list(op.operands), list(array(op.attributes["symbols"])))
            return
        for buffer in op.operands:
            f.address(buffer)
        f.flush()
        operands = [f.pointer(b) for b in op.operands]
        symbols = [f.sizes.value(size_of(s)) for s in array(op.attributes["symbols"])]
        status = emitter.call(KERNEL_PREFIX + kernel, "p" * len(operands) + "l" * len(symbols) + ":i", [*operands, *symbols])
        names = self.computes.get(kernel, ir.ArrayAttr.get([ir.StringAttr.get(kernel)]))
        number = self._callable({"kernel": ir.StringAttr.get(kernel), "computes": names})
        f.check_kernel(status, number)

    def _host_call(self, op: ir.OpView) -> None:
        f = self.f
        self.operands = [f.laid_out(v) if other else f.handle(v) for v, other in zip(op.operands, to_lay_out(op), strict=True)]
        shim = None if CONTROL in op.attributes else c_call(op)
        symbols = sorted(_symbols_in(op.attributes["arguments"]))
        integers = [n for n, r in enumerate(op.results) if isinstance(r.type, ir.IndexType)]
        if any(list(op.results[n].uses) for n in integers):
            raise UnsupportedGraph(f"an integer that {text(op.attributes['target'])} gives is used")
        into = call_into(op)
        number = self._callable({
            **({"repeats": ir.UnitAttr.get()} if shim or CONTROL in op.attributes else {}),
            **({"integers": ir.DenseI64ArrayAttr.get(integers)} if integers else {}),
            **{name: op.attributes[name] for name in ("target", "arguments", INTO) if name in op.attributes},
            "place": ir.StringAttr.get(call_site(op)),
            "results": ir.IntegerAttr.get(f.emitter.i64, len(op.results)),
            "symbols": ir.ArrayAttr.get([ir.StringAttr.get(s) for s in symbols]),
        })  # fmt: skip
        if shim and shim[0].out and into is None:
            f.allocate(op.results[0])
            slots = [f.handles[op.results[0]]]
        else:
            slots = [f.reserve() if n in integers else f.slot(r) for n, r in enumerate(op.results)]
        sizes = f.numbers([self._symbol(s) for s in symbols])
        first = slots[0] if slots else 0
        python = [number, len(self.operands), len(sizes), len(slots), first, *self.operands, *sizes]
        if CONTROL in op.attributes:
            self.control.emit(op, slots, python)
        elif shim is None:
            f.step(DO_PYTHON, *python)
        else:
            f.flush()
            shows = not shim[0].out and any(r in self.returned for r in op.results)
            status = self._call_shim(*shim, slots if into is None else [self.operands[into]], shows)
            step = f.emitter.numbers(coded(DO_PYTHON, python))
            f.check(f.emitter.call("mlirind_host_settle", "pip:i", [f.frame.base, status, step]))
        for result, slot in zip(op.results, slots, strict=True):
            f.take_over(result, slot)
        self._compare(op)

    def _compare(self, op: ir.OpView) -> None:
        """Compares the results and writes of a call with its declaration."""
        declared = declared_tensors(op, self.f.sizes.symbols)
        if not declared:
            return
        strings = [[ir.StringAttr.get(text) for text in (d.name, d.info.dtype, d.info.device)] for d in declared]
        number = self._callable({
            "refuses": op.attributes["target"],
            "place": ir.StringAttr.get(call_site(op)),
            "tensors": ir.ArrayAttr.get([ir.ArrayAttr.get(s) for s in strings]),
        })  # fmt: skip
        for n, tensor in enumerate(declared):
            self.f.compare(self.f.handles[tensor.value], tensor.info, tensor.strides, number, n)

    def _call_shim(self, shim: Shim, planned: list[CArgument], slots: list[int], shows: bool) -> ir.Value:
        """Calls a C function; returns its status. `shows`: the caller gets the result, which must not count as a view."""
        f = self.f
        given = [("p", f.load(slots[0]))] if shim.out else []
        arguments = [self.marshal.emit(a) for a in planned]
        results = [] if shim.out else [("p", f.frame_address(slot)) for slot in slots]
        letters, operands = zip(*given, *arguments, *results, strict=True)
        before = f.emitter.call("mlirind_host_hide_views", "i:i", [f.emitter.integer(1, f.emitter.i32)]) if shows else None
        status = f.emitter.call(shim.name, "".join(letters) + ":i", operands)
        if before is not None:
            f.emitter.call("mlirind_host_hide_views", "i:i", [before])
        return status

    def _aten_sym_value(self, op: ir.OpView) -> None:
        word = self.f.number(size_of(op.attributes["expr"])) - LEAST
        self.f.handles[op.results[0]] = word

    def _func_return(self, op: ir.OpView) -> None:
        self.return_outputs(op)

    def return_outputs(self, op: ir.OpView) -> None:
        """Emits the end of the function."""
        f, emitter = self.f, self.f.emitter
        outputs = [self._output(o) for o in outputs_of(self.graph, op.operands)]
        f.flush()
        given = emitter.numbers([number for output in outputs for number in output] or [0])
        operands = [f.frame.base, f.input_list, given, emitter.integer(len(outputs)), *f.owned()]
        f.leave()
        emitter.return_(emitter.call("mlirind_host_finish", "pppl" + "pl:p", operands))

    def _output(self, output: ir.Value | Size | None) -> tuple[int, int]:
        """The kind of an output, and its word or number."""
        if output is None:
            return NONE_OUTPUT, 0
        if isinstance(output, ir.Value):
            return TENSOR_OUTPUT if isinstance(output.type, ir.RankedTensorType) else INTEGER_OUTPUT, self.f.handle(output)
        return (NUMBER_OUTPUT, output) if isinstance(output, int) else (INTEGER_OUTPUT, self.f.number(output) - LEAST)

    # Callables.

    def _callable(self, entry: dict[str, ir.Attribute]) -> int:
        attribute = ir.DictAttr.get(entry)
        number = self.numbers.get(attribute)
        if number is None:
            number = self.numbers[attribute] = OWN + len(self.callables)
            self.callables.append(attribute)
        return number

    def _symbol(self, name: str) -> Size:
        if name not in self.f.sizes.symbols:
            raise UnsupportedGraph(f"no input gives the value of {name}")
        return symbol(name)

    _EMITTERS: ClassVar[dict[str, Callable[[Conversion, ir.OpView], None]]] = {
        "host.alloc": _host_alloc, "host.reuse": _host_reuse, "host.view": _host_view, "host.free": _host_free, "host.copy": _host_copy,
        "host.launch": _host_launch, "host.call": _host_call, "aten.sym_value": _aten_sym_value, "func.return": _func_return,
    }  # fmt: skip


def _sizes_of(arguments: Sequence[ir.Value]) -> Iterator[tuple[ir.Value, int, int, Size]]:
    """(tensor, 1 for a stride, dimension, value) for all sizes and strides of inputs."""
    for argument in (a for a in arguments if isinstance(a.type, ir.RankedTensorType)):
        info = TensorInfo.of(argument.type)
        for is_stride, sizes in ((0, info.sizes), (1, info.strides)):
            yield from ((argument, is_stride, d, size) for d, size in enumerate(sizes))


def _symbols_in(attribute: ir.Attribute) -> set[str]:
    if isinstance(attribute, ir.ArrayAttr):
        return {s for a in attribute for s in _symbols_in(a)}
    return {s.name for s in parse_expr(attribute.text.maybe_downcast().value).free_symbols} if isinstance(attribute, Expr) else set()


def convert_host_to_llvm(module: ir.Module) -> None:
    """Replaces the function `@graph` by the native one."""
    conversion = Conversion(module)
    module.operation.attributes[CALLABLES] = conversion.run()
    conversion.graph.operation.erase()


register_pass("convert-host-to-llvm", convert_host_to_llvm)
