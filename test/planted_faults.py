"""Faults planted in the compiler, each with a program that it makes wrong, the pass and the operator that are to blame.

`python test/planted_faults.py` runs `python -m mlirind.bisect` on each and prints a line a fault: the seconds, the operations of the graph
that shows it, and the pass. `python test/planted_faults.py NAME` runs a program with its fault, as a script for `mlirind.bisect`.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import torch

os.environ.setdefault("MLIRIND_CACHE", "0")  # compile in each process


@dataclass(frozen=True)
class Fault:
    """`plant(set_to)` makes the compiler wrong: `set_to(owner, name, value)` sets an attribute, or an item of a dictionary. `step` and
    `operator`: what must be named."""

    name: str
    step: str
    operator: str
    program: object
    arguments: object
    plant: object


FAULTS = {}


def fault(step, operator, *shapes, program):
    """Decorates a function that plants a fault. The program gets tensors of these shapes; an operator is a regular expression."""

    def register(plant):
        name = plant.__name__

        def arguments():
            generator = torch.Generator().manual_seed(0)
            return [s if isinstance(s, torch.Tensor) else torch.randn(s, generator=generator) for s in shapes]

        FAULTS[name] = Fault(name, step, operator, program, arguments, plant)
        return plant

    return register


@fault("remove-noops", r"aten\.relu", (4, 8), program=lambda x: torch.relu(x) + x.sin())
def relu_is_a_noop(set_to):
    from mlirind.passes import remove_noops

    set_to(remove_noops._RULES, "aten.relu.default", lambda a: a["self"])


@fault("constant-fold", r"aten\.mul", (4,), program=lambda x: torch.full((4,), 2.0) * 3 + x)
def folded_numbers_are_too_large(set_to):
    from mlirind.passes import constant_fold

    replace = constant_fold._replace
    set_to(constant_fold, "_replace", lambda op, number: replace(op, number + 1))


@fault("cse-aten", r"aten\.cumsum", (4, 4), program=lambda x: x.cumsum(0) + x.cumsum(1))
def calls_with_other_attributes_are_equal(set_to):
    from mlirind.passes import cse_aten

    set_to(cse_aten, "_key", lambda op: (op.name, tuple(op.operands), () if "cumsum" in op.name else op.results[0]))


def write(x):
    y = x.exp()
    x.add_(1)
    return y


@fault("dce-aten", r"aten\.copy_", (4, 4), program=write)
def a_write_is_dropped(set_to):
    from mlirind.passes import dce_aten

    erasable = dce_aten._erasable
    set_to(dce_aten, "_erasable", lambda op: op.name == "aten.copy_" or (op.name != "func.return" and erasable(op)))


@fault("canonicalize-aten", r"aten\.permute", (3, 3, 3), program=lambda x: x.permute(1, 2, 0).permute(0, 2, 1).exp())
def one_of_two_permutes_is_lost(set_to):
    from mlirind.passes import canonicalize_aten

    def last_alone(op, _storages):
        inner = op.operands[0].owner
        if getattr(inner, "name", "") != "aten.permute":
            return None
        dims = canonicalize_aten.aten_ops.arguments(op)["dims"]
        return canonicalize_aten._create("aten.permute.default", {"self": inner.operands[0], "dims": dims}, op)

    set_to(canonicalize_aten._RULES, "aten.permute.default", last_alone)


@fault("simplify-cats", r"aten\.slice", (4, 4), (4, 4), program=lambda x, y: torch.cat([x, y])[5:7].exp())
def another_part_of_a_cat_is_read(set_to):
    from mlirind.passes import simplify_cats

    position = simplify_cats._position

    def shifted(part):
        found = position(part)
        return found and (found[0], found[1] - 1, found[2] - 1)

    set_to(simplify_cats, "_position", shifted)


@fault("fold-cumsum", r"aten\.cumsum", (5,), program=lambda x: torch.full((5,), 2.0).cumsum(0) + x)
def multiples_are_too_large(set_to):
    from mlirind.passes import fold_cumsum

    as_summed = fold_cumsum._as_summed
    set_to(fold_cumsum, "_as_summed", lambda *given: as_summed(*given) and as_summed(*given) + 1)


@fault("user-patterns", r"aten\.sin", (4, 4), program=lambda x: x.sin() * 2)
def a_users_rewrite_is_wrong(set_to):
    from mlirind.dialects import aten_ops
    from mlirind.patterns import register_rewrite

    register_rewrite(
        "aten.sin.default", lambda op: aten_ops.create("aten.cos.default", {"self": op.operands[0]}, [op.results[0].type]).result
    )


def cache(x, at, new):
    changed = torch.index_copy(x, 0, at, new)
    y = x @ x
    x.copy_(changed)
    return y


@fault("reinplace", r"aten\.index_copy", (4, 4), torch.tensor([1]), (1, 4), program=cache)
def later_readers_are_forgotten(set_to):
    from mlirind.passes import reinplace

    set_to(reinplace._Marker, "_refused", lambda *_: None)
    set_to(reinplace.Contents, "stale_reads", lambda *_: iter(()))


@fault("convert-aten-to-loop", r"aten\.leaky_relu", (4, 8), program=lambda x: torch.nn.functional.leaky_relu(x, 0.1) * 2)
def a_constant_of_a_rule_is_wrong(set_to):
    from mlirind.lowering.rules import RULES

    rule = RULES["aten.leaky_relu.default"]

    def steeper(call):
        arguments = call.arguments
        call.arguments = arguments | {"negative_slope": 0.1003}
        return rule(call)

    set_to(RULES, "aten.leaky_relu.default", steeper)


@fault("convert-aten-to-loop", r"aten\.maximum", (4, 8), (4, 8), program=lambda x, y: torch.maximum(x, y).exp())
def a_rule_takes_the_minimum(set_to):
    from mlirind.lowering.rules import RULES

    set_to(RULES, "aten.maximum.default", RULES["aten.minimum.default"])


@fault("convert-aten-to-loop", r"aten\.amax", (4, 8), program=lambda x: torch.softmax(x.amax(1), 0))
def a_reduction_has_another_kind(set_to):
    from mlirind.lowering.rules import RULES

    set_to(RULES, "aten.amax.default", RULES["aten.amin.default"])


@fault("convert-aten-to-loop", r"aten\.tanh", (4, 8), program=lambda x: x.tanh() + 1)
def a_rule_raises(set_to):
    from mlirind.lowering.rules import RULES

    set_to(RULES, "aten.tanh.default", lambda call: {}["tanh"])


@fault("convert-aten-to-loop", r"aten\.relu", (4, 8), (4, 8), program=lambda x, y: (torch.relu(x), torch.relu(y)))
def a_copied_kernel_reads_the_first_ones_input(set_to):
    from mlirind.lowering.repeated_calls import RepeatedCalls

    copied = RepeatedCalls.copied

    def stale(self, key, op):
        values = copied(self, key, op)
        for known in self._known.get(key).kernels if values else ():
            for n, value in enumerate(known[0].operands):
                values[0].owner.operands[n] = value
        return values

    set_to(RepeatedCalls, "copied", stale)


@fault("fuse-kernels", r"\bsum\b", (4, 8), program=lambda x: x.exp().sum(1) + 1)
def the_last_element_is_not_summed(set_to):
    from mlirind.lowering.fusion import fuse_kernels

    write_kernel = fuse_kernels.write_kernel

    def shorter(kernel, *rest):
        if len(kernel.extents) > 1:
            kernel.extents = [*kernel.extents[:-1], kernel.extents[-1] - 1]
        return write_kernel(kernel, *rest)

    set_to(fuse_kernels, "write_kernel", shorter)


def written(x, w):
    doubled = x * 2
    y = x @ w
    x.copy_(doubled)
    return y


@fault("reinplace-kernels", r"kernel mul|aten\.mul", (4, 4), (4, 4), program=written)
def a_kernel_writes_what_a_call_reads_later(set_to):
    from mlirind.lowering.fusion import reinplace_kernels

    set_to(reinplace_kernels._Marker, "_refused", lambda *_: None)


@fault("normalize-kernels", r"\bexp\b", (4, 8), program=lambda x: x.exp() + 1)
def an_extent_is_too_small(set_to):
    from mlirind.lowering.kernel import normalize_kernels

    collapse = normalize_kernels._collapse

    def shorter(kernel):
        collapse(kernel)
        kernel.extents = [*kernel.extents[:-1], kernel.extents[-1] - 1]

    set_to(normalize_kernels, "_collapse", shorter)


@fault("plan-memory", r"kernel add", (64, 64), (64, 64), program=lambda x, w: (x @ w) + (x @ w).t())
def a_kernel_may_overwrite_what_it_reads_later(set_to):
    from mlirind.lowering.memory import plan_memory

    set_to(plan_memory, "may_lie_in", lambda *_: True)
    set_to(plan_memory.Planner, "_position_among", lambda self, operands, donor, output: 0)


@fault("convert-loop-to-cpu", r"\bsub\b", (4, 8), (4, 8), program=lambda x, y: (x - y).exp())
def the_code_of_a_difference_is_a_sum(set_to):
    from mlirind.lowering.cpu import scalar_ops

    set_to(scalar_ops._SPECIAL, "arith.subf", lambda b, operands, element: b.elementwise("arith.addf", operands, element))


@fault("convert-loop-to-cpu", r"\bsum\b", (3, 200), program=lambda x: x.exp().sum(1))
def the_bound_of_a_tile_is_wrong(set_to):
    from mlirind.lowering.cpu.nest import Nest

    blocks = Nest._blocks

    def fewer(self, dim, lower, upper, step, carried, emit):
        return blocks(self, dim, lower, upper - step if step > 1 else upper, step, carried, emit)

    set_to(Nest, "_blocks", fewer)


def plant(fault, set_to=None):
    """Makes the compiler wrong, for good unless `set_to` undoes it."""

    def set_for_good(owner, name, value):
        if isinstance(owner, dict):
            owner[name] = value
        else:
            setattr(owner, name, value)

    fault.plant(set_to or set_for_good)


def run(fault, options=None):
    """Compiles and calls the program; the results are not looked at."""
    compiled = torch.compile(fault.program, backend="mlirind", options=options or {})
    return compiled(*fault.arguments())


def bisect(name):
    """Runs `mlirind.bisect` on one fault; returns seconds, what it printed, and the operations of the graph in the file that it names."""
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-P", "-m", "mlirind.bisect", "--folder", folder, __file__, name]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        seconds, file = time.perf_counter() - start, re.search(r"repeat it with: mlirind-opt .*?(\S+\.mlir)", done.stdout)
        return seconds, done.stdout + done.stderr, operations(Path(file[1]).read_text()) if file else []


def operations(text):
    """The operators and kernels of a graph, in order."""
    return re.findall(r'^    (?:%\w+(?::\d+)? = )?"((?!aten\.number|aten\.sym_value)aten\.\w+|loop\.kernel)"', text, re.MULTILINE)


def names(fault, text):
    """Whether a text names the pass and the operator."""
    return f"`{fault.step}`" in text and re.search(fault.operator, text.split(f"`{fault.step}`", 1)[1]) is not None


def main():
    """Bisects all faults; the exit code is 1 if one is not named."""
    failed = 0
    for number, fault in enumerate(FAULTS.values(), 1):
        seconds, text, graph = bisect(fault.name)
        found = names(fault, text)
        failed += not found
        print(f"{number:2} {'found' if found else 'MISSED'} {seconds:5.1f} s  {fault.step}, {fault.name}: {', '.join(graph)}", flush=True)
        if not found:
            print(text)
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.exit(main())
    chosen = FAULTS[sys.argv[1]]
    plant(chosen)
    run(chosen)
