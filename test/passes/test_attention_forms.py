"""`fuse-attention` replaces each form of attention by the same operations as the traced replacement. If one literal of a form is changed,
it replaces nothing."""

from __future__ import annotations

import functools
import re
from dataclasses import replace

import attention_forms
import pytest
from mlirind.dialects import aten, aten_ops
from mlirind.dialects.context import compile_context
from mlirind.passes.analysis.alias_analysis import functions_with_body
from mlirind.passes.driver import QUIET, run_passes
from mlirind.passes.patterns.attention.search import written_attentions
from mlirind.passes.patterns.engine.pattern_rewriting import apply, replace_candidates
from mlirind.passes.patterns.engine.pattern_set import from_text
from torch_mlir import ir

INFERENCE, TRAINING = list(attention_forms.inference()), list(attention_forms.training())
FORMS = [*INFERENCE, *TRAINING]
# On what stands for an input.
MADE = "aten.made"
VIEWS = tuple(aten_ops.op_name(f"aten.{n}.default") for n in ("permute", "view", "expand", "unsqueeze", "alias", "detach"))
# What stands for an open number.
SCALE, FILL = "1.250000e-01 : f64", "0xFFF0000000000000 : f64"


def each(forms):
    return pytest.mark.parametrize("form", forms, ids=[f.name for f in forms])


@functools.cache
def traced(form, bake_shapes=True):
    return form.text(bake_shapes=bake_shapes)


def graph(form, dense=True, bake_shapes=True):
    """A module with the form's search function as the graph. Its inputs have the layouts and values that the conditions require; symbolic
    sizes are 2 or more."""
    types, _, rest = traced(form, bake_shapes).partition("module @")
    body = re.search(r"  func\.func @search.*?\n  }\n", rest, re.DOTALL)[0].replace("@search", "@graph")
    body = body.replace('#aten.expr<"scale">', SCALE).replace('#aten.expr<"fill">', FILL)
    symbols = ", ".join(f"{s} = [2, 1000, {n + 3}]" for n, s in enumerate(sorted(set(re.findall(r"\bd\d+\b", types)))))
    body = body.replace(" {\n", f" attributes {{aten.symbols = {{{symbols}}}}} {{\n", 1)
    module = ir.Module.parse(types + "module {\n" + body + "}")
    function = module.body.operations[0]
    lay_rows_of_k(function, dense)
    inputs_are_made(function, form)
    return module


def inputs_are_made(function, form):
    """Replaces inputs by operators if a condition needs their values: the number that masked scores become, the mask in a training graph,
    and an input that is a permutation of another one."""
    block = function.regions[0].blocks[0]
    for argument, notes in zip(block.arguments, function.attributes["arg_attrs"], strict=True):
        with ir.InsertionPoint.at_block_begin(block):
            made = made_input(block, argument, notes, form)
        if made is not None:
            argument.replace_all_uses_with(made)


def made_input(block, argument, notes, form):
    name, info = notes["aten.name"].value, aten.TensorInfo.of(argument.type)
    if name == "fill" or (name == "mask" and form.joint):
        value = float("-inf") if name == "fill" else form.mask == "kept"
        arguments = {"size": list(info.sizes), "fill_value": value, "dtype": info.dtype}
        return aten_ops.create("aten.full.default", arguments, [argument.type], extra={MADE: ir.UnitAttr.get()}).result
    if "pattern.permuted" not in notes:
        return None
    number, *dims = (int(aten.size_of(n)) for n in notes["pattern.permuted"])
    arguments = {"self": block.arguments[number], "dims": dims}
    return aten_ops.create("aten.permute.default", arguments, [argument.type], extra={MADE: ir.UnitAttr.get()}).result


def lay_rows_of_k(function, dense):
    """Gives the transposed operand k the strides of a tensor whose rows are contiguous (`dense`), or are not."""
    block = function.regions[0].blocks[0]
    for argument, notes in zip(block.arguments, function.attributes["arg_attrs"], strict=True):
        if notes["aten.name"].value == "k":
            info = aten.TensorInfo.of(argument.type)
            *heads, d, n = info.sizes
            strides = (heads[-1] * d * n, d * n) if len(heads) == 2 else (d * n,)
            argument.set_type(replace(info, strides=(*strides, *((1, d) if dense else (n, 1)))).type())
    results = ir.FunctionType(function.attributes["function_type"].value).results
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get([a.type for a in block.arguments], results))


def changes(module):
    """Whether `fuse-attention` changes the module."""
    before = str(module)
    run_passes(module, ["fuse-attention"], QUIET)  # a call with another literal may be one that its operator refuses
    return str(module) != before


def check(form, **sizes):
    """`fuse-attention` finds the form, and gives what the traced pattern gives."""
    with compile_context():
        given, found, wanted = (graph(form, **sizes) for _ in range(3))
        for function in functions_with_body(found):
            replace_candidates(function, functools.partial(written_attentions, function))
        for function in functions_with_body(wanted):
            assert apply(function, [from_text(traced(form, **sizes), "attention")]) == 1
        assert str(found) == str(wanted) != str(given)
        run_passes(given, ["fuse-attention"], QUIET)
        given.operation.verify()


def test_the_forms():
    """The number of combinations of scale, mask, its rank, half type, merged heads and gradients; each has a name of its own."""
    assert (len(INFERENCE), len(TRAINING)) == (77, 38)
    assert len({f.name for f in FORMS}) == len(FORMS)


@each(FORMS)
def test_the_replacement_is_what_tracing_gives(form):
    check(form)


SYMBOLIC = INFERENCE[::20]


@each(SYMBOLIC)
def test_the_replacement_with_symbolic_sizes(form):
    check(form, bake_shapes=False)


def other_literals(attribute):
    """Attributes that differ from one in one literal."""
    if isinstance(attribute, ir.BoolAttr):
        yield ir.BoolAttr.get(not attribute.value)
    elif isinstance(attribute, ir.IntegerAttr):
        yield aten.size_attr(attribute.value + 1)
        yield aten.size_attr(attribute.value - 1)
    elif isinstance(attribute, ir.FloatAttr):
        yield ir.FloatAttr.get(attribute.type, attribute.value + 1)
    elif isinstance(attribute, aten.NoneValue):
        yield aten.size_attr(1)
    elif isinstance(attribute, aten.Enum):
        yield aten.Enum.get(attribute.kind.maybe_downcast(), ir.StringAttr.get("float64"))
    elif isinstance(attribute, ir.ArrayAttr):
        for i in range(len(attribute)):
            for other in other_literals(attribute[i]):
                yield ir.ArrayAttr.get([other if j == i else a for j, a in enumerate(attribute)])


@each(FORMS)
def test_a_changed_literal_prevents_the_replacement(form):
    """Changes each literal of each operator, one at a time."""
    tried = 0
    with compile_context():
        places = [(n, a) for n, op in enumerate(operators(graph(form))) for a in op.attributes if searched(op, a)]
        for number, name in places:
            for other in other_literals(operators(graph(form))[number].attributes[name]):
                module = graph(form)
                operators(module)[number].attributes[name] = other
                assert not changes(module), f"{name} = {other}"
                tried += 1
    assert tried


@each(FORMS)
def test_a_used_interior_value_prevents_the_replacement(form):
    """Returns each value between the form's inputs and results from the graph, one at a time."""
    tried = 0
    with compile_context():
        first = graph(form)
        places = [n for n, op in enumerate(operators(first)) if computed_within(op)]
        for number in places:
            module = graph(form)
            also_returned(module, operators(module)[number].results[0])
            assert not changes(module), number
            tried += 1
    assert tried


def computed_within(op):
    """Whether an operation computes something that the caller does not get."""
    if MADE in op.attributes or not aten_ops.is_operator(op) or op.name in VIEWS or not len(op.operands):
        return False
    return not any(use.owner.operation.name == "func.return" for use in op.results[0].uses)


def also_returned(module, value):
    function, ending = module.body.operations[0], operators(module)[-1]
    returned = [*ending.operands, value]
    with ir.InsertionPoint(ending):
        ir.Operation.create("func.return", operands=returned, loc=ir.Location.unknown())
    ending.erase()
    signature = ir.FunctionType.get([a.type for a in function.regions[0].blocks[0].arguments], [v.type for v in returned])
    function.attributes["function_type"] = ir.TypeAttr.get(signature)


@each(INFERENCE)
def test_rows_that_lie_apart(form):
    """The fused operator has no kernel for a k whose rows lie apart."""
    with compile_context():
        assert not changes(graph(form, dense=False))


MASKED = [form for form in INFERENCE if form.mask.startswith("added") and not form.upcast]


@each(MASKED)
def test_a_mask_of_another_dtype(form):
    """A bfloat16 mask does not change the dtype of float32 scores, but the fused operator refuses it: nothing is replaced."""
    with compile_context():
        module = graph(form)
        function = module.body.operations[0]
        arguments = function.regions[0].blocks[0].arguments
        for argument, notes in zip(arguments, function.attributes["arg_attrs"], strict=True):
            if notes["aten.name"].value == "mask":
                argument.set_type(replace(aten.TensorInfo.of(argument.type), dtype="bfloat16").type())
        results = ir.FunctionType(function.attributes["function_type"].value).results
        function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get([a.type for a in arguments], results))
        assert not changes(module)


def operators(module):
    return [op.operation for op in module.body.operations[0].regions[0].blocks[0].operations]


def searched(op, name):
    """Whether an attribute is a literal of the form: not an open number, and not of an operator that replaces an input."""
    if op.name == aten_ops.op_name("aten.masked_fill.Scalar"):
        return False
    return op.name != "aten.number" and MADE not in op.attributes and not name.startswith("operandSegment")


def test_the_scale_of_the_gradient_is_the_scale():
    """The gradient is divided by the number that divides the scores; with another number nothing is replaced."""
    form = next(form for form in TRAINING if form.name == "attention_divided_unmasked_training")
    with compile_context():
        for value, found in ((0.125, True), (0.5, False)):
            module = graph(form)
            *_, last = [op for op in operators(module) if op.name == aten_ops.op_name("aten.div.Tensor")]
            last.operands[1] = aten_ops.create_number(value, ip=ir.InsertionPoint(last))
            assert changes(module) == found
