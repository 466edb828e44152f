"""Broken variants of passes that lose, move or repeat ordered calls, as in `broken_passes.py`."""

from broken_passes import breach, by, drop, operators
from mlirind.dialects import aten_ops
from mlirind.passes import dce_aten

TWO_EFFECTS = """
  %0 = "aten.lib_mlirindordered_aten_print"(%token) {s = "1", aten.node = "first"} : (!k) -> !k
  %1 = "aten.lib_mlirindordered_aten_print"(%0) {s = "2", aten.node = "second"} : (!k) -> !k
  "aten.u_assert_async_msg"(%y) {assert_msg = "no", aten.node = "third"} : (!x) -> ()
  %2 = "aten.copy_"(%x, %y) {non_blocking = false} : (!x, !x) -> !x
  return %1 : !k"""
EFFECTS = {"signature": "(%token: !k, %x: !x, %y: !x) -> !k", "body": TWO_EFFECTS, "order": '["first", "second", "third"]', "writes": "[1]"}
FIRST, CHECK, WRITE = "mlirindordered.aten_print.default", "aten._assert_async.msg", "aten.copy_.default"


@breach("checks are dead", "dce-aten", "the ordered calls are \\['first', 'second'\\], and were", **EFFECTS)
def _(patch):
    patch.setattr(dce_aten, "_erasable", lambda op: op.name == aten_ops.op_name(CHECK))


breach("effects are dropped", "dce-aten", "the ordered calls are \\['third'\\], and were", **EFFECTS)(drop(FIRST))


@breach("a check moves before an effect", "dce-aten", "the ordered calls are \\['third', 'first', 'second'\\], and were", **EFFECTS)
def _(patch):
    by(lambda module: operators(module, CHECK)[0].move_before(operators(module, FIRST)[0]))(patch)


@breach("a write moves before a check", "dce-aten", "is an ordered call behind a write to a graph input", **EFFECTS)
def _(patch):
    by(lambda module: operators(module, WRITE)[0].move_before(operators(module, CHECK)[0]))(patch)


@breach("an effect is repeated", "dce-aten", "a token is passed on 2 times", **EFFECTS)
def _(patch):
    def run(module):
        first, second = operators(module, FIRST)
        second.operands[0] = first.operands[0]

    by(run)(patch)
