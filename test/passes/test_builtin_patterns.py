"""Every built-in pattern finds its own search function, and nothing in which one literal is another; those with gradients too."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

import pytest
from mlirind.dialects import aten, aten_ops
from mlirind.dialects.context import compile_context
from mlirind.passes.driver import QUIET, run_passes
from mlirind.passes.patterns.engine import pattern_set
from mlirind.passes.patterns.engine.pattern_set import FOLDER
from torch_mlir import ir

# The pass of each file of patterns.
PASSES = {"attention": "fuse-attention", "attention_training": "fuse-attention"}
TEXTS = [(file, text) for file in PASSES for text in pattern_set.read(file)]
# What stands for an open number, and for an input that a pattern wants to be one number.
# On what stands for an input.
MADE = "aten.made"
VIEWS = tuple(aten_ops.op_name(f"aten.{n}.default") for n in ("permute", "view", "expand", "unsqueeze", "alias", "detach"))
SCALE, FILL = "1.250000e-01 : f64", "0xFFF0000000000000 : f64"


def named(case):
    return re.search(r"module @(\w+)", case[1])[1]


def graph(text, dense=True):
    """A module with the search function; inputs lie, and are, as the pattern's check wants them. Sizes are any from 2 on, but for those
    with gradients: there a mask is to be known, so sizes are numbers."""
    types, _, rest = text.partition("module @")
    body = re.search(r"  func\.func @search.*?\n  }\n", rest, re.DOTALL)[0].replace("@search", "@graph")
    body = body.replace('#aten.expr<"scale">', SCALE).replace('#aten.expr<"fill">', FILL)
    if "tangent_0" in body:
        types, body = with_numbers(types), with_numbers(body)
    symbols = ", ".join(f"{s} = [2, 1000, {n + 3}]" for n, s in enumerate(sorted(set(re.findall(r"\bd\d+\b", types)))))
    body = body.replace(" {\n", f" attributes {{aten.symbols = {{{symbols}}}}} {{\n", 1)
    module = ir.Module.parse(types + "module {\n" + body + "}")
    function = module.body.operations[0]
    lay_rows_of_k(function, dense)
    inputs_are_made(function, named((None, text)))
    return module


def with_numbers(text):
    """The text with a number for each size."""
    text = re.sub(r'#aten\.expr<"([d\d*]+)">', lambda m: str(eval(re.sub(r"d(\d+)", r"(\1 + 3)", m[1]))), text)
    layout = r'tensor<(?:[?\d]+x)*(\w+), (#aten\.layout<"cpu", \[[^]]*\], 0 : i64), \[([^]]*)\]>>'
    return re.sub(layout, lambda m: f"tensor<{m[3].replace(', ', 'x')}x{m[1]}, {m[2]}, unit>>", text)


def inputs_are_made(function, pattern):
    """Operators for the inputs that are to be known: the number of masked scores, a mask of which gradients are computed, and what is
    another input permuted."""
    block = function.regions[0].blocks[0]
    for argument, notes in zip(block.arguments, function.attributes["arg_attrs"], strict=True):
        with ir.InsertionPoint.at_block_begin(block):
            made = made_input(block, argument, notes, leaves="_dropped_" not in pattern and "_filled_" not in pattern)
        if made is not None:
            argument.replace_all_uses_with(made)


def made_input(block, argument, notes, leaves):
    """`leaves`: where a mask is true, scores stay."""
    name, info = notes["aten.name"].value, aten.TensorInfo.of(argument.type)
    is_known = name == "fill" or (name == "mask" and all(isinstance(s, int) for s in info.sizes))
    if is_known:
        value = float("-inf") if name == "fill" else info.dtype == "bool" and leaves
        arguments = {"size": list(info.sizes), "fill_value": value, "dtype": info.dtype}
        return aten_ops.create("aten.full.default", arguments, [argument.type], extra={MADE: ir.UnitAttr.get()}).result
    if "pattern.permuted" not in notes:
        return None
    number, *dims = (int(aten.size_of(n)) for n in notes["pattern.permuted"])
    arguments = {"self": block.arguments[number], "dims": dims}
    return aten_ops.create("aten.permute.default", arguments, [argument.type], extra={MADE: ir.UnitAttr.get()}).result


def lay_rows_of_k(function, dense):
    """Attention takes k transposed, from a tensor whose rows lie densely, or don't."""
    block = function.regions[0].blocks[0]
    for argument, notes in zip(block.arguments, function.attributes["arg_attrs"], strict=True):
        if notes["aten.name"].value == "k":
            info = aten.TensorInfo.of(argument.type)
            *heads, d, n = info.sizes
            strides = (heads[-1] * d * n, d * n) if len(heads) == 2 else (d * n,)
            argument.set_type(replace(info, strides=(*strides, *((1, d) if dense else (n, 1)))).type())
    results = ir.FunctionType(function.attributes["function_type"].value).results
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get([a.type for a in block.arguments], results))


def changes(module, name):
    """Whether the pass does something with the module."""
    before = str(module)
    run_passes(module, [name], QUIET)  # a call with another literal may be one that its operator refuses
    return str(module) != before


@pytest.mark.parametrize("case", TEXTS, ids=map(named, TEXTS))
def test_a_pattern_finds_its_own_search_function(case):
    file, text = case
    with compile_context():
        module = graph(text)
        assert changes(module, PASSES[file])
        module.operation.verify()


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


@pytest.mark.parametrize("case", TEXTS, ids=map(named, TEXTS))
def test_no_literal_may_be_another(case):
    """Each literal of each operator in turn."""
    file, text = case
    tried = 0
    with compile_context():
        places = [(n, a) for n, op in enumerate(operators(graph(text))) for a in op.attributes if searched(op, a)]
        for number, name in places:
            for other in other_literals(operators(graph(text))[number].attributes[name]):
                module = graph(text)
                operators(module)[number].attributes[name] = other
                assert not changes(module, PASSES[file]), f"{name} = {other}"
                tried += 1
    assert tried


@pytest.mark.parametrize("case", TEXTS, ids=map(named, TEXTS))
def test_no_value_within_may_be_used_elsewhere(case):
    """Each value that is computed within, in turn, is a result of the graph too."""
    file, text = case
    tried = 0
    with compile_context():
        first = graph(text)
        places = [n for n, op in enumerate(operators(first)) if computed_within(op)]
        for number in places:
            module = graph(text)
            also_returned(module, operators(module)[number].results[0])
            assert not changes(module, PASSES[file]), number
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


INFERENCE = [case for case in TEXTS if case[0] == "attention"]


@pytest.mark.parametrize("case", INFERENCE, ids=map(named, INFERENCE))
def test_rows_that_lie_apart(case):
    """The fused operator has no kernel for a k whose rows lie apart."""
    with compile_context():
        assert not changes(graph(case[1], dense=False), PASSES[case[0]])


MASKED = [case for case in INFERENCE if "_added" in named(case) and "float16" not in named(case)]


@pytest.mark.parametrize("case", MASKED, ids=map(named, MASKED))
def test_a_mask_of_another_dtype(case):
    """A narrower one, which leaves the scores what they are; the fused operator takes none such."""
    with compile_context():
        module = graph(case[1])
        function = module.body.operations[0]
        arguments = function.regions[0].blocks[0].arguments
        for argument, notes in zip(arguments, function.attributes["arg_attrs"], strict=True):
            if notes["aten.name"].value == "mask":
                argument.set_type(replace(aten.TensorInfo.of(argument.type), dtype="bfloat16").type())
        results = ir.FunctionType(function.attributes["function_type"].value).results
        function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get([a.type for a in arguments], results))
        assert not changes(module, PASSES[case[0]])


def operators(module):
    return [op.operation for op in module.body.operations[0].regions[0].blocks[0].operations]


def searched(op, name):
    """Whether an attribute is a literal of the pattern: no open number, nor of the input that stands for one."""
    if op.name == aten_ops.op_name("aten.masked_fill.Scalar"):
        return False
    return op.name != "aten.number" and MADE not in op.attributes and not name.startswith("operandSegment")


def test_the_files_are_fresh():
    """Every file has what `python -m mlirind.tools.gen_patterns` would write; some patterns here, `make lint` compares all."""
    from mlirind.tools import gen_patterns

    assert sorted(path.name for path in FOLDER.glob("*.mlir")) == sorted(f"{name}.pdl.mlir" for name in gen_patterns.FILES)
    for name, make in gen_patterns.FILES.items():
        first = list(itertools.islice(make(), 3))
        assert first == [old.rstrip("\n") for old in pattern_set.read(name)[:3]], "run python -m mlirind.tools.gen_patterns"


def test_an_open_number_is_the_same_wherever_it_stands():
    """What divides the scores divides their gradient."""
    file, text = next(case for case in TEXTS if named(case) == "attention_divided_unmasked_training")
    with compile_context():
        for value, found in ((0.125, True), (0.5, False)):
            module = graph(text)
            *_, last = [op for op in operators(module) if op.name == aten_ops.op_name("aten.div.Tensor")]
            last.operands[1] = aten_ops.create_number(value, ip=ir.InsertionPoint(last))
            assert changes(module, PASSES[file]) == found
