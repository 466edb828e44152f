"""`convert-host-to-llvm`: the launch sequence becomes one native function, `mlirind_run(callables, inputs) -> outputs`.

It is a Python function in C: `callables` is a tuple, `inputs` a list, which it empties. What Python has to do for it is listed in the
module's attribute `host.callables`, for the places of the tuple from `OWN` on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from torch_mlir import ir

from ...dialects import aten_ops, aten_registry
from ...dialects.aten import Expr, NoneValue, Operand, Size, TensorInfo, parse_expr, size_of
from ...dialects.aten_schema import Schema
from ...errors import UnsupportedGraph
from ...passes.registry import register_pass
from ..convert_to_host import graph_function
from .c_arguments import Marshal, NoCForm, plan
from .host_function import COPY, INTEGER, LAID_OUT, OWN, PLAIN, HostFunction
from .releases import input_releases
from .shims import Shim, find_shim

CALLABLES = "host.callables"
KERNEL_PREFIX = "kernel."  # before the names of kernels, which are other symbols of the module
FLOATS = {"float16", "bfloat16", "float32", "float64"}
TENSOR_OUTPUT, INTEGER_OUTPUT = range(2)


def schema_of(op: ir.OpView) -> Schema | None:
    """What is known of the operator that a `host.call` calls."""
    return aten_registry.schema(aten_ops.op_name(op.attributes["target"].value))


def written_values(block: ir.Block, outputs: dict[str, int]) -> set[ir.Value]:
    """What operator calls may write to, what kernels give as results, and what any of it is a view of; `outputs`: how many each kernel
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
            written.update(list(op.operands)[-outputs[op.attributes["kernel"].value] :])
        elif name == "host.call":
            schema = schema_of(op)
            if schema is None or any(a.writes for a in schema.arguments):
                written.update(op.operands)
    return written | {bases[v] for v in written if v in bases}


class _Conversion:
    def __init__(self, module: ir.Module) -> None:
        self.graph = graph_function(module)
        self.block = self.graph.regions[0].blocks[0]
        kernels = [op for op in module.body.operations if op.operation.name == "loop.func"]
        outputs = {op.attributes["sym_name"].value: op.attributes["outputs"].value for op in kernels}
        self.computes = {op.attributes["sym_name"].value: op.attributes["computes"] for op in kernels if "computes" in op.attributes}
        self.f = HostFunction(module, self.block.arguments, written_values(self.block, outputs))
        self.marshal = Marshal(self.f.emitter, self.f.sizes, lambda number: self.operands[number], self.f.room)
        self.operands: list[ir.Value] = []
        self.callables: list[ir.Attribute] = []
        self.numbers: dict[ir.Attribute, int] = {}

    def run(self) -> ir.ArrayAttr:
        """Writes the function; gives what Python has to do for it."""
        operations = list(self.block.operations)
        self.early = input_releases(operations, self.f.arguments)
        self._read_inputs()
        for index, op in enumerate(operations):
            self.f.room.reset()
            getattr(self, "_" + op.operation.name.replace(".", "_"))(op)
            for argument in self.early.get(index, ()):
                self.f.drop(argument)
        self.f.write_exits()
        return ir.ArrayAttr.get(self.callables)

    # Inputs.

    def _read_inputs(self) -> None:
        f, emitter = self.f, self.f.emitter
        count, rows = emitter.integer(len(f.arguments)), emitter.numbers(list(self._rows()))
        self._leave_to_profiler()
        self._store_frame()
        status = emitter.call("mlirind_host_unwrap", "plpp:i", [f.list, count, rows, f.inputs])
        # Nothing is held yet, and the GIL is: no cleaning up.
        failed = emitter.new_block()
        emitter.exit_if(emitter.differs(status), failed)
        after = emitter.ip
        emitter.enter(failed)
        emitter.return_(emitter.null)
        emitter.ip = after
        for argument in [a for arguments in self.early.values() for a in arguments]:
            number = f.arguments.index(argument)
            slot = f.slot(argument)
            emitter.call("mlirind_host_take", "plpp:", [f.list, emitter.integer(number), f.inputs, slot])
        emitter.store(emitter.call("PyEval_SaveThread", ":p", []), f.frame)
        f.check(emitter.call("mlirind_host_layouts", "plpppp:i", [f.frame, count, rows, f.inputs, f.slots.base, f.places]))
        self._bind_inputs()

    def _leave_to_profiler(self) -> None:
        f, emitter = self.f, self.f.emitter
        runs = emitter.call("mlirind_host_profiled", "ppp:b", [f.self_, f.list, f.place])
        profiled = emitter.new_block()
        emitter.exit_if(runs, profiled)
        after = emitter.ip
        emitter.enter(profiled)
        emitter.return_(emitter.load(f.place, emitter.ptr))
        emitter.ip = after

    def _store_frame(self) -> None:
        self.f.emitter.store(self.f.self_, self.f.emitter.at(self.f.frame, 1))

    def _rows(self) -> Iterator[int]:
        """The table of inputs: kind, callable, rank, strides."""
        read = self._read_by_kernels()
        for argument in self.f.arguments:
            if not isinstance(argument.type, ir.RankedTensorType):
                yield from (INTEGER, 0, 0)
                continue
            strides = TensorInfo.of(argument.type).strides
            if argument in read and all(isinstance(s, int) for s in strides):
                yield from (LAID_OUT, self.f.restrides(argument), len(strides), *strides)
            else:
                yield from (PLAIN, 0, 0)

    def _read_by_kernels(self) -> set[ir.Value]:
        """The arguments whose memory kernels read, themselves or through views."""
        bases: dict[ir.Value, ir.Value] = {}
        read: set[ir.Value] = set()
        for op in self.block.operations:
            if op.operation.name == "host.view":
                bases[op.results[0]] = bases.get(op.operands[0], op.operands[0])
            elif op.operation.name == "host.launch":
                read.update(bases.get(v, v) for v in op.operands)
        return read

    def _bind_inputs(self) -> None:
        f, emitter = self.f, self.f.emitter
        symbols = [a["aten.symbol"].value if "aten.symbol" in a else None for a in argument_attributes(self.graph)]
        rows, rows_at = list(self._rows()), 0
        for number, (argument, symbol) in enumerate(zip(f.arguments, symbols, strict=True)):
            tensor = isinstance(argument.type, ir.RankedTensorType)
            value = emitter.load(emitter.at(f.inputs, number), emitter.ptr if tensor else emitter.i64)
            f.handles[argument] = value
            if symbol:
                f.sizes.symbols[symbol] = value
            if rows[rows_at] == LAID_OUT:
                f.read_place(argument, emitter.at(f.places, 2 * number))
                f.held.setdefault(argument, []).append(number)
            rows_at += 3 + rows[rows_at + 2]
        for argument in f.arguments:
            if isinstance(argument.type, ir.RankedTensorType):
                info = TensorInfo.of(argument.type)
                self._bind_symbols(argument, "aoti_torch_get_size", info.sizes)
                self._bind_symbols(argument, "aoti_torch_get_stride", info.strides)

    def _bind_symbols(self, argument: ir.Value, function: str, sizes: Sequence[Size]) -> None:
        f, emitter = self.f, self.f.emitter
        for d, size in enumerate(sizes):
            if not isinstance(size, int) and size.is_Symbol and size.name not in f.sizes.symbols:
                emitter.call(function, "plp:i", [f.handles[argument], emitter.integer(d), f.place])
                f.sizes.symbols[size.name] = emitter.load(f.place, emitter.i64)

    # Operations.

    def _host_alloc(self, op: ir.OpView) -> None:
        self.f.allocate(op.results[0])

    def _host_view(self, op: ir.OpView) -> None:
        self.f.view(op.results[0], op.operands[0])

    def _host_free(self, op: ir.OpView) -> None:
        self.f.drop(op.operands[0])

    def _host_launch(self, op: ir.OpView) -> None:
        f, emitter = self.f, self.f.emitter
        kernel = op.attributes["kernel"].value
        operands = [f.pointer(b) for b in op.operands]
        symbols = [f.sizes.value(size_of(s)) for s in op.attributes["symbols"]]
        status = emitter.call(KERNEL_PREFIX + kernel, "p" * len(operands) + "l" * len(symbols) + ":i", [*operands, *symbols])
        names = self.computes.get(kernel, ir.ArrayAttr.get([ir.StringAttr.get(kernel)]))
        number = self._callable({"kernel": ir.StringAttr.get(kernel), "computes": names})
        emitter.exit_if(emitter.differs(status), f.kernel_error, [status, emitter.integer(number)])

    def _host_copy(self, op: ir.OpView) -> None:
        f, emitter = self.f, self.f.emitter
        target, source = (f.handle(v) for v in op.operands)
        status = emitter.call("aoti_torch_copy_", "ppi:i", [target, source, emitter.integer(0, emitter.i32)])
        self._repeat_if(status, COPY, [target, source], [], [])

    def _host_call(self, op: ir.OpView) -> None:
        schema = schema_of(op)
        self.operands = [self.f.handle(v) for v in op.operands]
        shim = None if schema is None else self._shim(op, schema)
        symbols = sorted(_symbols_in(op.attributes["arguments"]))
        repeats = {"repeats": ir.UnitAttr.get()} if shim else {}
        number = self._callable({
            **repeats,
            "target": op.attributes["target"],
            "arguments": op.attributes["arguments"],
            "results": ir.IntegerAttr.get(self.f.emitter.i64, len(op.results)),
            "symbols": ir.ArrayAttr.get([ir.StringAttr.get(s) for s in symbols]),
        })  # fmt: skip
        integers = [self._symbol(s) for s in symbols]
        if shim is None:
            slots = [self.f.slot(r) for r in op.results]
            self.f.callback(number, self.operands, integers, slots)
        else:
            slots, status = self._call_shim(op, *shim)
            self._repeat_if(status, number, self.operands, integers, slots)
        for result, slot in zip(op.results, slots, strict=True):
            self.f.take_over(result, slot)

    def _shim(self, op: ir.OpView, schema: Schema) -> tuple[Shim, list[Any]] | None:
        """The C function for a call, with its arguments; None where Python has to make it."""
        infos = [TensorInfo.of(v.type) for v in [*op.operands, *op.results] if isinstance(v.type, ir.RankedTensorType)]
        devices, dtypes = {i.device.partition(":")[0] for i in infos}, {i.dtype for i in infos}
        scalars = any(a.kind == "Scalar" for a in schema.arguments)
        if len(devices) != 1 or any(d.startswith("complex") for d in dtypes) or (scalars and not dtypes <= FLOATS):
            return None
        if any(a.writes for a in schema.arguments) or any(not r.is_tensor or r.is_list for r in schema.returns):
            return None
        shim = find_shim(schema.name, devices.pop())
        if shim is None or shim.results != len(schema.returns):
            return None
        try:
            return shim, plan(schema, list(op.attributes["arguments"]), shim)
        except NoCForm:
            return None

    def _call_shim(self, op: ir.OpView, shim: Shim, planned: list[Any]) -> tuple[list[ir.Value], ir.Value]:
        f, emitter = self.f, self.f.emitter
        if shim.out:
            f.allocate(op.results[0])
        slots = [emitter.at(f.slots.base, f.held[op.results[0]][0])] if shim.out else [f.slot(r) for r in op.results]
        arguments = [self.marshal.emit(a) for a in planned]
        given = [("p", f.handles[op.results[0]])] if shim.out else []
        results = [] if shim.out else [("p", slot) for slot in slots]
        letters, operands = zip(*given, *arguments, *results, strict=True)
        return slots, emitter.call(shim.name, "".join(letters) + ":i", operands)

    def _repeat_if(self, status: ir.Value, number: int, tensors: list[ir.Value], integers: list[ir.Value], slots: list[ir.Value]) -> None:
        """Where C has failed, Python does the same: it raises the exception of the right type, or it succeeds."""
        f, emitter = self.f, self.f.emitter
        again, done = emitter.new_block(), emitter.new_block()
        emitter.exit_if(emitter.differs(status), again)
        emitter.branch(done)
        emitter.enter(again)
        f.callback(number, tensors, integers, slots)
        emitter.branch(done)
        emitter.enter(done)

    def _aten_sym_value(self, op: ir.OpView) -> None:
        self.f.handles[op.results[0]] = self.f.sizes.value(size_of(op.attributes["expr"]))

    def _func_return(self, op: ir.OpView) -> None:
        f, emitter = self.f, self.f.emitter
        values = list(op.operands)
        entries = list(self.graph.attributes["aten.outputs"]) if "aten.outputs" in self.graph.attributes else None
        outputs = [self._value(v) for v in values] if entries is None else [self._output(e, values) for e in entries]
        kinds = emitter.numbers([kind for kind, _ in outputs] or [0])
        given = f.room.keep([v for _, v in outputs])
        operands = [f.frame, f.slots.base, emitter.integer(f.slot_count), f.list, kinds, given, emitter.integer(len(outputs))]
        emitter.return_(emitter.call("mlirind_host_finish", "pplpppl:p", operands))

    def _value(self, value: ir.Value) -> tuple[int, ir.Value]:
        return TENSOR_OUTPUT if isinstance(value.type, ir.RankedTensorType) else INTEGER_OUTPUT, self.f.handle(value)

    def _output(self, entry: ir.Attribute, values: list[ir.Value]) -> tuple[int, ir.Value]:
        """An output: one of the returned values, or what needs none: None, a number."""
        if isinstance(entry, NoneValue):
            return TENSOR_OUTPUT, self.f.emitter.null
        if isinstance(entry, Operand):
            return self._value(values[size_of(entry.index)])
        return INTEGER_OUTPUT, self.f.sizes.value(size_of(entry))

    # Callables.

    def _callable(self, entry: dict[str, ir.Attribute]) -> int:
        attribute = ir.DictAttr.get(entry)
        number = self.numbers.get(attribute)
        if number is None:
            number = self.numbers[attribute] = OWN + len(self.callables)
            self.callables.append(attribute)
        return number

    def _symbol(self, name: str) -> ir.Value:
        if name not in self.f.sizes.symbols:
            raise UnsupportedGraph(f"no input gives the value of {name}")
        return self.f.sizes.symbols[name]


def argument_attributes(function: ir.OpView) -> list[Any]:
    """The attributes of each argument."""
    if "arg_attrs" in function.attributes:
        return list(function.attributes["arg_attrs"])
    return [{} for _ in function.regions[0].blocks[0].arguments]


def _symbols_in(attribute: ir.Attribute) -> set[str]:
    if isinstance(attribute, ir.ArrayAttr):
        return {s for a in attribute for s in _symbols_in(a)}
    return {s.name for s in parse_expr(attribute.text.maybe_downcast().value).free_symbols} if isinstance(attribute, Expr) else set()


def convert_host_to_llvm(module: ir.Module) -> None:
    """Replaces the function `@graph` by the native one."""
    conversion = _Conversion(module)
    module.operation.attributes[CALLABLES] = conversion.run()
    conversion.graph.operation.erase()


register_pass("convert-host-to-llvm", convert_host_to_llvm)
