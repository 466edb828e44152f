"""`convert-to-host`: kernels become functions that the graph launches, views become views of buffers, all else operator calls.

The graph's function keeps the order of its operations. From here on a value is a buffer, and the order is the order of execution.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from torch_mlir import ir

from ...dialects import aten, aten_ops
from ...dialects.aten import TensorInfo, size_attr
from ...dialects.aten_values import encode_number
from ...dialects.dtypes import KERNEL_DTYPES, item_size
from ...dialects.narrowing import integers, text
from ...dialects.requirements import add_requirements
from ...dialects.segments import LAUNCH_RUNS, run_sizes_attr
from ...errors import InvalidIR, UnprovedAccess
from ...passes.analysis.alias_analysis import UNTOLD_VIEWS, base_name, is_there_already, marked, waited_operands
from ...passes.analysis.inplace_rules import MARK, is_same_area, replaced_region
from ...passes.analysis.memory_overlap import has_own_layout
from ...passes.registry import register_pass
from ...passes.value_names import names_of_results
from ...passes.verify.verify_functional import EPILOGUE_OP
from ...passes.verify.verify_order import takes_token, token_of
from ...passes.working_on import works_on_operation
from ...tuning.gpu import TUNING
from ..bounds.access_bounds import Facts, view_findings
from ..emission.kernel_builder import ContextTables, KernelBuilder
from ..kernel.outline_kernels import Outliner, launch
from ..rules.calls import call_reason
from .form_calls import call_operator, writes
from .ordered_calls import drop_tokens, order_attributes, original, retype_tokens


def graph_function(module: ir.Module) -> ir.OpView:
    """The function `@graph` of a module. Raises InvalidIR if there is none."""
    functions = [op for op in module.body.operations if op.operation.name == "func.func"]
    for function in functions:
        if text(function.attributes["sym_name"]) == "graph":
            return function
    names = ", ".join(f"@{text(f.attributes['sym_name'])}" for f in functions) or "none"
    raise InvalidIR(f"a graph is lowered to `host` as the function @graph; the functions here: {names}")


class Storages:
    """Which values share memory: `root` maps a value to the owner of its storage; `last_use` is the index of the last operation that uses
    any value of a storage."""

    def __init__(self, block: ir.Block) -> None:
        self._roots: dict[ir.Value, ir.Value] = {}
        self.last_use: dict[ir.Value, int] = {}
        for index, op in enumerate(block.operations):
            for operand in (*op.operands, *waited_operands(op)):
                self.last_use[self.root(operand)] = index
            for result, source in aliases(op):
                self._roots[result] = self.root(source)

    def root(self, value: ir.Value) -> ir.Value:
        return self._roots.get(value, value)


def aliases(op: ir.OpView) -> Iterator[tuple[ir.Value, ir.Value]]:
    """(result, operand) for every result that shares, or may share, the storage of an operand."""
    if op.operation.name == "host.view":
        yield op.results[0], op.operands[0]
        return
    yield from marked(op)
    if not aten_ops.is_operator(op):
        return
    schema = aten_ops.schema(op)
    if base_name(schema) in UNTOLD_VIEWS:
        yield op.results[0], op.operands[0]
    if not any([r.alias for r in schema.returns]):
        return
    arguments = aten_ops.arguments(op)
    sources = {a.alias: arguments[a.name] for a in schema.arguments if a.alias and a.is_tensor}
    for returned, value in zip(schema.returns, aten_ops.results(op), strict=True):
        source = sources.get(returned.alias) if returned.alias else None
        if source is None:
            continue
        for n, result in enumerate(aten_ops.listed(value)):
            yield result, source[min(n, len(source) - 1)] if isinstance(source, list) else source


class _Conversion:
    def __init__(self, module: ir.Module) -> None:
        self.function = graph_function(module)
        self.block = self.function.regions[0].blocks[0]
        self.outliner = Outliner(module)
        self.storages = Storages(self.block)
        self.fresh: set[ir.Value] = set()
        copies = [op for op in self.block.operations if op.operation.name == EPILOGUE_OP]
        self.needless = iter([is_there_already(op) for op in copies])  # in their order

    def run(self) -> None:
        tokens = drop_tokens(self.function)
        for index, op in enumerate(list(self.block.operations)):
            name = op.operation.name
            if name == "loop.kernel":
                self._kernel(index, op)
            elif aten_ops.is_operator(op):
                self._operator(op)
        for op in reversed(list(self.block.operations)):
            if op.operation.name == "aten.number" or takes_token(op):
                op.operation.erase()
        retype_tokens(self.function, tokens)
        self.function.attributes["aten.stage"] = ir.StringAttr.get("host")
        insert_frees(self.function)

    @works_on_operation
    def _kernel(self, index: int, op: ir.OpView) -> None:
        ip, loc = ir.InsertionPoint(op), op.location
        outlined = self.outliner.outline(op)
        outputs = [self._output(index, op, result, update, ip) for result, update in zip(op.results, outlined.updates, strict=True)]
        launched = launch(outlined, [*(op.operands[n] for n in outlined.inputs), *outputs], loc, ip)
        for name, attribute in names_of_results(op).items():
            launched.attributes[name] = attribute
        for result, output in zip(op.results, outputs, strict=True):
            self._replace(result, output)
        op.erase()

    def _output(self, index: int, op: ir.OpView, result: ir.Value, update: int, ip: ir.InsertionPoint) -> ir.Value:
        """The buffer of a kernel's result: a new one, a copy of the operand that it updates, or that operand itself."""
        if update >= 0 and (self._is_last_use(index, op, update) or self._is_marked(op, update)):
            return op.operands[update]
        if update >= 0:
            return self._copied(op.operands[update], result.type, op)
        buffer = ir.Operation.create("host.alloc", [result.type], loc=op.location, ip=ip).result
        self.fresh.add(buffer)
        return buffer

    def _is_marked(self, op: ir.OpView, number: int) -> bool:
        """Whether writing the operand is proved to be safe: see `verify-inplace`."""
        operand = op.operands[number]
        result = op.results[integers(op.attributes["updates"]).index(number)]
        return operand.type == result.type and any(result == r for r, _ in marked(op))

    def _is_last_use(self, index: int, op: ir.OpView, number: int) -> bool:
        """Whether the operand is this function's memory that nothing else uses now or later, with the result's layout."""
        operand = op.operands[number]
        shared = sum(self.storages.root(o) == operand for o in op.operands)
        return (
            operand in self.fresh
            and shared == 1
            and self.storages.last_use.get(operand) == index
            and operand.type == op.results[integers(op.attributes["updates"]).index(number)].type
        )

    def _replace(self, old: ir.Value, new: ir.Value) -> None:
        """Replaces `old` by `new`, in the storages too."""
        old.replace_all_uses_with(new)
        last = self.storages.last_use.pop(old, None)
        if last is not None:
            self.storages.last_use[new] = max(last, self.storages.last_use.get(new, -1))

    @works_on_operation
    def _operator(self, op: ir.OpView) -> None:
        schema = aten_ops.schema(op)
        if schema.name == "aten.copy_.default":
            self._copy(op)
        elif schema.is_view and not aten_ops.is_number(op.operands[0]) and all(_is_strided_view(op.operands[0], r) for r in op.results):
            self._view(op)
        elif MARK in op.attributes and replaced_region(op) is not None:
            self._region(op)
        elif writes(op):
            call_operator(op, lambda value, type_: self._copied(value, type_, op))
        else:
            self._copy_to_marked(op)
            self._call(op)

    def _region(self, op: ir.OpView) -> None:
        """A marked `slice_scatter` or the like: copies `src` to its region, unless it is in that memory already."""
        target, source = op.operands[0], op.operands[1]
        replaced = replaced_region(op)
        assert replaced is not None
        base = buffer_of(target)
        if buffer_of(source) != base or not is_same_area(TensorInfo.of(source.type), replaced):
            ip, loc = ir.InsertionPoint(op), op.location
            view = ir.Operation.create("host.view", [replaced.type()], [base], loc=loc, ip=ip).result
            ir.Operation.create("host.copy", operands=[view, source], loc=loc, ip=ip)
        op.results[0].replace_all_uses_with(target)
        op.operation.erase()

    def _copy_to_marked(self, op: ir.OpView) -> None:
        """Inserts copies after a marked call that writes nothing itself: they write its results to the memory of the marked operands."""
        for result, operand in list(marked(op)):
            self._replace(result, operand)
            ir.Operation.create("host.copy", operands=[operand, result], loc=op.location, ip=ir.InsertionPoint.after(op))

    def _copied(self, value: ir.Value, type_: ir.Type, before: ir.OpView) -> ir.Value:
        """A new buffer with the elements of `value`."""
        ip, loc = ir.InsertionPoint(before), before.location
        buffer = ir.Operation.create("host.alloc", [type_], loc=loc, ip=ip).result
        self.fresh.add(buffer)
        ir.Operation.create("host.copy", operands=[buffer, value], loc=loc, ip=ip)
        return buffer

    def _copy(self, op: ir.OpView) -> None:
        """Drops a copy if its source was written in place."""
        target, source = op.operands
        if next(self.needless):
            pass
        elif self._is_small(target, source):
            kernel = copy_kernel(target, source, op)
            op.results[0].replace_all_uses_with(target)
            op.operation.erase()
            self._kernel(0, kernel)
            return
        else:
            ir.Operation.create("host.copy", operands=[target, source], loc=op.location, ip=ir.InsertionPoint(op))
        op.results[0].replace_all_uses_with(target)
        op.operation.erase()

    def _is_small(self, target: ir.Value, source: ir.Value) -> bool:
        """Whether a kernel makes a copy on a GPU, which `group-launches` can join with others: a copy of few bytes, between equal dense
        tensors, from a buffer of the function."""
        info = TensorInfo.of(target.type)
        if not info.device.startswith("cuda") or source.type != target.type or source not in self.fresh:
            return False
        known = all(isinstance(n, int) for n in (*info.sizes, *info.strides, info.offset))
        if not known or info.dtype not in KERNEL_DTYPES or not has_own_layout(info):
            return False
        return 0 < math.prod(info.sizes) * (item_size(info.dtype) or 0) <= TUNING.launched_copy

    def _view(self, op: ir.OpView) -> None:
        base = buffer_of(op.operands[0])
        if op.operation.name == "aten.as_strided":
            self._check_within(base, op)
        for result in op.results:
            if next(iter(result.uses), None) is None:
                continue
            view = ir.Operation.create("host.view", [result.type], [base], loc=op.location, ip=ir.InsertionPoint(op)).result
            result.replace_all_uses_with(view)
        op.operation.erase()

    def _check_within(self, base: ir.Value, op: ir.OpView) -> None:
        """Checks that the storage holds the view. No meta function does, and a view that only kernels read is never created."""
        found = view_findings(base, op, Facts.of(self.function))
        if found.refused:
            raise UnprovedAccess(f"as_strided: {found.refused[0][1]}")
        add_requirements(self.function, found.conditions)

    def _call(self, op: ir.OpView) -> None:
        token = takes_token(op)  # then the first argument and the first result are tokens
        name = original(aten_ops.schema(op).name) if token else aten_ops.schema(op).name
        results = list(op.results)[token:]
        tensors, types = _tensors(op), [r.type for r in results]
        attributes = {
            "target": ir.StringAttr.get(name),
            "arguments": ir.ArrayAttr.get(list(_call_arguments(op, tensors))),
            "reason": op.attributes["aten.reason"] if "aten.reason" in op.attributes else ir.StringAttr.get(call_reason(name)),
            "operandSegmentSizes": run_sizes_attr([t.type for t in tensors], LAUNCH_RUNS),
            "resultSegmentSizes": run_sizes_attr(types),
            **order_attributes(op),
            **names_of_results(op),
        }
        call = ir.Operation.create("host.call", types, tensors, attributes, loc=op.location, ip=ir.InsertionPoint(op))
        for old, new in zip(results, call.results, strict=True):
            old.replace_all_uses_with(new)
        if not token:  # the next such call has its token
            op.operation.erase()


def copy_kernel(target: ir.Value, source: ir.Value, before: ir.OpView) -> ir.OpView:
    """A kernel before an operation that writes the elements of `source` to the memory of `target`, a tensor of the same type."""
    info = TensorInfo.of(target.type)
    ip = ir.InsertionPoint(before)
    builder = KernelBuilder(ContextTables(), ip, before.location, [source, target], [target.type], info.sizes, "copy", [1])
    builder.store(0, builder.load(0, builder.dims), builder.dims)
    builder.op.attributes[MARK] = ir.ArrayAttr.get([size_attr(1)])
    builder.finish()
    return builder.op.opview


def buffer_of(value: ir.Value) -> ir.Value:
    """The value, or the one that it is a `host.view` of."""
    made = value.owner if isinstance(value, ir.OpResult) else None
    return made.operands[0] if made is not None and made.name == "host.view" else value


def _is_strided_view(base: ir.Value, view: ir.Value) -> bool:
    """Whether the view is sizes, strides and offset over the storage, with the same elements."""
    return TensorInfo.of(base.type).dtype == TensorInfo.of(view.type).dtype


def _tensors(op: ir.OpView) -> list[ir.Value]:
    """The tensor operands, each once: no Python numbers and no tokens."""
    given = list(op.operands)[takes_token(op) and token_of(op) is not None :]
    return list(dict.fromkeys(v for v in given if not aten_ops.is_number(v)))


def _call_arguments(op: ir.OpView, tensors: list[ir.Value]) -> Iterator[ir.Attribute]:
    """One attribute for each argument of the called operator; `#aten.operand<N>` for tensors."""
    numbers = {v: n for n, v in enumerate(tensors)}

    def attribute(value: Any) -> ir.Attribute:
        if isinstance(value, list):
            return ir.ArrayAttr.get([attribute(v) for v in value])
        if value is None:
            return aten.NoneValue.get()
        if isinstance(value, ir.Value):
            return aten.Operand.get(aten.size_attr(numbers[value]))
        return encode_number(value)

    arguments = aten_ops.arguments(op)
    for argument in aten_ops.schema(op).arguments[takes_token(op) :]:
        yield attribute(arguments[argument.name]) if argument.is_tensor else op.attributes[argument.name]


def insert_frees(function: ir.OpView) -> None:
    """Inserts a `host.free` after the last use of every buffer that the function makes and does not return."""
    block = function.regions[0].blocks[0]
    storages = Storages(block)
    operations = list(block.operations)
    kept = {storages.root(v) for v in operations[-1].operands} | set(block.arguments)
    after: dict[int, list[ir.Value]] = {}
    for index, op in enumerate(operations):
        for result in op.results:
            if storages.root(result) == result and result not in kept and isinstance(result.type, ir.RankedTensorType):
                after.setdefault(storages.last_use.get(result, index), []).append(result)
    for index, buffers in after.items():
        ip = ir.InsertionPoint(operations[index + 1])
        for buffer in buffers:
            ir.Operation.create("host.free", operands=[buffer], ip=ip)


def convert_to_host(module: ir.Module) -> None:
    """Makes the launch sequence of the graph's function."""
    _Conversion(module).run()


register_pass("convert-to-host", convert_to_host)
