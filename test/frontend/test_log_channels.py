"""What `TORCH_LOGS`, `TORCH_TRACE` and torch.profiler show of compiled graphs."""

import json
import logging
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from mlirind.frontend import log_channels
from mlirind.frontend.log_channels import hint_lines
from mlirind.runtime.report import CallEntry, GraphReport, StayingCopy
from mlirind.runtime.report_requests import collectors
from mlirind.torch_internals.log_names import LOG_NAMES
from torch import nn

TLPARSE = shutil.which("tlparse") or shutil.which("tlparse", path=str(Path(sys.executable).parent))
STAGES = ("aten", "loop", "host", "cpu", "kernels", "fusion", "perf_hints", "passes")

PROGRAM = """
import torch

def function(x, w):
    y = torch.nn.functional.gelu(x @ w)
    return y.cumsum(0).softmax(-1), torch.topk(y, 2).values

compiled = torch.compile(function, backend="mlirind", dynamic=False)
for rows in (4, 5):
    w = torch.randn(8, 8, requires_grad=True)
    compiled(torch.randn(rows, 8), w)[0].sum().backward()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the logs and the trace of a run of the program."""
    folder = tmp_path_factory.mktemp("logs")
    (folder / "program.py").write_text(PROGRAM)
    command = [sys.executable, "-P", str(folder / "program.py")]
    on = {"TORCH_LOGS": "aten,loop,host,kernels,fusion,perf_hints,recompiles", "TORCH_TRACE": str(folder / "trace")}
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True, env=os.environ | on)
    (folder / "logs").write_text(result.stderr)
    return folder


def test_names_of_logs(folder):
    """Each name shows its own, in PyTorch's format, with the compilation's id; the entry point makes PyTorch take the names."""
    text = (folder / "logs").read_text()
    lines = {name: [line for line in text.splitlines() if f"[0/0] [__{name}]" in line] for name in LOG_NAMES}
    found = {name: "\n".join(re.sub(r"^.*?\] \[0/0\] \[__\w+\] ", "", line) for line in own) for name, own in lines.items()}
    assert '"aten.gelu"' in found["aten"] and "aten.backward" in found["aten"] and '"host.launch"' not in found["aten"]
    assert "loop.kernel" in found["loop"]
    assert '"host.launch"' in found["host"] and "aten.topk" in found["host"]
    assert "ATen aten.topk" in found["kernels"] and "llvm.func" in found["kernels"] and "the forward saves" in found["kernels"]
    assert re.search(r"step \d+, kernel \w+: .*gelu", found["fusion"]) and "  not fused with step" in found["fusion"]
    assert "ATen runs aten.topk.default x1: library" not in found["perf_hints"]
    assert "[__recompiles]" in text and "expected 4, actual 5" in text


def test_stages_in_the_trace(folder):
    """`TORCH_TRACE` has each stage of each graph as an artifact of its compilation, and tlparse shows it."""
    (path,) = (folder / "trace").iterdir()
    records = [json.loads(line[line.index("{") :]) for line in path.read_text().splitlines() if line.startswith("V") and "{" in line]
    ours = [r for r in records if r.get("artifact", {}).get("name", "").startswith("mlirind_")]
    names = {r["artifact"]["name"] for r in ours if (r["frame_id"], r["frame_compile_id"]) == (0, 0)}
    graphs = {name.removeprefix("mlirind_").removesuffix("_passes") for name in names if name.endswith("_passes")}
    assert len(graphs) == 2 and any("forward" in g for g in graphs) and any("backward" in g for g in graphs)
    assert names == {"mlirind_joint_aten", *(f"mlirind_{graph}_{stage}" for graph in graphs for stage in STAGES)}
    assert all(r["artifact"]["encoding"] == ("json" if r["artifact"]["name"].endswith("_passes") else "string") for r in ours)
    if TLPARSE is None:
        pytest.skip("no tlparse")
    command = [TLPARSE, str(path), "-o", str(folder / "page"), "--no-browser", "--strict-compile-id"]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    index = (folder / "page" / "index.html").read_text()
    assert all(re.search(rf"-_0_0_0/{name}_\d+\.(txt|json)", index) for name in names)
    (loop,) = (folder / "page").glob("-_0_0_0/*forward*_loop_*.txt")
    assert "loop.kernel" in loop.read_text()


def test_nothing_is_collected_while_all_is_off(fresh_counters, monkeypatch):
    """A compilation with all logs off keeps no report, and one with a log on leaves no collector behind."""
    seen = []
    monkeypatch.setattr(log_channels._Reports, "append", lambda self, report: seen.append(report.name))
    function = lambda x: x.sin() + 1  # noqa: E731
    torch.compile(function, backend="mlirind")(torch.ones(3))
    assert seen == []
    monkeypatch.setattr(log_channels._loggers["kernels"], "propagate", True)
    monkeypatch.setattr(log_channels._loggers["kernels"], "level", logging.DEBUG)
    log_channels._loggers["kernels"].manager._clear_cache()
    torch.compile(function, backend="mlirind")(torch.ones(3, 3))
    log_channels._loggers["kernels"].manager._clear_cache()
    assert len(seen) == 1 and collectors == []


def test_hints():
    """An operator of a library is no hint, unless Python calls it; a copy, a missing rule and an uncompiled graph are."""
    calls = [
        CallEntry("aten.mm.default", "library: matrix multiplication", 1, "aoti_torch_cpu_mm_out"),
        CallEntry("aten.foo.default", "no lowering", 2, "Python", ("model.py:1: foo(x)",)),
        CallEntry("aten.bar.default", "no lowering", 1, "aoti_torch_bar"),
    ]
    report = GraphReport("graph", calls=tuple(calls), copies=(StayingCopy("aten.copy", 16, "its input is read later", ("model.py:2: y",)),))
    assert hint_lines(report) == [
        "ATen runs aten.foo.default x2: no lowering; called by Python",
        "  model.py:1: foo(x)",
        "ATen runs aten.bar.default x1: no lowering",
        "a copy of 16 bytes stays, by aten.copy: its input is read later",
        "  model.py:2: y",
    ]
    assert hint_lines(GraphReport("graph", fallback="no lowering")) == ["runs uncompiled: no lowering"]


class Layer(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.linear, self.norm = nn.Linear(size, 64), nn.LayerNorm(32)

    def forward(self, x):
        return self.norm(self.linear(x).topk(32).values)


def test_a_profiler_shows_modules(fresh_counters):
    """Each kernel and each call of ATen lies in a range of its module's path."""
    model = nn.Sequential(Layer(64), Layer(32))
    compiled, x = torch.compile(model, backend="mlirind"), torch.randn(256, 64)
    with torch.no_grad():
        compiled(x)
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
            result = compiled(x)
        torch.testing.assert_close(result, model(x))
    ranges = {event.name: event for event in profile.events()}
    assert {"0.linear", "0", "0.norm", "1.linear", "1", "1.norm"} <= ranges.keys()
    inside = {name: {child.name for child in ranges[name].cpu_children} for name in ("0", "1.norm")}
    assert "aten::topk" in inside["0"] and any("native_layer_norm" in name for name in inside["1.norm"])
