"""Builds one `loop.kernel` quickly: index expressions, loads, scalar operations, reductions, stores."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from torch_mlir import ir

from ...dialects import symbolic_floats
from ...dialects.aten import Size, TensorInfo, size_attr
from ...dialects.dtypes import FLOAT8, KERNEL_DTYPES, TABLE
from ...dialects.lazy import sympy
from ...dialects.loop import CONTRACT
from ...dialects.segments import PAIR_RUNS, run_sizes_attr
from .float_emission import emit_float
from .kernel_index import AffineIndex, Coordinate, MapSymbols
from .promotion import is_float, round_float, wrap_integer
from .scalar import Operand, Scalar

# The body's scalar types; integers are signless, and floats of 8 bits are their bits.
BODY_TYPES = (
    {name: TABLE[name].element.replace("ui", "i") for name in sorted(KERNEL_DTYPES)} | dict.fromkeys(FLOAT8, "i8") | {"index": "index"}
)


class ContextTables:
    """Types and attributes of one MLIR context, made once: the builders of one pass run share them."""

    def __init__(self) -> None:
        self.types = {dtype: ir.Type.parse(text) for dtype, text in BODY_TYPES.items()}
        self.infos: dict[ir.Type, TensorInfo] = {}
        self.i64 = self.types["int64"]
        self.dims = [AffineIndex(ir.AffineExpr.get_dim(i), (i,)) for i in range(64)]
        self.constants: dict[int, ir.AffineExpr] = {}
        self.maps: dict[object, ir.AffineMapAttr] = {}
        self.integers = functools.cache(lambda n: ir.IntegerAttr.get(self.i64, n))
        self.segments = functools.cache(lambda *sizes: ir.DenseI32ArrayAttr.get(sizes))
        self.string = functools.cache(ir.StringAttr.get)
        self.runs = functools.cache(lambda *types: run_sizes_attr(types))
        self.updates = functools.cache(lambda *numbers: self.integer_array(numbers))
        self.no_symbols = ir.ArrayAttr.get([])

    def info(self, type_: ir.Type) -> TensorInfo:
        """`TensorInfo.of`, read once a type."""
        info = self.infos.get(type_)
        if info is None:
            info = self.infos[type_] = TensorInfo.of(type_)
        return info

    def integer_array(self, values: Sequence[int]) -> ir.ArrayAttr:
        """An array of i64."""
        return ir.ArrayAttr.get([self.integers(v) for v in values])


class KernelBuilder:
    """A `loop.kernel` under construction. `inputs` are the operands, `results` the result types, `domain` the extents. `dims` are the
    domain's coordinates. `finish()` ends the body and returns the results."""

    def __init__(
        self,
        tables: ContextTables,
        ip: ir.InsertionPoint,
        loc: ir.Location,
        inputs: Sequence[ir.Value],
        results: Sequence[ir.Type],
        domain: Sequence[Size],
        name: str,
        updates: Sequence[int] | None = None,
    ):
        self.tables, self.types, self.loc = tables, tables.types, loc
        self.domain = list(domain)
        self.symbols = MapSymbols()
        self._constants: dict[object, Scalar] = {}
        self._symbolic_ops: list[ir.Operation] = []
        attributes = {
            "domain": self._domain_map(),
            "symbols": tables.no_symbols,
            "updates": tables.updates(*(updates or [-1] * len(results))),
            "kernel_name": tables.string(name),
            "operandSegmentSizes": tables.runs(*[i.type for i in inputs]),
            "resultSegmentSizes": tables.runs(*results),
        }
        self.op = ir.Operation.create("loop.kernel", results=results, operands=inputs, attributes=attributes, regions=1, loc=loc, ip=ip)
        buffers = [i.type for i in inputs] + list(results)
        arguments = buffers + [self.types["index"]] * len(self.domain)
        self.block = self.op.regions[0].blocks.append(*arguments, arg_locs=[loc] * len(arguments))
        self.ip = ir.InsertionPoint(self.block)
        values: list[ir.Value] = list(self.block.arguments)
        self.inputs, self.outputs = values[: len(inputs)], values[len(inputs) : len(buffers)]
        self._index_values: list[ir.Value] = values[len(buffers) :]
        self.dims = tables.dims[: len(self.domain)]
        self.input_infos = [tables.info(i.type) for i in inputs]
        self.output_infos = [tables.info(t) for t in results]

    @property
    def on_gpu(self) -> bool:
        """Whether the kernel is for a GPU, where eager computes some things differently."""
        return self.output_infos[0].device != "cpu"

    def _domain_map(self) -> ir.AffineMapAttr:
        exprs = [self.symbols.affine(s) for s in self.domain]
        return ir.AffineMapAttr.get(ir.AffineMap.get(0, len(self.symbols.expressions), exprs))

    # Operations.
    def emit(self, name: str, result: ir.Type, operands: Sequence[ir.Value], attributes: dict[str, ir.Attribute] | None = None) -> ir.Value:
        """A body operation with one result."""
        return ir.Operation.create(name, [result], operands, attributes, loc=self.loc, ip=self.ip).result

    def constant(self, value: Operand | Size, dtype: str) -> Scalar:
        """A number as a constant of `dtype`; a Scalar, or an expression of sizes, is cast."""
        if isinstance(value, Scalar):
            return value.to(dtype)
        if isinstance(value, sympy.Expr):
            return self.number(value).to(dtype)
        if is_float(dtype):
            value = round_float(float(value), dtype)
        elif dtype == "bool":
            value = bool(value)
        elif dtype != "index":
            value = wrap_integer(int(value), dtype)
        key = (repr(value), dtype)
        if key not in self._constants:
            type_ = self.types[dtype]
            attribute = ir.FloatAttr.get(type_, value) if is_float(dtype) else ir.IntegerAttr.get(type_, value)
            self._constants[key] = Scalar(self, self.emit("arith.constant", type_, [], {"value": attribute}), dtype, value)
        return self._constants[key]

    def compare(self, name: str, predicate: int, a: Scalar, b: Scalar) -> Scalar:
        """`arith.cmpi` or `arith.cmpf`."""
        value = self.emit(name, self.types["bool"], [a.value, b.value], {"predicate": self.tables.integers(predicate)})
        return Scalar(self, value, "bool")

    def check(self, condition: Scalar, error: str) -> None:
        """Fails the kernel with `error` ("index", "zero_division" or "range") if `condition` is false."""
        attributes = {"error": self.tables.string(error)}
        ir.Operation.create("loop.check", [], [condition.value], attributes, loc=self.loc, ip=self.ip)

    # Indices.
    def size(self, size: Size) -> AffineIndex:
        """A size as an index expression."""
        return self.symbols.index(size)

    def index(self, value: Scalar) -> AffineIndex:
        """A value computed in the body as an index expression of its own."""
        self._index_values.append(value.to("index").value)
        number = len(self._index_values) - 1
        return AffineIndex(ir.AffineExpr.get_dim(number), (number,))

    def position(self, coordinate: Coordinate, dtype: str = "int64") -> Scalar:
        """An index expression as a value."""
        if isinstance(coordinate, int):
            return self.constant(coordinate, dtype)
        attribute, indices = self._map([coordinate])
        segments = {"map": attribute, "operandSegmentSizes": self.tables.segments(len(indices))}
        op = ir.Operation.create("loop.apply", [self.types["index"]], indices, segments, loc=self.loc, ip=self.ip)
        self._note(op)
        return Scalar(self, op.result, "index").to(dtype)

    def number(self, size: Size, dtype: str | None = None) -> Scalar:
        """An expression of sizes as a value: by default int64, or float64 for one of `symbolic_floats`."""
        if symbolic_floats.is_float_expression(size):
            return emit_float(self, size).to(dtype or "float64")
        return self.position(size if isinstance(size, int) else self.size(size), dtype or "int64")

    def broadcast(self, info: TensorInfo, coordinates: Sequence[Coordinate], sizes: Sequence[Size]) -> list[Coordinate]:
        """The coordinates in a tensor of `info` that is broadcast to `sizes`, at `coordinates` of those."""
        lead = len(sizes) - info.rank
        return [0 if s == 1 and sizes[lead + i] != 1 else coordinates[lead + i] for i, s in enumerate(info.sizes)]

    def _map(self, coordinates: Sequence[Coordinate]) -> tuple[ir.AffineMapAttr, list[ir.Value]]:
        """The map of `coordinates` over the index values that they use, and these values."""
        exprs = [self._expr(c) for c in coordinates]
        used = sorted({n for c in coordinates if isinstance(c, AffineIndex) for n in c.used})
        key = (len(self.symbols.expressions), tuple(used), *exprs)
        attribute = self.tables.maps.get(key)
        if attribute is None:
            attribute = self.tables.maps[key] = self._compressed(exprs, used)
        return attribute, [self._index_values[n] for n in used]

    def _expr(self, coordinate: Coordinate) -> ir.AffineExpr:
        if isinstance(coordinate, AffineIndex):
            return coordinate.expr
        expr = self.tables.constants.get(coordinate)
        if expr is None:
            expr = self.tables.constants[coordinate] = ir.AffineExpr.get_constant(coordinate)
        return expr

    def _compressed(self, exprs: list[ir.AffineExpr], used: list[int]) -> ir.AffineMapAttr:
        symbols = len(self.symbols.expressions)
        if used != list(range(len(used))):
            positions = [ir.AffineExpr.get_dim(used.index(n)) if n in used else ir.AffineExpr.get_constant(0) for n in range(used[-1] + 1)]
            renumber = ir.AffineMap.get(len(used), 0, positions)
            exprs = [e.compose(renumber) for e in exprs]
        return ir.AffineMapAttr.get(ir.AffineMap.get(len(used), symbols, exprs))

    def _note(self, op: ir.Operation) -> None:
        """Records an op whose map needs the final number of symbols."""
        self._symbolic_ops.append(op)

    # Memory.
    def load(self, number: int, coordinates: Sequence[Coordinate], mask: Scalar | None = None) -> Scalar:
        """The element of input `number` at `coordinates`; zero where `mask` is false."""
        dtype = self.input_infos[number].dtype
        attribute, indices = self._map(coordinates)
        operands = [self.inputs[number], *indices, *([mask.value] if mask else [])]
        attributes = {"map": attribute, "operandSegmentSizes": self.tables.segments(1, len(indices), int(mask is not None))}
        op = ir.Operation.create("loop.load", [self.types[dtype]], operands, attributes, loc=self.loc, ip=self.ip)
        self._note(op)
        return Scalar(self, op.result, dtype)

    def store(
        self, number: int, value: Scalar, coordinates: Sequence[Coordinate], mask: Scalar | None = None, accumulate: str | None = None
    ) -> None:
        """Writes `value`, cast to the output's dtype, to output `number` at `coordinates`."""
        value = value.to(self.output_infos[number].dtype)
        attribute, indices = self._map(coordinates)
        operands = [self.outputs[number], value.value, *indices, *([mask.value] if mask else [])]
        attributes = {"map": attribute, "operandSegmentSizes": self.tables.segments(1, 1, len(indices), int(mask is not None))}
        if accumulate:
            attributes["accumulate"] = self.tables.string(accumulate)
        self._note(ir.Operation.create("loop.store", [], operands, attributes, loc=self.loc, ip=self.ip))

    # Reductions.
    def reduce(self, kind: str, inputs: Sequence[Scalar], dims: Sequence[int], contract: bool = False) -> list[Scalar]:
        """`loop.reduce` over the domain's dimensions `dims`; over none the result is the only element. `contract`: products may be added
        without being rounded first."""
        if not dims:
            if kind == "welford":
                return [inputs[0], inputs[0] - inputs[0]]
            return [inputs[0] + 0.0] if kind == "add" and is_float(inputs[0].dtype) else list(inputs)  # sums of -0.0 are 0.0
        attributes = {"kind": self.tables.string(kind), "dims": self.tables.integer_array(dims)}
        if contract:
            attributes[CONTRACT] = ir.UnitAttr.get()
        return self._combine_many("loop.reduce", kind, inputs, attributes)

    def scan(self, kind: str, inputs: Sequence[Scalar], dim: int) -> list[Scalar]:
        """`loop.scan` along the domain's dimension `dim`."""
        return self._combine_many("loop.scan", kind, inputs, {"kind": self.tables.string(kind), "dim": self.tables.integers(dim)})

    def _combine_many(self, name: str, kind: str, inputs: Sequence[Scalar], attributes: dict[str, ir.Attribute]) -> list[Scalar]:
        dtypes = [inputs[0].dtype] * 2 if kind == "welford" else [i.dtype for i in inputs]
        attributes["operandSegmentSizes"] = run_sizes_attr([i.value.type for i in inputs], PAIR_RUNS)
        attributes["resultSegmentSizes"] = run_sizes_attr([self.types[d] for d in dtypes], PAIR_RUNS)
        op = ir.Operation.create(name, [self.types[d] for d in dtypes], [i.value for i in inputs], attributes, loc=self.loc, ip=self.ip)
        return [Scalar(self, v, d) for v, d in zip(op.results, dtypes, strict=True)]

    def finish(self) -> list[ir.Value]:
        """Ends the body; returns the kernel's results."""
        ir.Operation.create("loop.yield", [], [], None, loc=self.loc, ip=self.ip)
        count = len(self.symbols.expressions)
        if count:
            self.op.attributes["symbols"] = ir.ArrayAttr.get([size_attr(s) for s in self.symbols.expressions])
            self.op.attributes["domain"] = self._domain_map()
            for op in self._symbolic_ops:
                self._set_symbol_count(op, count)
        return list(self.op.results)

    @staticmethod
    def _set_symbol_count(op: ir.Operation, count: int) -> None:
        map_ = ir.AffineMapAttr(op.attributes["map"]).value
        if map_.n_symbols != count:
            op.attributes["map"] = ir.AffineMapAttr.get(ir.AffineMap.get(map_.n_dims, count, list(map_.results)))


def broadcasts_plainly(sizes: Sequence[Size], wanted: Sequence[Size]) -> bool:
    """Whether a tensor of `sizes` is broadcast to `wanted` exactly where its size is the number 1. Another expression than the wanted
    size, such as `s0 - 1`, may be 1 at run time."""
    lead = len(wanted) - len(sizes)
    return all(isinstance(s, int) or s == wanted[lead + i] or _exceeds_one(s) for i, s in enumerate(sizes))


def _exceeds_one(size: Any) -> bool:
    """Whether a size is a product of symbols, which exceeds 1: PyTorch makes no symbol of a size 0 or 1."""
    return all(f.is_Symbol or f.is_Integer or (f.is_Pow and f.base.is_Symbol) for f in (size.args if size.is_Mul else (size,)))
