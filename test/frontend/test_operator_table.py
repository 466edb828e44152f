"""The table of docs/control_flow.md: how operators with subgraphs, and operators whose results have sizes that depend on data, are
compiled. `python test/frontend/test_operator_table.py` prints it. PyTorch refuses gradients of `flex_attention` on CPUs before it calls the
operator; here it does not."""

import warnings
from pathlib import Path

import pytest
import torch
import torch._dynamo
from mlirind.bridge import opaque_calls
from mlirind.frontend.backend import mlirind as backend
from mlirind.frontend.counters import counters
from mlirind.lowering.host.routes import BODIES
from mlirind.runtime.report import collect_reports
from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.map import map as map_rows
from torch._higher_order_ops.out_dtype import out_dtype
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop
from torch.nn.attention import flex_attention as flex
from torch.nn.attention.flex_attention import flex_attention

PAGE = Path(__file__).parents[2] / "docs" / "control_flow.md"
BEGIN, END = "<!-- table: test/frontend/test_operator_table.py -->\n", "<!-- end of the table -->"


@torch.library.custom_op("operator_table::positive", mutates_args=())
def positive(x: torch.Tensor) -> torch.Tensor:
    return x[x > 0].clone()


@positive.register_fake
def _positive(x):
    return x.new_empty(torch.library.get_ctx().new_dynamic_size())


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.sin() * 2

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 3


def count(x):
    found = (x > 0).sum().item()
    torch._check(found >= 0)
    return found


def checked_slice(x):
    found = count(x)
    torch._check(found <= x.numel())
    return x.reshape(-1)[:found]


def split_by_lengths(x):
    lengths = [count(x), count(-x)]
    torch._check(sum(lengths) == x.numel())
    return torch.split(x.reshape(-1), lengths)[0]


@torch.compiler.nested_compile_region
def region(x):
    return (x * 2).sin()


# A program of one matrix for each operator.
PROGRAMS = {
    "`torch.cond`": lambda x: torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos() * 2, (x,)),
    "`torch.cond`, a condition of sizes": lambda x: torch.cond(x.shape[0] > 3, lambda x: x.sin(), lambda x: x.cos() * 2, (x,)),
    "`while_loop`": lambda x: while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, (a @ a).tanh()), (torch.tensor(0), x))[1],
    "`scan`": lambda x: scan(lambda carry, row: (carry + row.sin(), carry * row), x[0] * 0, x, dim=0)[1],
    "`associative_scan`, generic": lambda x: associative_scan(lambda a, b: a * b + a, x * 2, dim=0, combine_mode="generic"),
    "`map`": lambda x: map_rows(lambda row: row.sin().sum(0), x * 2),
    "`flex_attention`": lambda x: flex_attention(*[(x * 2)[None, None]] * 3, score_mod=lambda score, b, h, i, j: score + (i - j)),
    "`nested_compile_region` (`invoke_subgraph`)": lambda x: region(region(x)),
    "`checkpoint`": lambda x: torch.utils.checkpoint.checkpoint(lambda x: x.sin().exp(), x, use_reentrant=False),
    "`autograd.Function`": lambda x: Doubled.apply(x),
    "`out_dtype`": lambda x: out_dtype(torch.ops.aten.mm.default, torch.int32, *[(x * 10).to(torch.int8)] * 2),
    "`nonzero`": lambda x: (x > 0).nonzero() * 2,
    "`argwhere`": lambda x: torch.argwhere(x) * 2,
    "`torch.where(condition)`": lambda x: torch.where(x > 0)[0] * 2,
    "`x[mask]`": lambda x: x[x > 0] * 2,
    "`x[mask] = number`": lambda x: x.clone().masked_fill_(x > 0, 2.0),
    "`x[mask] = tensor`": lambda x: torch.index_put(x, (x > 0,), x[x > 0] * 2),
    "`masked_select`": lambda x: torch.masked_select(x, x > 0) * 2,
    "`masked_scatter`": lambda x: torch.masked_scatter(x, x > 0, x * 2),
    "`unique`": lambda x: torch.unique(x.round()) * 2,
    "`unique_consecutive`": lambda x: torch.unique_consecutive(x.round()) * 2,
    "`repeat_interleave(tensor)`": lambda x: torch.repeat_interleave(x, (x[:, 0] > 0).long() + 1, dim=0) * 2,
    "`bincount`": lambda x: torch.bincount((x > 0).reshape(-1).long()) * 2,
    "`item`, as a number": lambda x: x * (x > 0).sum().item(),
    "`item`, as a size": lambda x: x.new_ones(count(x)) * 2,
    "`item`, as the end of a slice": lambda x: checked_slice(x) * 2,
    "`split` by lengths of data": lambda x: split_by_lengths(x) * 2,
    "custom operator with a size of data": lambda x: positive(x) * 2,
}


def how(program, train):
    """The cell of the table for a program, and eager's answer compared."""
    torch._dynamo.reset()
    counters.reset()
    given, wanted = ((torch.arange(9.0).reshape(3, 3) - 3.6).requires_grad_(train) for _ in range(2))
    try:
        want = results(program, wanted)
    except Exception:
        return "eager has none"
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True, capture_scalar_outputs=True):
        try:
            with collect_reports() as reports:
                # Inference of types takes unbacked sizes for their hints, of which PyTorch's assertions are not true.
                found = results(torch.compile(program, backend=backend, fullgraph=True, options={"verify_each": False}), given)
        except Exception:
            torch._dynamo.reset()
            if raises(torch.compile(program, backend="aot_eager", fullgraph=True), wanted):
                return "PyTorch refuses it"
            raise
    torch.testing.assert_close(found, want)
    return kind(reports)


def results(program, x):
    """The result, and the input's gradient if the input has one."""
    result = program(x)
    if not x.requires_grad:
        return [result]
    (gradient,) = torch.autograd.grad(result.square().sum(), x)
    return [result.detach(), gradient]


def raises(program, x):
    try:
        results(program, x)
    except Exception:
        return True
    return False


def kind(reports):
    """How graphs with these reports were compiled."""
    if counters.fallbacks or any(r.fallback for r in reports):
        return "runs through FX"
    if any(r.name.endswith(".size") for r in reports):
        return "in parts"
    routes = {call.route for r in reports for call in r.calls if call.target.startswith(opaque_calls.OPAQUE)}
    if not routes:
        return "compiled"
    if routes == {BODIES}:
        return "native call, bodies compiled"
    return "opaque call, bodies compiled" if any(".body_" in r.name for r in reports) else "opaque call"


def table():
    """The table's lines."""
    rows = [(name, how(program, False), how(program, True)) for name, program in PROGRAMS.items()]
    return "".join(f"| {' | '.join(row)} |\n" for row in (("operator", "inference", "training"), ("---",) * 3, *rows))


@pytest.mark.filterwarnings("ignore")
def test_the_page_has_the_table(fresh_counters, monkeypatch):
    monkeypatch.setattr(flex, "_validate_device", lambda *_: None)
    text = PAGE.read_text()
    assert text.partition(BEGIN)[2].partition(END)[0] == table()


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    flex._validate_device = lambda *_: None
    print(table(), end="")
