"""The rules of `loop` that its declarations can't express; each error comes with the op that breaks the rule."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from torch_mlir import ir

from .aten import Expr
from .kernel_status import STATUS_OF_ERROR
from .loop import signless
from .narrowing import affine_map, array, dense_integers, shaped, tensor, text

Broken = tuple[ir.Operation, str]

SCALARS = {"i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "index"}
BODY_DIALECTS = {"arith", "math", "loop"}
ACCUMULATIONS = {"add", "mul", "max", "min"}
PLAIN_KINDS = {"add", "mul", "max", "min", "maxu", "minu", "and", "or"}
INTEGER_KINDS = {"maxu", "minu", "and", "or"}
INDEX_KINDS = {"argmax", "argmin"}


@dataclass(frozen=True)
class BodyRoles:
    """A kernel's body by role: which block arguments are what, and how buffers are indexed."""

    op: ir.Operation
    block: ir.Block
    inputs: int
    outputs: int
    rank: int
    symbols: int
    flat: bool  # loop.func: one element offset instead of coordinates
    updates: tuple[int, ...]  # for each output the input that it starts from, -1 for none

    def role(self, value: ir.Value) -> str | None:
        """ "input", "output" or "dimension"; None if the value is no block argument."""
        if not isinstance(value, ir.BlockArgument):
            return None
        number = value.arg_number
        if number < self.inputs:
            return "input"
        return "output" if number < self.inputs + self.outputs else "dimension"


def verify_kernel(op: ir.Operation) -> Iterator[Broken]:
    """`loop.kernel`: its attributes, its block arguments, then every op of its body."""
    operands, results = list(op.operands), list(op.results)
    updates = _integers(op.attributes["updates"])
    if updates is None or len(updates) != len(results):
        yield op, "updates holds one integer a result"
        return
    header = [*_domain(op), *_updates(op, updates)]
    yield from ((op, message) for message in header)
    if header:
        return
    types = [v.type for v in operands] + [v.type for v in results]
    if not all(isinstance(t, ir.RankedTensorType) for t in types):
        yield op, "operands and results are ranked tensors"
        return
    rank, symbols = _shape(op)
    body = BodyRoles(op, op.regions[0].blocks[0], len(operands), len(results), rank, symbols, flat=False, updates=tuple(updates))
    arguments = [a.type for a in body.block.arguments]
    if arguments != types + [ir.IndexType.get()] * rank:
        yield op, f"the body's arguments are the operands', the results' and {rank} index types"
        return
    yield from _body(body)


def verify_func(op: ir.Operation) -> Iterator[Broken]:
    """`loop.func`: its place, its attributes, its buffers, then every op of its body."""
    if op.parent is None or op.parent.name != "builtin.module":
        yield op, "stands at module level"
    header = _domain(op)
    yield from ((op, message) for message in header)
    if header:
        return
    rank, symbols = _shape(op)
    block = op.regions[0].blocks[0]
    buffers = len(block.arguments) - rank
    outputs = ir.IntegerAttr(op.attributes["outputs"]).value
    if not 0 <= outputs <= buffers:
        yield op, f"outputs = {outputs}, but the body has {buffers} buffers before its {rank} indices"
        return
    for argument in block.arguments:
        expected = argument.type == ir.IndexType.get() if argument.arg_number >= buffers else _is_flat(argument.type)
        if not expected:
            yield op, f"argument {argument.arg_number} is neither a memref<?xT> nor one of the last {rank}, which are index"
            return
    yield from _body(BodyRoles(op, block, buffers - outputs, outputs, rank, symbols, flat=True, updates=(-1,) * outputs))


def verify_group(op: ir.Operation, kernels: Mapping[str, ir.Operation]) -> Iterator[Broken]:
    """`loop.group`: its place, its parts, the buffers of these. `kernels`: the module's kernels by name."""
    if op.parent is None or op.parent.name != "builtin.module":
        yield op, "stands at module level"
    names = [text(part) for part in array(op.attributes["parts"])]
    parts = [kernels[name] for name in names if name in kernels and kernels[name].name == "loop.func"]
    if len(parts) != len(names) or len(parts) < 2:
        yield op, "parts names two or more functions"
        return
    if any(_device_of(part) != _device_of(op) for part in parts):
        yield op, "parts are for the group's device"
    buffers = _integers(op.attributes["buffers"]) or []
    types = [str(a.type) for part in parts for a in part.regions[0].blocks[0].arguments if isinstance(a.type, ir.MemRefType)]
    if len(buffers) != len(types) or set(buffers) != set(range(len(set(buffers)))):
        yield op, f"buffers numbers the {len(types)} buffers of the parts from 0"
    elif len(set(zip(buffers, types, strict=True))) != len(set(buffers)):
        yield op, "a buffer has one element type"


def _device_of(op: ir.Operation) -> str:
    return text(op.attributes["device"]) if "device" in op.attributes else "cpu"


def _is_flat(type_: ir.Type) -> bool:
    return isinstance(type_, ir.MemRefType) and type_.rank == 1 and type_.is_dynamic_dim(0)


def _integers(attribute: ir.Attribute) -> list[int] | None:
    numbers = [a.value for a in array(attribute) if isinstance(a, ir.IntegerAttr)]
    return numbers if len(numbers) == len(array(attribute)) else None


def _shape(op: ir.Operation) -> tuple[int, int]:
    domain = affine_map(op.attributes["domain"])
    return len(domain.results), domain.n_symbols


def _domain(op: ir.Operation) -> list[str]:
    domain, symbols = affine_map(op.attributes["domain"]), list(array(op.attributes["symbols"]))
    messages = []
    if domain.n_dims:
        messages.append("domain has dimensions: extents depend on symbols only")
    if domain.n_symbols != len(symbols):
        messages.append(f"domain has {domain.n_symbols} symbols, `symbols` names {len(symbols)}")
    if not all(isinstance(s, Expr) for s in symbols):
        messages.append("symbols holds #aten.expr attributes")
    return messages


def _updates(op: ir.Operation, updates: Sequence[int]) -> list[str]:
    messages = []
    for result, update in zip(op.results, updates, strict=True):
        if not -1 <= update < len(op.operands):
            messages.append(f"updates names operand {update} of {len(op.operands)}")
        elif update >= 0 and not _same_elements(tensor(op.operands[update].type), tensor(result.type)):
            messages.append(f"a result of {result.type} can't start as operand {update} of {op.operands[update].type}")
    return messages


def _same_elements(a: ir.RankedTensorType, b: ir.RankedTensorType) -> bool:
    return a.shape == b.shape and a.element_type == b.element_type


def _body(body: BodyRoles) -> Iterator[Broken]:
    reduced: set[int] | None = None
    for view in body.block:
        op = view.operation
        if op.name.split(".")[0] not in BODY_DIALECTS or len(op.regions):
            yield op, "a body holds flat arith, math and loop ops"
            continue
        broken = [*_scalars(op), *(RULES[op.name](op, body) if op.name in RULES else ())]
        yield from ((op, message) for message in broken)
        if op.name != "loop.reduce" or broken:
            continue
        dims = set(_integers(op.attributes["dims"]) or ())
        if reduced is not None and dims != reduced:
            yield op, "all reductions of a kernel are over the same dims"
        reduced = dims
    if list(body.block)[-1].operation.name != "loop.yield":
        yield body.op, "the body ends with loop.yield"
    stored = {op.operands[0] for op in body.block if op.operation.name == "loop.store"}
    for output, update in enumerate(body.updates):
        if update < 0 and body.block.arguments[body.inputs + output] not in stored:
            yield body.op, f"output {output} is never stored to"


def _scalars(op: ir.Operation) -> Iterator[str]:
    for value in op.results:
        if str(value.type) not in SCALARS:
            yield f"a body computes on scalars, not {value.type}"


def _load(op: ir.Operation, body: BodyRoles) -> Iterator[str]:
    buffer, indices, mask = _segments(op)
    yield from _access(op, body, buffer[0], op.results[0].type, indices, mask)
    if body.role(buffer[0]) != "input":
        yield "loads from an input of the kernel, an argument of its body"
    elif ir.BlockArgument(buffer[0]).arg_number in body.updates:
        yield "loads from an input that the kernel updates"


def _store(op: ir.Operation, body: BodyRoles) -> Iterator[str]:
    buffer, value, indices, mask = _segments(op)
    yield from _access(op, body, buffer[0], value[0].type, indices, mask)
    if body.role(buffer[0]) != "output":
        yield "stores to an output of the kernel, an argument of its body"
    if "accumulate" in op.attributes and _text(op.attributes["accumulate"]) not in ACCUMULATIONS:
        yield f"accumulate is one of {', '.join(sorted(ACCUMULATIONS))}"


def _access(
    op: ir.Operation, body: BodyRoles, buffer: ir.Value, value: ir.Type, indices: Sequence[ir.Value], mask: Sequence[ir.Value]
) -> Iterator[str]:
    yield from _map(op, body, indices)
    if body.role(buffer) not in ("input", "output"):
        return
    coordinates = 1 if body.flat else shaped(buffer.type).rank
    results = len(affine_map(op.attributes["map"]).results)
    if results != coordinates:
        yield f"map has {results} results, the buffer takes {coordinates}"
    expected = signless(shaped(buffer.type).element_type)
    if value != expected:
        yield f"the value is {value}, the buffer holds {expected}"
    if mask and str(mask[0].type) != "i1":
        yield "the mask is an i1"


def _map(op: ir.Operation, body: BodyRoles, indices: Sequence[ir.Value]) -> Iterator[str]:
    map_ = affine_map(op.attributes["map"])
    if map_.n_dims != len(indices):
        yield f"map has {map_.n_dims} dimensions for {len(indices)} indices"
    if map_.n_symbols != body.symbols:
        yield f"map has {map_.n_symbols} symbols, the kernel {body.symbols}"
    if any(index.type != ir.IndexType.get() for index in indices):
        yield "indices are of type index"


def _apply(op: ir.Operation, body: BodyRoles) -> Iterator[str]:
    yield from _map(op, body, list(op.operands))
    if len(affine_map(op.attributes["map"]).results) != 1:
        yield "map has one result"


def _check(op: ir.Operation, body: BodyRoles) -> Iterator[str]:
    if str(op.operands[0].type) != "i1":
        yield "the condition is an i1"
    if _text(op.attributes["error"]) not in STATUS_OF_ERROR:
        yield f"error is one of {', '.join(sorted(STATUS_OF_ERROR))}"


def _reduce(op: ir.Operation, body: BodyRoles) -> Iterator[str]:
    yield from _combination(op, PLAIN_KINDS | INDEX_KINDS | {"welford"})
    dims = _integers(op.attributes["dims"])
    if not dims or sorted(dims) != list(range(body.rank - len(dims), body.rank)):
        yield f"dims are the innermost of the domain's {body.rank}"


def _scan(op: ir.Operation, body: BodyRoles) -> Iterator[str]:
    yield from _combination(op, PLAIN_KINDS | INDEX_KINDS)
    if not 0 <= ir.IntegerAttr(op.attributes["dim"]).value < body.rank:
        yield f"dim is one of the domain's {body.rank}"


def _combination(op: ir.Operation, kinds: set[str]) -> Iterator[str]:
    kind = _text(op.attributes["kind"])
    given, made = [v.type for v in op.operands], [v.type for v in op.results]
    if kind not in kinds:
        yield f"kind is one of {', '.join(sorted(kinds))}"
    elif kind == "welford":
        if len(given) != 1 or not _is_float(given[0]) or made != given * 2:
            yield "welford takes a float and gives two of its type"
    elif kind in INDEX_KINDS:
        if len(given) != 2 or str(given[1]) != "i64" or made != given:
            yield f"{kind} takes and gives a value and an i64 index"
    elif len(given) != 1 or made != given:
        yield f"{kind} takes one value and gives one of its type"
    elif kind in INTEGER_KINDS and _is_float(given[0]):
        yield f"{kind} combines integers"


def _segments(op: ir.Operation) -> list[list[ir.Value]]:
    operands, groups = iter(op.operands), dense_integers(op.attributes["operandSegmentSizes"])
    return [[next(operands) for _ in range(size)] for size in groups]


def _text(attribute: ir.Attribute) -> str:
    return attribute.value if isinstance(attribute, ir.StringAttr) else str(attribute)


def _is_float(type_: ir.Type) -> bool:
    return isinstance(type_, ir.FloatType)


RULES: dict[str, Callable[[ir.Operation, BodyRoles], Iterator[str]]] = {
    "loop.load": _load,
    "loop.store": _store,
    "loop.apply": _apply,
    "loop.check": _check,
    "loop.reduce": _reduce,
    "loop.scan": _scan,
}
