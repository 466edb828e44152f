"""What `mlirind.explain` prints, the tables of option `timing`, and the progress of compilations on a terminal."""

import io
import re
import sys
from collections import Counter

import mlirind
import pytest
import torch
from mlirind import progress
from mlirind.frontend.summary import WIDTH, print_summary
from mlirind.runtime.report import GraphReport
from torch import nn


class Terminal(io.StringIO):
    """What is written to a terminal."""

    def isatty(self):
        return True


def program(x, cache):
    hidden = nn.functional.gelu(x @ x) + 1
    cache.copy_(cache.t().cumsum(0))
    torch._dynamo.graph_break()
    return torch.linalg.qr(hidden.softmax(-1)).R


@pytest.fixture(scope="module")
def explanation():
    return mlirind.explain(program, torch.randn(64, 64), torch.randn(4, 4))


def printed(explanation, file):
    print_summary(explanation.contents, file)
    return file.getvalue()


def test_the_summary_is_short_and_says_what_matters(explanation):
    text = printed(explanation, io.StringIO())
    assert max(map(len, text.splitlines())) <= 200 and len(text) < 5000 < len(explanation.ir)
    assert all(
        re.search(rf"^ {graph.name} +{len(graph.kernels)} +{graph.launches} +{graph.called} ", text, re.M) for graph in explanation.graphs
    )
    assert re.search(r"^ +1 +library: linear algebra +linalg_qr.default x1 *$", text, re.M)
    assert re.search(
        r"copies 64 B because it may not write in place:\n  aten.copy_.default, 64 B: .* \(test_summary.py:\d+: cache.copy_", text
    )
    assert "a graph ends inside program (test_summary.py:" in text
    assert re.search(r" aten.mm.default +32.8 kB +524 k +test_summary.py:\d+", text)
    assert max(len(line) for line in text.splitlines() if "─" in line) <= WIDTH


def test_colours_are_for_terminals(explanation, monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "\x1b[" in printed(explanation, Terminal()) and "\x1b" not in printed(explanation, io.StringIO())


def test_the_summary_of_a_graph_that_runs_uncompiled(explanation):
    file = io.StringIO()
    print_summary(type(explanation.contents)("f", [GraphReport("g", fallback="it is [red]too hard[/red]")]), file)
    assert "f: 1 graphs, 1 uncompiled" in file.getvalue() and "g runs uncompiled: it is [red]too hard[/red]" in file.getvalue()


def test_timing_names_the_graphs_and_covers_all(fresh_counters, capsys):
    """A table for the joint graph and for each graph, and one for the whole: its parts add up to the total."""
    model = nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8))
    torch.compile(model, backend="mlirind", options={"timing": True})(torch.randn(3, 8)).sum().backward()
    tables = re.findall(r"^time of (.*):\n((?: +[\d.]+ ms +[\d.]+%  .*\n)+)", capsys.readouterr().err, re.M)
    names = [name for name, _ in tables]
    assert len(names) == 4 and {"the joint graph", "a graph that Dynamo captured"} < set(names)
    parts = {name: dict(reversed(row.split("%  ")) for row in rows.strip().splitlines()) for name, rows in tables}
    forward = next(name for name in names if "forward" in name)
    assert {"import of the graph", "fuse-kernels", "convert-cpu-to-llvm", "native code of CPU kernels (LLVM)"} < parts[forward].keys()
    whole = parts["a graph that Dynamo captured"]
    assert {"AOTAutograd: tracing, wrappers", "joint graph: passes, partition", forward} < whole.keys()
    for own in parts.values():
        *rows, total = [float(text.split()[0]) for text in own.values()]
        assert sum(rows) == pytest.approx(total, abs=0.01 * len(rows)) and min(rows) >= 0


def terminal_as_stderr(monkeypatch, patience):
    """A terminal in place of stderr; pytest sets stderr again after a fixture."""
    stderr = Terminal()
    monkeypatch.setattr("sys.stderr", stderr)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr(progress, "PATIENCE", patience)
    return stderr


@pytest.mark.parametrize(("patience", "shown"), [(0.0, True), (1e6, False)])
def test_progress_of_a_long_compilation(fresh_counters, monkeypatch, patience, shown):
    terminal = terminal_as_stderr(monkeypatch, patience)
    torch.compile(lambda x: (x.sinh().cumsum(0), x.cumprod(1)), backend="mlirind")(torch.randn(3, 3))
    assert ("mlirind: " in terminal.getvalue()) == shown
    assert progress._line.users == 0 and progress._line.bar is None


def test_progress_counts_parts(monkeypatch):
    terminal = terminal_as_stderr(monkeypatch, 0.0)
    with progress.compiling(), progress.compiling():
        progress.progress("GPU kernels (Triton)", 3, 12)
        progress._line.bar.refresh()
    assert "GPU kernels (Triton) 3/12" in terminal.getvalue()


def test_no_progress_where_it_is_not_wanted(monkeypatch):
    terminal = terminal_as_stderr(monkeypatch, 0.0)
    for silence in (lambda: monkeypatch.setenv("MLIRIND_PROGRESS", "0"), lambda: monkeypatch.setattr("sys.stderr", io.StringIO())):
        silence()
        with progress.compiling():
            progress.progress("pass x")
            assert progress._line.bar is None
        monkeypatch.delenv("MLIRIND_PROGRESS", raising=False)
    assert terminal.getvalue() == ""


OWN = ("progress.py", "timing.py", "log_channels.py", "logs.py", "summary.py", "profiler_ranges.py")


def test_a_call_pays_for_nothing_that_is_off(fresh_counters):
    """A compiled call runs no function of what shows compilations; a compilation runs few."""
    entered = Counter()

    def count(frame, event, argument):
        entered["all"] += event == "call"
        entered["own"] += event == "call" and frame.f_code.co_filename.endswith(OWN) and "mlirind" in frame.f_globals["__name__"]

    model, x = nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8)), torch.randn(3, 8)
    compiled = torch.compile(model, backend="mlirind")
    for few in (0.001, 0):
        entered.clear()
        sys.setprofile(count)
        try:
            compiled(x).sum().backward()
        finally:
            sys.setprofile(None)
        assert entered["own"] <= few * entered["all"] and entered["all"] > 0
