"""A short form of the IR for people: one line an operation, each type once, names of the graph's nodes in place of numbers.

    addmm: f32[32, 128] = aten.addmm(bias, x, permute, beta=1, alpha=1)

The strides of a contiguous tensor, the device "cpu", and attributes that only the compiler reads are left out. It can't be parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from torch_mlir import ir

from . import aten
from .aten import TensorInfo, contiguous_strides
from .host import argument_attributes
from .locations import SourcePosition, positions
from .narrowing import AnyOp, affine_map, array, dictionary, text, texts

LIMIT = 400  # characters of a line; a longer one is cut
_HIDDEN = frozenset({
    "aten.node", "aten.backward", "operandSegmentSizes", "resultSegmentSizes", "sym_name", "function_type", "arg_attrs", "res_attrs",
    "computes", "domain", "kernel_name", "map", "kernel", "target", "arguments", "updates", "outputs", "fastmath", "contract",
})  # fmt: skip
_PREDICATES = {
    "arith.cmpf": ("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"),
    "arith.cmpi": ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"),
}
_DTYPES = {"float": "f", "bfloat": "bf", "int": "i", "uint": "u", "complex": "c"}


@dataclass(frozen=True)
class ShortLine:
    """A line, and the lines of the user's program that its operation comes from."""

    text: str
    positions: tuple[SourcePosition, ...] = ()


def short_form(module: ir.Module) -> list[ShortLine]:
    """The lines of a module's functions and kernels."""
    found: list[ShortLine] = []
    for op in module.body.operations:
        found += _Writer(op).lines()
    return found


def graph_names(function: AnyOp) -> dict[ir.Value, str]:
    """The names that the short form gives to the arguments, buffers and views of a launch sequence."""
    writer = _Writer(function)
    writer.name_values()
    return writer.names


def short_type(type_: ir.Type) -> str:
    """`f32[32, 128]`, with strides unless contiguous, and with the device unless it is the CPU."""
    if not isinstance(type_, ir.RankedTensorType):
        return str(type_)
    info = TensorInfo.of(type_)
    name = re.sub(r"^[a-z]+", lambda m: _DTYPES.get(m[0], m[0]), info.dtype)
    strides = "" if info.strides == contiguous_strides(info.sizes) else f" strides {_list(info.strides)}"
    offset = "" if info.offset == 0 else f" offset {info.offset}"
    return f"{name}{_list(info.sizes)}{strides}{offset}{'' if info.device == 'cpu' else ' on ' + info.device}"


def _list(values: Iterable[object]) -> str:
    return f"[{', '.join(map(str, values))}]"


class _Writer:
    """Writes one function or kernel. A value's name is that of its node in the graph, or of what writes it first."""

    def __init__(self, function: AnyOp) -> None:
        self.function = function
        self.names: dict[ir.Value, str] = {}
        self.taken: dict[str, int] = {}
        self.numbered = 0

    def lines(self) -> Iterator[ShortLine]:
        if not self.function.regions or not self.function.regions[0].blocks:
            return
        self.name_values()
        block = self.function.regions[0].blocks[0]
        arguments = ", ".join(f"{self.names[a]}: {short_type(a.type)}" for a in block.arguments)
        if self.function.operation.name == "loop.func":
            yield from self._kernel(self.function, 0, f"kernel {text(self.function.attributes['sym_name'])}")
            return
        yield ShortLine(f"{text(self.function.attributes['sym_name'])}({arguments}):")
        for op in block.operations:
            yield from self._operation(op, 1)

    def name_values(self) -> None:
        """Names the arguments, and the buffers and views of a launch sequence."""
        block = self.function.regions[0].blocks[0]
        attributes = argument_attributes(self.function)
        for number, argument in enumerate(block.arguments):
            known = [text(attributes[number][n]) for n in ("aten.name", "aten.symbol") if n in attributes[number]]
            self.names[argument] = self._free(known[0] if known else "c" if "aten.constant" in attributes[number] else "in")
        self._name_buffers(block)

    def _free(self, name: str) -> str:
        """`name`, or with the next free number behind it."""
        count = self.taken[name] = self.taken.get(name, -1) + 1
        return name if not count else f"{name}~{count}"

    def _name_buffers(self, block: ir.Block) -> None:
        """Names buffers by the kernel or the operator that writes them first, views by the buffer that they show."""
        for op in block.operations:
            name = op.operation.name
            if name == "host.view":
                self.names[op.results[0]] = self._free(f"{self.names.get(op.operands[0], 'v')}.view")
            if name not in ("host.launch", "host.call"):
                continue
            made_by = buffer_name(text(op.attributes["kernel" if name == "host.launch" else "target"]))
            for value in [*op.operands, *op.results]:
                if value not in self.names:
                    self.names[value] = self._free(made_by)

    def _operation(self, op: ir.OpView, depth: int) -> Iterator[ShortLine]:
        name = op.operation.name
        if name == "loop.kernel":
            yield from self._kernel(op, depth, self._results(op) + f"kernel({self._values(op.operands)})")
            return
        where = tuple(dict.fromkeys(positions(op.location))) if depth == 1 else ()
        yield ShortLine(_cut("  " * depth + self._text(op, name)), where)
        for region in op.regions:
            for block in region:
                for inner in block.operations:
                    yield from self._operation(inner, depth + 1)

    def _kernel(self, op: AnyOp, depth: int, head: str) -> Iterator[ShortLine]:
        """The domain, the operators and the body of a kernel."""
        block = op.regions[0].blocks[0]
        extents = [str(e) for e in affine_map(op.attributes["domain"]).results]
        computes = f" computes {', '.join(texts(op.attributes['computes']))}" if "computes" in op.attributes else ""
        where = tuple(dict.fromkeys(positions(op.location)))
        yield ShortLine(_cut("  " * depth + f"{head} over [{', '.join(extents)}]{computes}"), where)
        arguments = list(block.arguments)
        buffers = len(arguments) - len(extents)
        inner = _Writer(op)
        inner.names |= {a: f"b{n}" if n < buffers else f"d{n - buffers}" for n, a in enumerate(arguments)}
        for body_op in block.operations:
            if body_op.operation.name == "arith.constant":
                inner.names[body_op.results[0]] = inner._value(body_op.attributes["value"])
            elif body_op.operation.name != "loop.yield":
                yield from inner._operation(body_op, depth + 1)

    # The text of one operation.
    def _text(self, op: ir.OpView, name: str) -> str:
        special = self._SPECIAL.get(name)
        if special is not None:
            return special(self, op)
        shown = name.removesuffix("_tensor") if name.startswith("aten.") else re.sub(r"^(arith|math|loop)\.", "", name)
        if name in ("arith.cmpf", "arith.cmpi"):
            predicate = _PREDICATES[name][int(self._value(op.attributes["predicate"]))]
            return f"{self._results(op)}{shown} {predicate}({self._values(op.operands)})"
        parts = [self._name(v) for v in op.operands] + [p for n, a in op.attributes.items() for p in self._attribute(n, a)]
        return f"{self._results(op)}{shown.replace('aten.u_', 'aten._')}({', '.join(parts)})"

    def _results(self, op: AnyOp) -> str:
        results = list(op.results)
        if not results:
            return ""
        node = text(op.attributes["aten.node"]) if "aten.node" in op.attributes else ""
        if "kernel_name" in op.attributes:
            node = buffer_name(text(op.attributes["kernel_name"]))
        for number, result in enumerate(results):
            if not self.names.get(result):
                own = f"{node}.{number}" if node and len(results) > 1 else node
                self.names[result] = self._free(own) if own else f"v{self.numbered}"
                self.numbered += not own
        if op.operation.name.startswith(("arith.", "math.", "loop.")) and op.operation.name != "loop.kernel":
            return ", ".join(self._name(r) for r in results) + " = "  # the elements' types are those of the buffers
        return ", ".join(f"{self._name(r)}: {short_type(r.type)}" for r in results) + " = "

    def _name(self, value: ir.Value) -> str:
        return self.names.get(value) or "?"

    def _values(self, values: Iterable[ir.Value]) -> str:
        return ", ".join(map(self._name, values))

    def _attribute(self, name: str, attribute: ir.Attribute) -> list[str]:
        if name in _HIDDEN or isinstance(attribute, aten.NoneValue):
            return []
        return [f"{name}={self._value(attribute)}"]

    def _value(self, attribute: ir.Attribute) -> str:
        if isinstance(attribute, ir.ArrayAttr):
            return _list(map(self._value, attribute))
        if isinstance(attribute, aten.Enum):
            return str(attribute.value.maybe_downcast().value)
        if isinstance(attribute, aten.Expr):
            return str(attribute.text.maybe_downcast().value)
        if isinstance(attribute, aten.Operand):
            return f"#{attribute.index.maybe_downcast().value}"
        if isinstance(attribute, aten.NoneValue):
            return "None"
        if isinstance(attribute, ir.FloatAttr | ir.IntegerAttr | ir.BoolAttr):
            return f"{attribute.value:g}" if isinstance(attribute.value, float) else str(attribute.value)
        if isinstance(attribute, ir.DictAttr):
            return "{" + ", ".join(f"{a.name}: {self._value(a.attr)}" for a in dictionary(attribute)) + "}"
        return str(attribute)

    def _access(self, op: ir.OpView, first: int) -> str:
        """`b0[d0 * 128 + d1]`: the buffer of a load or store and the elements that it accesses."""
        buffer, *coordinates = [self._name(v) for v in op.operands]
        coordinates = coordinates[first:]
        mapping = affine_map(op.attributes["map"])
        at = [re.sub(r"\bd(\d+)\b", lambda m: coordinates[int(m[1])], str(e)) for e in mapping.results]
        mask = coordinates[mapping.n_dims + mapping.n_symbols :]
        return f"{buffer}[{', '.join(at)}]" + (f" if {mask[0]}" if mask else "")

    def _load(self, op: ir.OpView) -> str:
        return f"{self._results(op)}load {self._access(op, 0)}"

    def _store(self, op: ir.OpView) -> str:
        return f"store {self._access(op, 1)} = {self._name(op.operands[1])}"

    def _launch(self, op: ir.OpView) -> str:
        given = [(n, a) for n, a in op.attributes.items() if n != "symbols" or len(array(a))]
        extra = [p for n, a in given for p in self._attribute(n, a)]
        return f"launch {text(op.attributes['kernel'])}({', '.join([*map(self._name, op.operands), *extra])})"

    def _call(self, op: ir.OpView) -> str:
        operands = [self._name(v) for v in op.operands]
        given = [self._value(a) for a in array(op.attributes["arguments"])]
        shown = re.sub(r"#(\d+)", lambda m: operands[int(m[1])], ", ".join(given))
        into = f" -> {operands[int(str(op.attributes['host.into']).split()[0])]}" if "host.into" in op.attributes else ""
        return f"{self._results(op)}call {text(op.attributes['target'])}({shown}){into}  ({text(op.attributes['reason'])})"

    def _host(self, op: ir.OpView) -> str:
        verb = op.operation.name.removeprefix("host.")
        return f"{self._results(op)}{verb} {self._values(op.operands)}".rstrip()

    def _return(self, op: ir.OpView) -> str:
        return f"return {self._values(op.operands)}"

    _SPECIAL = {
        "loop.load": _load, "loop.store": _store, "host.launch": _launch, "host.call": _call,
        "host.alloc": _host, "host.reuse": _host, "host.view": _host, "host.copy": _host, "host.free": _host, "func.return": _return,
    }  # fmt: skip


def buffer_name(maker: str) -> str:
    """`fused_gelu_native_layer_norm_0` -> `gelu_native_layer_norm`; `aten.mm.default` -> `mm`"""
    if maker.startswith("aten."):
        return maker.split(".")[1]
    return re.sub(r"^fused_|_\d+$", "", maker)[:48]


def _cut(line: str) -> str:
    return line if len(line) <= LIMIT else line[:LIMIT] + " …"
