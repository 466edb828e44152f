"""The rules of `host` that its declarations can't express; each error comes with the op that breaks the rule."""

from collections.abc import Iterator

from torch_mlir import ir

from .aten import Expr, Layout, Operand
from .host import GROUP, INTO, group_part, grouped_launches
from .loop import signless
from .narrowing import array, integer, integers, shaped, tensor, text, texts
from .tt import Ptr
from .verify_loop import Broken

Kernels = dict[str, ir.Operation]


def launched_name(op: ir.Operation) -> str | None:
    """The name by which `host.launch` refers to a kernel, a `loop.func` or its lowered form; None for other ops."""
    if op.name == "tt.func" and "kernel" in op.attributes:
        return text(op.attributes["kernel"])
    return text(op.attributes["sym_name"]) if op.name in ("loop.func", "llvm.func") else None


def verify_host(op: ir.Operation, kernels: Kernels) -> Iterator[Broken]:
    """The rules of one `host` op; `kernels` are the module's kernels by `launched_name`."""
    name = op.name.removeprefix("host.")
    buffers = [v.type for v in op.operands]
    other = (ir.NoneType, ir.IndexType) if name == "call" else ()  # a result that is left out, an integer
    buffers += [r.type for r in op.results if not isinstance(r.type, other)]
    if not all(isinstance(t, ir.RankedTensorType) for t in buffers):
        yield op, "takes and gives ranked tensors"
        return
    rules = {"alloc": _alloc, "reuse": _reuse, "view": _view, "call": _call, "free": _free}
    if name == "launch":
        yield from ((op, message) for message in _launch(op, kernels))
    elif name in rules:
        yield from ((op, message) for message in rules[name](op))


def verify_groups(function: ir.Operation) -> Iterator[Broken]:
    """The grouped launches of a function: each group's follow each other in the order of its parts, and give the buffers that it names."""
    groups = {text(o.attributes["sym_name"]): o.operation for o in _siblings(function) if o.operation.name == "loop.group"}
    expected: tuple[str, int] | None = None
    for view in [o for block in function.regions[0] for o in block.operations]:
        op, part = view.operation, group_part(view) if view.operation.name == "host.launch" else None
        if expected is not None and part != expected:
            yield op, f"stands before part {expected[1]} of @{expected[0]}"
            return
        if part is None:
            continue
        name, number = part
        names = texts(groups[name].attributes["parts"]) if name in groups else []
        if number >= len(names) or names[number] != text(op.attributes["kernel"]) or (number and expected is None):
            yield op, f"is not part {number} of @{name}"
            return
        expected = (name, number + 1) if number + 1 < len(names) else None
    operations = [o for block in function.regions[0] for o in block.operations]
    for grouped in grouped_launches(operations).values():
        buffers, given = grouped.buffers, [v for op in grouped.launches for v in op.operands]
        if [buffers.index(v) for v in given] != integers(groups[grouped.name].attributes["buffers"]):
            yield grouped.launches[0].operation, f"the launches of @{grouped.name} share other buffers than it says"


def _siblings(function: ir.Operation) -> Iterator[ir.OpView]:
    parent = function.parent
    return iter(()) if parent is None else (o for block in parent.regions[0] for o in block.operations)


def _alloc(op: ir.Operation) -> Iterator[str]:
    layout = tensor(op.results[0].type).encoding
    if isinstance(layout, Layout) and str(layout.offset) != "0 : i64":
        yield "a new tensor starts at offset 0"


def _reuse(op: ir.Operation) -> Iterator[str]:
    yield from _alloc(op)
    donor, layout = tensor(op.operands[0].type).encoding, tensor(op.results[0].type).encoding
    if isinstance(donor, Layout) and isinstance(layout, Layout) and donor.device != layout.device:
        yield "a tensor is on the device of the memory that it takes"


def _view(op: ir.Operation) -> Iterator[str]:
    base, view = tensor(op.operands[0].type).encoding, tensor(op.results[0].type).encoding
    if isinstance(base, Layout) and isinstance(view, Layout) and base.device != view.device:
        yield "a view is on the device of its base"


def _launch(op: ir.Operation, kernels: Kernels) -> Iterator[str]:
    name = ir.FlatSymbolRefAttr(op.attributes["kernel"]).value
    if name not in kernels and GROUP in op.attributes and text(array(op.attributes[GROUP])[0]) in kernels:
        return  # the group is lowered
    if name not in kernels:
        yield f"there is no loop.func @{name}"
        return
    kernel, symbols = kernels[name], list(array(op.attributes["symbols"]))
    if not all(isinstance(s, Expr) for s in symbols):
        yield "symbols holds #aten.expr attributes"
    if kernel.name == "llvm.func":  # its pointers and numbers don't tell the element types
        given, taken = len(op.operands) + len(symbols), len(kernel.regions[0].blocks[0].arguments)
        if given != taken:
            yield f"gives {given} buffers and symbols, @{name} takes {taken}"
        return
    if len(symbols) != len(array(kernel.attributes["symbols"])):
        yield f"gives {len(symbols)} symbols, @{name} takes {len(array(kernel.attributes['symbols']))}"
    takes, gives = _taken(kernel), [str(signless(shaped(v.type).element_type)) for v in op.operands]
    if kernel.name == "tt.func":
        gives = ["i8" if t == "i1" else t for t in gives]  # in memory a bool is a byte
    if takes != gives:
        yield f"gives buffers of ({', '.join(gives)}), @{name} takes ({', '.join(takes)})"


def _taken(kernel: ir.Operation) -> list[str]:
    """The elements of the buffers that a `loop.func` or `tt.func` takes."""
    types = [a.type for a in kernel.regions[0].blocks[0].arguments]
    if kernel.name == "tt.func":
        return [_pointee(t) for t in types[: integer(kernel.attributes["buffers"])]]
    return [str(signless(t.element_type)) for t in types if isinstance(t, ir.MemRefType)]


def _pointee(type_: ir.Type) -> str:
    pointer = type_.maybe_downcast()
    assert isinstance(pointer, Ptr), pointer
    return str(pointer.pointee)


def _call(op: ir.Operation) -> Iterator[str]:
    if text(op.attributes["target"]).count(".") < 2:
        yield "target is an operator's full name: namespace.name.overload"
    if not text(op.attributes["reason"]):
        yield "the reason for the call is missing"
    used = list(_operands_in(op.attributes["arguments"]))
    if INTO in op.attributes:
        used.append(integer(op.attributes[INTO]))
        if len(op.results):
            yield "writes its result to an operand and gives one"
    if sorted(set(used)) != list(range(len(op.operands))):
        yield f"arguments use the operands {sorted(set(used))}, the call has {len(op.operands)}"


def _operands_in(attribute: ir.Attribute) -> Iterator[int]:
    if isinstance(attribute, Operand):
        yield ir.IntegerAttr(attribute.index).value
    elif isinstance(attribute, ir.ArrayAttr):
        for inner in attribute:
            yield from _operands_in(inner)


def _free(op: ir.Operation) -> Iterator[str]:
    buffer = op.operands[0]
    if isinstance(buffer, ir.BlockArgument):
        yield "frees an input of the graph"
    for use in buffer.uses:
        user = use.owner.operation
        if user != op and user.block == op.block and not user.is_before_in_block(op):
            yield f"the buffer is used after it, by {user.name}"
