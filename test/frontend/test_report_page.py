"""The HTML report of `mlirind.explain(...).save(...)`: what stands in the page, without a browser and in one."""

import base64
import gzip
import html
import json
import linecache
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from html.parser import HTMLParser

import mlirind
import pytest
import torch
from mlirind.frontend.report.graph_view import ir_states, rows
from mlirind.frontend.report.page import PageContents, render
from mlirind.frontend.report.sources import Sources
from mlirind.runtime.launch_steps import Access, LaunchSequence, Step
from mlirind.runtime.machine_speed import MachineSpeed
from mlirind.runtime.report import GraphReport
from torch import nn

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
VOID = {"meta", "input", "link", "br"}
OPTIONAL_END = {"td", "th"}  # the page leaves these out, as HTML allows


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm, self.last = nn.Linear(64, 128), nn.LayerNorm(128), nn.Linear(128, 8)

    def forward(self, x):
        hidden = nn.functional.gelu(self.first(x))
        hidden = self.norm(hidden) * (hidden < 3)  # a "<b>" & more
        best = torch.topk(hidden, 4).values
        return self.last(hidden).softmax(-1), best


@dataclass
class Element:
    tag: str
    attributes: dict
    text: str = ""


class Page(HTMLParser):
    """The elements of a page, each with all the text inside it."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open = [], []
        self.feed(text)
        self.close()
        assert self.open == [], [e.tag for e in self.open]
        self.by_id = {e.attributes["id"]: e for e in self.elements if "id" in e.attributes}

    def handle_starttag(self, tag, attributes):
        if tag in OPTIONAL_END and self.open[-1].tag in OPTIONAL_END:
            self.open.pop()
        element = Element(tag, {name: value or "" for name, value in attributes})
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag):
        if tag not in OPTIONAL_END and self.open[-1].tag in OPTIONAL_END:
            self.open.pop()
        assert self.open.pop().tag == tag

    def handle_data(self, data):
        for element in self.open:
            element.text += data

    def with_class(self, name):
        return [e for e in self.elements if name in e.attributes.get("class", "").split()]


@pytest.fixture(scope="module")
def explanation():
    return mlirind.explain(Model(), torch.randn(32, 64))


@pytest.fixture(scope="module")
def path(explanation, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    explanation.save(path)
    return path


@pytest.fixture(scope="module")
def page(path):
    return Page(path.read_text(encoding="utf-8"))


def unpacked(element):
    return json.loads(gzip.decompress(base64.b64decode(element.text)))


def test_each_step_of_each_graph_has_a_row(explanation, page):
    rows = {e.attributes["id"]: e for e in page.with_class("step")}
    steps = {f"g{g}s{s}": step for g, graph in enumerate(explanation.graphs) for s, step in enumerate(graph.sequence.steps)}
    assert rows.keys() == steps.keys() and len(steps) > 8
    for name, step in steps.items():
        assert step.kind in rows[name].attributes["class"] and step.reason in rows[name].text
        assert all(operator in rows[name].text for operator in step.operators)
    for graph in explanation.graphs:
        made = [s.name for s in graph.sequence.steps]
        assert {k.name: k.launches for k in graph.kernels} == {k.name: made.count(k.name) for k in graph.kernels}
        assert {c.target: c.count for c in graph.calls} == {c.target: made.count(c.target) for c in graph.calls}


def test_lines_and_steps_refer_to_each_other(page):
    used = [e for e in page.with_class("used")]
    code, first = Model.forward.__code__, Model.forward.__code__.co_firstlineno
    assert [e.attributes["id"] for e in used] == [f"L0-{first + n}" for n in range(1, 5)]
    for number, element in enumerate(used, first + 1):
        assert linecache.getline(code.co_filename, number).rstrip("\n") in element.text
    named = {key for e in page.with_class("step") for key in e.attributes["data-lines"].split()}
    assert named == {e.attributes["id"] for e in used}


def test_text_of_the_program_is_escaped(page):
    assert not [e for e in page.elements if e.tag == "b" and e.attributes.get("class") not in ("kernel", "call", "copy")]
    text = render(PageContents("</script><b>", [GraphReport("<g>", fallback="x < y & z")], missing=["<i>"]))
    escaped = Page(text)
    assert escaped.by_id["graphs"].text.count("x < y & z") == 1 and "<g>" in escaped.by_id["graphs"].text
    assert "</script><b>" not in text and "<li>&lt;i&gt;" in text


def test_each_table_of_the_overview_has_a_header_and_says_none_if_it_is_empty(page):
    text = render(PageContents("empty", [GraphReport("graph")]))
    assert text.split('id="calls"')[1].split("<h2")[0].count(">none<") == 1
    heads = ["".join(e.text.split()) for e in page.elements if e.tag == "thead"]
    assert "graphinputbyteswritten" in heads and "graphoperatorbytesreasonsource" in heads


def test_the_page_needs_no_network(path, page):
    assert [e for e in page.elements if e.tag in ("link", "img", "iframe") or "src" in e.attributes] == []
    targets = {e.attributes.get("href", "#") for e in page.elements} - {"#"}
    assert all(t.startswith("#") for t in targets) and {"#heaviest", "#frames", "#memory"} <= targets
    assert [t for t in targets if t[1:] not in page.by_id and f"tab-{t[1:]}" not in page.by_id] == []
    assert "@import" not in page.elements[4].text and "url(" not in path.read_text()
    assert "Cytoscape Consortium" in page.by_id["tab-overview"].text


def test_the_data_of_the_script(explanation, page):
    data = json.loads(page.by_id["data"].text)
    assert [g["name"] for g in data["graphs"]] == [g.name for g in explanation.graphs]
    assert [len(g["steps"]) for g in data["graphs"]] == [len(g.sequence.steps) for g in explanation.graphs]
    keys = {key for g in data["graphs"] for step in g["steps"] for key in step["lines"]}
    assert keys and keys <= data["labels"].keys() and all(label.startswith("test_report_page.py:") for label in data["labels"].values())
    for own in data["graphs"]:
        names = {b[0] for b in own["buffers"]}
        assert len(names) == len(own["buffers"])
        assert {a[0] for step in own["steps"] for a in step["reads"] + step["writes"]} <= names
        assert all(e[2] in [a[0] for a in own["steps"][e[0]]["writes"]] for e in own["edges"])


def test_the_ir_of_each_stage_is_there(explanation, page):
    data = json.loads(page.by_id["data"].text)
    assert [g["name"] for g in data["ir"]] == ["joint graph", *(g.name for g in explanation.graphs)]
    for known, report in zip(data["ir"], [*explanation.partitions, *explanation.graphs], strict=True):
        ir = unpacked(page.by_id[known["id"]])
        assert ir["full"] == report.stages
        ends = [s["name"] for s in ir["states"] if "(stage" in s["name"]]
        assert all(any(f"(stage {stage})" in name for name in ends) for stage in report.stages if stage != "cpu")
        assert all(a["lines"] != b["lines"] for a, b in zip(ir["states"], ir["states"][1:], strict=False))
    text = [line[0] for line in unpacked(page.by_id["ir-0"])["lines"]]
    assert any(line.startswith("graph(self.first.weight: f32[128, 64], ") for line in text)
    assert '  gelu: f32[32, 128] = aten.gelu(addmm, approximate="none")' in text
    assert any("launch" in line for line in text) and any("store b" in line for line in text)


def test_passes_that_change_nothing_are_no_states(explanation):
    for graph in explanation.graphs:
        names = [p.step for p in graph.passes if p.lines]
        assert names[0] == "imported" and "fuse-kernels" in names and "convert-to-host" in names and "dce-aten" not in names
        assert "dce-aten" in [p.step for p in graph.passes] and len(ir_states(graph.passes, {})) == len(names)
        assert all(p.seconds > 0 for p in graph.passes if p.step != "imported")
        assert "native code of CPU kernels (LLVM)" in [p.step for p in graph.passes]


def test_bytes_and_operations_of_steps(explanation):
    steps = explanation.graphs[0].sequence.steps
    product = next(s for s in steps if s.name == "aten.addmm.default")
    assert product.flops == 2 * 32 * 64 * 128
    assert {a.buffer: a.bytes for a in product.reads} == {"self.first.weight": 32768, "self.first.bias": 512, "x": 8192}
    assert [a.bytes for a in product.writes] == [4 * 32 * 128]
    softmax = next(s for s in steps if s.operators == ("_softmax",))
    assert [a.bytes for a in softmax.reads] == [a.bytes for a in softmax.writes] == [4 * 32 * 8]
    assert softmax.flops == 5 * 32 * 8  # maximum, subtraction, exponential, sum, quotient


@pytest.mark.parametrize(
    ("function", "shape", "read"),
    [
        (lambda x: nn.functional.max_pool2d(x, 3, 2, 1), (2, 4, 16, 16), 2 * 4 * 16 * 16),  # nine loads of a quarter each
        (lambda x: x[:6] * x[1:7], (9, 32), 7 * 32),
        (lambda x: x * x.T, (24, 24), 24 * 24),
        (lambda x: x[2:, None] * x[None, 2:], (66,), 64),  # two loads of the same elements
    ],
    ids=["pool", "neighbours", "transposed", "equal"],
)
def test_several_loads_of_a_buffer_add_up_to_its_bytes_at_most(function, shape, read):
    (graph,) = mlirind.explain(function, torch.randn(shape)).graphs
    (step,) = graph.sequence.steps
    assert [a.bytes for a in step.reads] == [4 * read]


def test_live_bytes_have_the_peak_of_the_memory_plan(explanation):
    for graph in explanation.graphs:
        assert max(graph.sequence.live_bytes) == graph.memory.peak
    assert any(b.memory != b.name for g in explanation.graphs for b in g.sequence.buffers)


def test_the_page_is_small(path):
    assert path.stat().st_size < 600_000


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")
def test_clicks_in_a_browser(path, tmp_path):
    """Each tab, a step, a line, a comparison of two passes and the graph open, without an error."""
    clicked = tmp_path / "clicked.html"
    clicked.write_text(path.read_text(encoding="utf-8").replace("</body>", f"<script>{CLICKS}</script></body>"), encoding="utf-8")
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000", "--dump-dom", f"file://{clicked}"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    found = json.loads(html.unescape(result.stdout.split('<pre id="found">')[1].split("</pre>")[0]))
    assert found["errors"] == []
    assert found["tabs"] == ["overview", "source", "graph", "memory", "ir", "compile"]
    assert "kernel fused_gelu" in found["step"] and "their loops do not match" in found["softmax"] and "self.norm.weight" in found["step"]
    assert found["hot"] == ["L", "g"] and "aten.gelu" in found["line"] and "library: matrix multiplication" in found["line"]
    assert re.fullmatch(r"#g\ds\d+", found["hash"]) and re.fullmatch(r"#g\ds\d+ .*kernel fused_gelu.*", found["back"], re.DOTALL)
    assert found["removed"] > 0 and found["added"] > 0
    assert found["nodes"] > 3 and found["edges"] > 2
    assert "kB in" in found["memory"]


CLICKS = """
const errors = [];
window.addEventListener("error", e => errors.push(String(e.message)));
window.addEventListener("unhandledrejection", e => errors.push(String(e.reason)));
const wait = ms => new Promise(done => setTimeout(done, ms));
(async () => {
  const found = {errors, tabs: []};
  for (const button of document.querySelectorAll("nav button")) {
    button.click();
    found.tabs.push(document.querySelector(".tab.on").id.replace("tab-", ""));
    await wait(700);
  }
  found.nodes = graphView.nodes().length; found.edges = graphView.edges().length;
  found.memory = document.querySelector(".living").textContent;
  document.querySelector("nav button[data-tab=source]").click();
  const step = [...document.querySelectorAll("tr.step.kernel")].find(r => r.textContent.includes("gelu"));
  step.click();
  await wait(300);
  found.step = document.getElementById("details").textContent;
  [...document.querySelectorAll("tr.step.kernel")].find(r => r.textContent.includes("_softmax")).click();
  found.softmax = document.getElementById("details").textContent;
  found.hash = location.hash;
  history.back();
  await wait(300);
  found.back = location.hash + " " + document.getElementById("details").textContent;
  const line = document.querySelector(".line.used");
  line.querySelector(".t").dispatchEvent(new MouseEvent("mouseover", {bubbles: true}));
  found.hot = [...new Set([...document.querySelectorAll(".hot")].map(e => e.id[0]))];
  line.click();
  await wait(300);
  found.line = document.getElementById("details").textContent;
  [...document.querySelectorAll("[data-ir]")].find(a => a.dataset.after === "fuse-kernels").click();
  await wait(300);
  found.removed = document.querySelectorAll("#ir .del").length; found.added = document.querySelectorAll("#ir .add").length;
  document.body.append(Object.assign(document.createElement("pre"), {id: "found", textContent: JSON.stringify(found)}));
})();
"""


def test_measured_steps_and_the_line_of_a_copy(tmp_path, capsys):
    """Each step has a time and a bound. A copy into an input, which AOTAutograd adds, has the program's line and the reason."""

    def program(x, cache):
        result = (x * 2).softmax(-1)
        cache[1:].copy_(result)
        return result

    explanation = mlirind.explain(program, torch.randn(64, 64), torch.zeros(65, 64), profile=True)
    (graph,) = explanation.graphs
    copy = next(s for s in graph.sequence.steps if s.writes[0].buffer == "cache")
    assert [s.seconds > 0 for s in graph.sequence.steps] == [True] * len(graph.sequence.steps)
    assert [p.line - program.__code__.co_firstlineno for p in copy.positions] == [2]
    assert explanation.speeds.keys() == {"cpu"} and explanation.speeds["cpu"].bytes_per_second > 1e6
    explanation.save(tmp_path / "report.html")
    page = Page((tmp_path / "report.html").read_text())
    assert all(re.search(r"\d [µm]s", e.text) for e in page.with_class("step"))
    assert all(re.search(r"(memory|compute) \d+%|neither|in a cache", e.text) for e in page.with_class("step"))
    assert "a copy moves" in page.by_id["tab-overview"].text


@pytest.mark.parametrize(
    ("seconds", "bound", "sentence"),
    [
        (1.0, "memory 50%", "memory: its bytes at the speed of a copy would take 500 ms, 50% of the time"),
        (10.0, "neither", "neither memory nor compute: its bytes at the speed of a copy would take 500 ms, 5% of the time"),
        (0.25, "in a cache", "(more than all of it: the data was in a cache)"),
    ],
)
def test_the_bound_of_a_step(seconds, bound, sentence):
    step = Step("kernel", "k", ("mul",), (Access("x", 500),), (), flops=100, seconds=seconds)
    graph = GraphReport("g", sequence=LaunchSequence((step,)))
    (row,) = rows(graph, 0, Sources([]), {"cpu": MachineSpeed(1000, 1000)})
    assert row.bound == bound and sentence in row.bound_text


SCRIPT = """
import sys
import torch

def function(x, weight):
    y = x * weight
    print("printed", sys.argv[1])
    return y.sum()

compiled = torch.compile(function, backend="mlirind", dynamic=False)
for size in (3, 4):
    compiled(torch.ones(size), torch.ones(size))
"""


def test_a_whole_run(tmp_path):
    """`python -m mlirind.report` and MLIRIND_REPORT write one page for all graphs of a process, with the guards that failed."""
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [sys.executable, "-P", "-m", "mlirind.report", "--folder", str(tmp_path / "pages"), str(tmp_path / "script.py"), "word"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    assert result.stdout.count("printed word") >= 2 and "report of 4 graphs" in result.stderr
    (path,) = (tmp_path / "pages").iterdir()
    page = Page(path.read_text())
    data = json.loads(page.by_id["data"].text)
    assert len(data["graphs"]) == 4 and "weight" in [b[0] for b in data["graphs"][0]["buffers"]]
    frames = page.by_id["frames"].text
    assert "size mismatch" in frames and "expected 3, actual 4" in frames and "builtin operator" in frames
    assert "script.py" in page.by_id["tab-overview"].text
    assert len(re.findall(r"\d m?s\s*\d[\d.]* m?s", page.by_id["frame-times"].text)) >= 2  # Dynamo, AOTAutograd and mlirind


def test_kernels_say_why_they_are_not_fused(explanation, page):
    steps = explanation.graphs[0].sequence.steps
    product, softmax = (next(n for n, s in enumerate(steps) if s.operators == (name,)) for name in ("addmm", "_softmax"))
    assert [(n, "loops do not match" in reason) for n, reason in steps[softmax].unfused] == [(product, True)]
    data = json.loads(page.by_id["data"].text)
    assert data["graphs"][0]["steps"][softmax]["unfused"] == [list(pair) for pair in steps[softmax].unfused]
