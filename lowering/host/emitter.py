"""Creates the LLVM operations of one function: straight-line code with exits, over a pool of constant numbers."""

from __future__ import annotations

import functools
import struct
from collections.abc import Sequence
from dataclasses import dataclass

from torch_mlir import ir

POOL = "numbers"
TEXT = "text"
# The position among `rawConstantIndices` that stands for an operand.
DYNAMIC = -(1 << 31)


@dataclass
class Words:
    """Memory on the stack; `size` and `data` are the constants with its numbers of words and bytes."""

    base: ir.Value
    size: ir.Operation
    data: ir.Operation

    def resize(self, count: int) -> None:
        """Sets the number of words, at least one."""
        i64 = ir.IntegerType.get_signless(64)
        self.size.attributes["value"] = ir.IntegerAttr.get(i64, max(count, 1))
        self.data.attributes["value"] = ir.IntegerAttr.get(i64, 8 * count)


class Emitter:
    """Emission into the function `name` of `module`, which takes `arguments` pointers; `result`: the letter of its result's type."""

    def __init__(self, module: ir.Module, name: str, arguments: int, result: str = "p") -> None:
        self.module = module
        self.loc = ir.Location.unknown()
        self.i64, self.i32, self.i1, self.i8 = (ir.IntegerType.get_signless(n) for n in (64, 32, 1, 8))
        self.f64 = ir.F64Type.get()
        self.ptr = ir.Type.parse("!llvm.ptr")
        self.letters = {"p": self.ptr, "l": self.i64, "i": self.i32, "d": self.f64, "b": self.i1}
        self._sizes = functools.cache(lambda *numbers: ir.DenseI32ArrayAttr.get(numbers))
        self._element = functools.cache(ir.TypeAttr.get)
        self._not_equal: dict[str, ir.Attribute] = {"predicate": ir.IntegerAttr.get(self.i64, 1)}
        self._declared: set[str] = set()
        self._externals: dict[str, ir.Value] = {}
        self._constants: dict[tuple[ir.Type, int | float], ir.Value] = {}
        self._numbers: list[int] = []
        self._known: dict[tuple[int, ...], int] = {}
        self._text = bytearray()
        self._external = ir.Attribute.parse("#llvm.linkage<external>")
        self.function = self._function(name, "p" * arguments, result)
        # MLIR's JIT generates code at LLVM's default level in any case; this attribute makes that fast for straight-line code.
        self.function.attributes["passthrough"] = ir.ArrayAttr.get([ir.StringAttr.get(word) for word in ("optnone", "noinline")])
        self.entry = self.function.regions[0].blocks.append(*[self.ptr] * arguments)
        self.arguments = list(self.entry.arguments)
        # Constants and addresses go to the start, before all later operations.
        self._first = self._op("llvm.mlir.zero", [], [self.ptr], ir.InsertionPoint(self.entry))
        self.null = self._first.result
        self._start = ir.InsertionPoint(self._first)
        self._pool = self._address(POOL)
        self.ip = ir.InsertionPoint(self.entry)

    # Operations.

    def _op(
        self,
        name: str,
        operands: Sequence[ir.Value],
        types: Sequence[ir.Type],
        ip: ir.InsertionPoint,
        attributes: dict[str, ir.Attribute] | None = None,
        successors: Sequence[ir.Block] = (),
    ) -> ir.Operation:
        return ir.Operation.create(
            name, results=types, operands=operands, attributes=attributes, successors=list(successors), loc=self.loc, ip=ip
        )

    def op(self, name: str, operands: Sequence[ir.Value], type_: ir.Type, attributes: dict[str, ir.Attribute] | None = None) -> ir.Value:
        """`llvm.<name>` with one result."""
        return self._op("llvm." + name, operands, [type_], self.ip, attributes).result

    def load(self, pointer: ir.Value, type_: ir.Type) -> ir.Value:
        """The value at an address."""
        return self.op("load", [pointer], type_)

    def store(self, value: ir.Value, pointer: ir.Value) -> None:
        """Writes a value to an address."""
        self._op("llvm.store", [value, pointer], [], self.ip)

    def at(self, base: ir.Value, words: int) -> ir.Value:
        """The address `words` * 8 bytes after `base`."""
        return base if words == 0 else self._at(base, words, self.i64, self.ip)

    def _at(self, base: ir.Value, index: int, element: ir.Type, ip: ir.InsertionPoint) -> ir.Value:
        attributes = {"rawConstantIndices": self._sizes(index), "elem_type": self._element(element)}
        return self._op("llvm.getelementptr", [base], [self.ptr], ip, attributes).result

    def offset(self, base: ir.Value, count: ir.Value) -> ir.Value:
        """The address `count` bytes after `base`."""
        attributes = {"rawConstantIndices": self._sizes(DYNAMIC), "elem_type": self._element(self.i8)}
        return self.op("getelementptr", [base, count], self.ptr, attributes)

    def words(self, count: int = 1) -> Words:
        """Zeroed 8-byte words on the stack. Call it before the first branch. Their number may be set later."""
        size, data = (self._op("llvm.mlir.constant", [], [self.i64], self.ip, {"value": self._number(0)}) for _ in range(2))
        attributes = {"elem_type": ir.TypeAttr.get(self.i64), "alignment": ir.IntegerAttr.get(self.i64, 16)}
        base = self.op("alloca", [size.result], self.ptr, attributes)
        zero = self.integer(0, self.i8)
        self._op("llvm.intr.memset", [base, zero, data.result], [], self.ip, {"isVolatile": ir.BoolAttr.get(False)})
        words = Words(base, size, data)
        words.resize(count)
        return words

    def _number(self, value: int) -> ir.Attribute:
        return ir.IntegerAttr.get(self.i64, value)

    # Constants.

    def integer(self, value: int, type_: ir.Type | None = None) -> ir.Value:
        """An integer constant, i64 by default."""
        type_ = type_ or self.i64
        return self._constants.get((type_, value)) or self._constant(type_, value, ir.IntegerAttr.get(type_, value))

    def double(self, value: float) -> ir.Value:
        """An f64 constant."""
        (key,) = struct.unpack("<q", struct.pack("<d", value))
        return self._constant(self.f64, key, ir.FloatAttr.get(self.f64, value))

    def _constant(self, type_: ir.Type, key: int, attribute: ir.Attribute) -> ir.Value:
        found = self._constants.get((type_, key))
        if found is None:
            found = self._op("llvm.mlir.constant", [], [type_], self._start, {"value": attribute}).result
            self._constants[type_, key] = found
        return found

    def numbers(self, values: Sequence[int]) -> ir.Value:
        """The address of constant i64 numbers."""
        key = tuple(values)
        start = self._known.get(key)
        if start is None:
            start = self._known[key] = len(self._numbers)
            self._numbers.extend(values)
        return self.at(self._pool, start)

    def text(self, value: str) -> ir.Value:
        """The address of a zero-terminated text."""
        start = len(self._text)
        self._text += value.encode() + b"\0"
        return self._at(self._address(TEXT), start, self.i8, self.ip)

    def external(self, name: str) -> ir.Value:
        """The address of an object that the function's caller provides."""
        if name not in self._externals:
            attributes = {
                "sym_name": ir.StringAttr.get(name),
                "global_type": ir.TypeAttr.get(self.i64),
                "linkage": self._external,
                "addr_space": ir.IntegerAttr.get(self.i32, 0),
            }
            ir.Operation.create("llvm.mlir.global", attributes=attributes, regions=1, loc=self.loc, ip=ir.InsertionPoint(self.module.body))
            self._externals[name] = self._address(name)
        return self._externals[name]

    def _address(self, name: str) -> ir.Value:
        ip = self._start
        return self._op("llvm.mlir.addressof", [], [self.ptr], ip, {"global_name": ir.FlatSymbolRefAttr.get(name)}).result

    # Functions and blocks.

    def _function(self, name: str, arguments: str, result: str) -> ir.Operation:
        types = ", ".join(str(self.letters[a]) for a in arguments)
        signature = ir.Type.parse(f"!llvm.func<{self.letters[result] if result else 'void'} ({types})>")
        attributes = {"sym_name": ir.StringAttr.get(name), "function_type": ir.TypeAttr.get(signature), "linkage": self._external}
        ip = ir.InsertionPoint(self.module.body)
        return ir.Operation.create("llvm.func", attributes=attributes, regions=1, loc=self.loc, ip=ip)

    def call(self, name: str, signature: str, operands: Sequence[ir.Value]) -> ir.Value:
        """Calls an external function and returns its result. `signature` has one letter for each argument, then ":" and the letter of the
        result: p pointer, l i64, i i32, b i1, d f64."""
        return self._call(name, signature, operands).result

    def call_procedure(self, name: str, signature: str, operands: Sequence[ir.Value]) -> None:
        """Calls an external function without a result: nothing follows the ":" of `signature`."""
        self._call(name, signature, operands)

    def _call(self, name: str, signature: str, operands: Sequence[ir.Value]) -> ir.Operation:
        arguments, _, result = signature.partition(":")
        if name not in self._declared:
            self._declared.add(name)
            self._function(name, arguments, result)
        attributes = {
            "callee": ir.FlatSymbolRefAttr.get(name),
            "operandSegmentSizes": self._sizes(len(operands), 0),
            "op_bundle_sizes": self._sizes(),
        }
        return self._op("llvm.call", operands, [self.letters[result]] if result else [], self.ip, attributes)

    def new_block(self, types: Sequence[ir.Type] = ()) -> ir.Block:
        """A new last block, with arguments of these types."""
        return self.function.regions[0].blocks.append(*types)

    def enter(self, block: ir.Block) -> None:
        """Emits into `block` from here on."""
        self.ip = ir.InsertionPoint(block)

    def branch(self, block: ir.Block) -> None:
        """Jumps to a block without arguments."""
        self._op("llvm.br", [], [], self.ip, successors=[block])

    def exit_if(self, condition: ir.Value, block: ir.Block, arguments: Sequence[ir.Value] = ()) -> None:
        """Jumps to `block` if the condition is true."""
        following = self.new_block()
        sizes = self._sizes(1, len(arguments), 0)
        self._op("llvm.cond_br", [condition, *arguments], [], self.ip, {"operandSegmentSizes": sizes}, [block, following])
        self.enter(following)

    def differs(self, status: ir.Value, from_: int = 0) -> ir.Value:
        """Whether an i32 differs from this number."""
        return self.op("icmp", [status, self.integer(from_, self.i32)], self.i1, self._not_equal)

    def return_(self, value: ir.Value) -> None:
        """`llvm.return`"""
        self._op("llvm.return", [value], [], self.ip)

    def finish(self) -> None:
        """Writes the pools of constants; nothing can be emitted afterwards."""
        numbers = self._numbers or [0]
        self._global(POOL, f"dense<{numbers}> : tensor<{len(numbers)}xi64>", f"!llvm.array<{len(numbers)} x i64>")
        text = list(self._text) or [0]
        self._global(TEXT, f"dense<{text}> : tensor<{len(text)}xi8>", f"!llvm.array<{len(text)} x i8>")

    def _global(self, name: str, value: str, type_: str) -> None:
        attributes = {
            "sym_name": ir.StringAttr.get(name),
            "global_type": ir.TypeAttr.get(ir.Type.parse(type_)),
            "value": ir.Attribute.parse(value),
            "linkage": ir.Attribute.parse("#llvm.linkage<internal>"),
            "constant": ir.UnitAttr.get(),
            "addr_space": ir.IntegerAttr.get(self.i32, 0),
            "alignment": ir.IntegerAttr.get(self.i64, 16),
        }
        ir.Operation.create("llvm.mlir.global", attributes=attributes, regions=1, loc=self.loc, ip=ir.InsertionPoint(self.module.body))
