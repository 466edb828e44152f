"""Each broken variant of a pass is caught by a verifier after the pass, by the pass's lit test, or by a comparison with eager's values."""

import subprocess
import sys
from pathlib import Path

import broken_kernel_passes  # noqa: F401  (registers its breaches)
import broken_order  # noqa: F401  (and its own)
import pytest
import torch
from broken_passes import BREACHES
from eager_comparison import difference
from mlirind.dialects import aten_ops
from mlirind.dialects.context import compile_context
from mlirind.lowering.fusion import fusion_graph
from mlirind.lowering.launch import convert_to_host
from mlirind.options import Options
from mlirind.passes import constant_fold, cse_aten, dce_aten, reinplace, remove_noops, remove_redundant_views
from mlirind.passes.analysis import alias_analysis
from mlirind.passes.driver import PassFailed, run_passes
from mlirind.passes.rewriting.replacement import Replacer
from mlirind.tools import mlirind_opt
from mlirind.tools.backends import find_backend
from programs import observe
from torch_mlir import ir

VERIFIED = Options(verify_each=True, reproducer=False)


def run(breach):
    with compile_context():
        run_passes(ir.Module.parse(breach.program), [*breach.before, breach.step], VERIFIED)


@pytest.mark.parametrize("breach", BREACHES, ids=lambda b: b.name)
def test_a_verifier_sees_it(breach, monkeypatch):
    """The verifier accepts the result of the pass, and names the error in the result of the broken pass."""
    run(breach)
    breach.breaks(monkeypatch)
    with pytest.raises(PassFailed, match=breach.message) as failure:
        run(breach)
    assert failure.value.step == breach.step


def across_writes(self, op):
    """cse-aten that merges calls across a write."""
    schema = aten_ops.schema(op)
    if schema.returns and not schema.mutates and not schema.fresh:
        self._visit(op)


def fresh_too(self, op):
    """cse-aten that merges copies and random numbers."""
    schema = aten_ops.schema(op)
    if schema.mutates:
        self.known.clear()
    elif schema.returns:
        self._visit(op)


def without_wrapping(patch):
    """constant-fold that computes in int64."""
    patch.setattr(constant_fold, "_is_few", lambda _: False)
    patch.setattr(constant_fold, "_fits", lambda *_, **__: True)
    sample = constant_fold._sample
    patch.setattr(constant_fold, "_sample", lambda value: sample(value).long())


def first_number(result):
    """The number of the first element, if all are equal to it, whatever their signs."""
    return result.flatten()[0].item() if bool((result == result.flatten()[0]).all()) else None


# What no verifier can see, and the pass's own test does: the name of its file in this folder.
SEEN_BY_LIT = {
    "cse merges across a write": ("cse_aten", lambda p: p.setattr(cse_aten._Merger, "_operator", across_writes)),
    "cse merges random values": ("cse_aten", lambda p: p.setattr(cse_aten._Merger, "_operator", fresh_too)),
    "cse does not look at arguments": ("cse_aten", lambda p: p.setattr(cse_aten, "_key", lambda op: (op.name, tuple(op.operands)))),
    "adding 0.0 to a float is nothing": ("remove_noops", lambda p: p.setattr(remove_noops.math, "copysign", lambda *_: -1.0)),
    "what is saved is the caller's": ("remove_noops", lambda p: p.setattr(alias_analysis, "may_be_saved", lambda _: set())),
    "the backward may read what is another's": ("remove_noops", lambda p: p.setattr(alias_analysis, "read_by_backward", lambda *_: True)),
    "the backward reads copies only": ("remove_noops", lambda p: p.setattr(alias_analysis, "read_by_backward", lambda *_: False)),
    "what is put back may lie elsewhere": ("remove_noops", lambda p: p.setattr(remove_noops, "_equal", lambda *_: True)),
    "zeros of both signs are one number": ("constant_fold", lambda p: p.setattr(constant_fold, "_only_number", first_number)),
    "integers do not wrap": ("constant_fold", without_wrapping),
    "a narrow float holds a wide one": ("remove_redundant_views", lambda p: p.setattr(remove_redundant_views, "holds", lambda *_: True)),
    "random draws are dead": ("dce_aten", lambda p: p.setattr(dce_aten, "_erasable", lambda op: aten_ops.is_operator(op))),
}


@pytest.mark.parametrize("name", SEEN_BY_LIT)
def test_the_test_of_the_pass_sees_it(name, monkeypatch, capsys):
    """FileCheck accepts the output of the pass for its lit test, and refuses that of the broken pass."""
    stem, breaks = SEEN_BY_LIT[name]
    assert accepted(stem, capsys)
    breaks(monkeypatch)
    assert not accepted(stem, capsys)


def accepted(stem, capsys):
    path = Path(__file__).parent / f"{stem}.mlir"
    command = path.read_text().splitlines()[0].split("%mlirind-opt %s")[1].split("|")[0].split()
    capsys.readouterr()
    if mlirind_opt.main([*command, str(path)]):
        return False
    checker = [sys.executable, "-P", "-m", "filecheck", str(path)]
    return subprocess.run(checker, input=capsys.readouterr().out, text=True, capture_output=True).returncode == 0


class Anything:
    """Equal to everything."""

    __hash__ = None

    def __eq__(self, other):
        return True


def no_order(graph):
    """No writer waits for a reader."""
    graph.nodes[-1].before.update(graph.nodes[:-1])


def without_offset(op, replacer):
    """remove-redundant-views that looks at sizes and strides only."""
    value = op.operands[0]
    while isinstance(value, ir.OpResult) and value.owner.name.startswith("aten.") and len(value.owner.operands):
        if list(value.type.shape) == list(op.results[0].type.shape):
            op.results[0].replace_all_uses_with(value)
            return
        value = value.owner.operands[0]


def part_of_a_part(x):
    return x.relu()[0:2].as_strided((2,), (1,), 2) * 2


def part_of_another(x, y, new):
    return torch.slice_scatter(x.relu(), torch.select_scatter(y.relu()[2:4], new, 0, 1), 0, 2, 4)


def old_and_new(x, at, new):
    y = x.mm(x)
    z = y.index_copy(0, at, new)
    return y, z


def read_before(x, at, new):
    z = x.sin()
    x.index_copy_(0, at, new)
    return z + x


ONLY_VALUES = {
    "a view fold forgets the offset": (remove_redundant_views, "_reuse", without_offset, part_of_a_part, lambda: (torch.arange(4.0),)),
    "as_strided elsewhere vanishes": (
        Replacer, "allowed", lambda replacer, op, source: replacer._types_agree(op.results[0], source), part_of_a_part,
        lambda: (torch.arange(4.0),),
    ),
    "a part goes to another tensor": (
        reinplace, "_viewed", lambda _: Anything(), part_of_another,
        lambda: (torch.arange(16.0).view(4, 4), -torch.ones(4, 4), torch.ones(4)),
    ),
    "a buffer is updated though it is read later": (
        convert_to_host._Conversion, "_is_last_use", lambda *_: True, old_and_new,
        lambda: (torch.arange(16.0).view(4, 4), torch.tensor([1]), torch.ones(1, 4)),
    ),
    "a write overtakes a read": (
        fusion_graph, "_order_effects", no_order, read_before,
        lambda: (torch.arange(16.0).view(4, 4), torch.tensor([1]), torch.ones(1, 4)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ONLY_VALUES)
def test_values_tell(name, monkeypatch):
    """Without verification, the compiled program gives eager's values, and other values if the pass is broken."""
    owner, attribute, broken, program, make_inputs = ONLY_VALUES[name]
    options = {"fallback": False, "verify_each": False, "reproducer": False}
    want = observe(program, make_inputs)
    assert difference(want, compiled(program, make_inputs, options)) is None
    monkeypatch.setattr(owner, attribute, broken)
    got = compiled(program, make_inputs, options)
    assert "raises" not in got, got["raises"]
    assert difference(want, got) is not None


def compiled(program, make_inputs, options):
    torch._dynamo.reset()
    return observe(torch.compile(program, backend=find_backend("mlirind"), options=options), make_inputs)


def test_there_are_many():
    """The project promises at least this many."""
    assert len(BREACHES) + len(SEEN_BY_LIT) + len(ONLY_VALUES) >= 25
    assert len({b.name for b in BREACHES}) == len(BREACHES)
