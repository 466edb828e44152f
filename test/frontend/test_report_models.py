"""The pages of BERT's training, GPT-2's decoding and a ResNet, in a browser: ten questions are answered by a few clicks each."""

import html
import json
import re
import subprocess

import pytest
from report_models import bert_training, gpt2_decoding, resnet
from test_report_page import CHROMIUM

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")

BOUND = r"(neither|in a cache|(memory|compute) \d+%)"

# What the clicks use, and what they find: the answer of each question by its name.
CLICKS = """
(async () => {
const answers = {errors: []};
window.addEventListener("error", e => answers.errors.push(String(e.message)));
window.addEventListener("unhandledrejection", e => answers.errors.push(String(e.reason)));
const until = async test => { for (let n = 0; n < 200 && !test(); n++) await new Promise(done => setTimeout(done, 20)); };
const tab = name => document.querySelector(`nav button[data-tab=${name}]`).click();
const text = selector => document.querySelector(selector)?.textContent ?? "";
const step = words => [...document.querySelectorAll("tr.step")].find(row => row.cells[1].title.includes(words));
const details = async words => { step(words).click(); await until(() => text("#details pre")); return text("#details"); };
const section = title => [...document.querySelectorAll("h2")].find(h => h.textContent.startsWith(title)).nextElementSibling.textContent;
const find = words => {
  byId("steps-find").value = words;
  byId("steps-find").dispatchEvent(new Event("input"));
  return text("#steps-note");
};
try { QUESTIONS } catch (error) { answers.errors.push(String(error)); }
document.body.append(Object.assign(document.createElement("pre"), {id: "answers", textContent: JSON.stringify(answers)}));
})();
"""


def answers(explanation, tmp_path, questions):
    """What the clicks on the page of a report find."""
    path = tmp_path / "report.html"
    explanation.save(path)
    script = f"<script>{CLICKS.replace('QUESTIONS', questions)}</script></body>"
    path.write_text(path.read_text(encoding="utf-8").replace("</body>", script), encoding="utf-8")
    command = [
        CHROMIUM,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--window-size=1440,900",
        "--virtual-time-budget=20000",
        "--dump-dom",
        f"file://{path}",
    ]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    found = json.loads(html.unescape(result.stdout.split('<pre id="answers">')[1].split("</pre>")[0]))
    assert found.pop("errors") == []
    return found


def writers_and_lines_are_right(explanation):
    """A buffer's writer is the first step that writes it; the embedding's kernel has no line of the loss."""
    for graph in explanation.graphs:
        steps, made = graph.sequence.steps, [b for b in graph.sequence.buffers if b.kind in ("buffer", "result")]
        first = {b.name: next(n for n, s in enumerate(steps) if b.name in [a.buffer for a in s.writes]) for b in made}
        assert made and {b.name: b.writer for b in made} == first
    embedded = next(s for s in explanation.graphs[0].sequence.steps if "native_layer_norm" in s.operators)
    assert embedded.positions and not [p.text for p in embedded.positions if "loss" in p.text]


def test_bert_training(tmp_path):
    explanation = bert_training()
    writers_and_lines_are_right(explanation)
    found = answers(
        explanation,
        tmp_path,
        """
        answers["which line made this copy"] = text("#moving");
        answers["which operators does ATen run, and why"] = [...document.querySelectorAll("#calls td")].map(e => e.textContent).join(" ");
        answers["why are there two functions"] = text("#frames");
        answers["what does the forward save, and which lines make it"] = section("Saved for the backward");
        tab("memory");
        answers["what holds memory at the peak"] = text(".memory:not([hidden]) .living");
        answers["where is the end of this table"] = document.querySelector(".living table").getBoundingClientRect().right;
        tab("source");
        answers["why is this softmax not in the kernel of the product"] = await details("_softmax");
        answers["which steps does this layer have"] = find("layer.0.attention");
        tab("compile");
        const row = [...document.querySelectorAll("#tab-compile tr")].find(r => r.cells[0].textContent === "canonicalize-aten");
        answers["which operators did this pass remove"] = row.textContent;
        const line = [...document.querySelectorAll(".line.used")].find(e => e.textContent.includes("functional.softmax(attn_weights"));
        line.click();
        await until(() => document.querySelector("#details pre .del"));
        answers["which pass removed an operator of this line"] = text("#details");
        document.querySelector("#where a[href='#saved']").click();
        await until(() => document.querySelector("#tab-overview.on"));
        answers["where is what the forward saves"] = document.querySelector("#saved").getBoundingClientRect().top;
        answers["where does the header end"] = document.querySelector("header").getBoundingClientRect().bottom;
        """,
    )
    assert "clone" in found["which line made this copy"] and "modeling_bert.py" in found["which line made this copy"]
    assert (
        "native_dropout.default" in found["which operators does ATen run, and why"]
        and "random" in found["which operators does ATen run, and why"]
    )
    assert "Unsupported Tensor.backward() call" in found["why are there two functions"]
    saved = found["what does the forward save, and which lines make it"]
    assert "modeling_bert.py" in saved and 0 <= saved.find("aten.addmm.default") < saved.find("an input")  # what the forward makes is first
    assert "at the peak" not in found["what holds memory at the peak"] and "During step" in found["what holds memory at the peak"]
    assert re.search(r"native_dropoutf32[^,]*, 16, 32][^,]*, returnedby aten\.native_dropout", found["what holds memory at the peak"])
    reasons = found["why is this softmax not in the kernel of the product"]
    assert "not fused with" in reasons and ("ATen runs it" in reasons or "their loops do not match" in reasons)
    count, _, total = found["which steps does this layer have"].removesuffix(" steps").partition(" of ")
    assert 10 < int(count) < int(total)
    assert re.search(r"detach.*permute ×\d+", found["which operators did this pass remove"])
    changes = found["which pass removed an operator of this line"].partition("what the passes did")[2]
    assert re.search(r"imported\+ _softmax: .*canonicalize-aten- detach: .* = aten\.detach\(_softmax\)", changes)
    assert found["where does the header end"] <= found["where is what the forward saves"] < 1000
    assert "aten.view" not in saved and "aten.permute" not in saved and "native_dropout" in saved
    assert found["where is the end of this table"] < 1440


def test_gpt2_decoding(tmp_path):
    found = answers(
        gpt2_decoding(),
        tmp_path,
        """
        answers["what does a step write of the cache"] = section("Writes to inputs");
        answers["which line costs most"] = section("Heaviest steps");
        tab("compile");
        const link = [...document.querySelectorAll("[data-ir]")].find(a => a.dataset.after === "fuse-kernels");
        link.click();
        await until(() => document.querySelector("#ir .add"));
        answers["what did fusion change"] = [...document.querySelectorAll("#ir .add, #ir .del")].map(e => e.textContent);
        """,
    )
    assert "cache.layers[0].keys" in found["what does a step write of the cache"] and " of " in found["what does a step write of the cache"]
    assert "modeling_gpt2.py" in found["which line costs most"] or "pytorch_utils.py" in found["which line costs most"]
    changed = found["what did fusion change"]
    assert {line[0] for line in changed} == {"+", "-"} and any("computes" in line for line in changed)


def test_resnet(tmp_path):
    found = answers(
        resnet(),
        tmp_path,
        """
        tab("source");
        answers["what limits this convolution, and how fast is it"] = await (async () => {
          const row = step("convolution"); row.click(); return [row.textContent, text("#details")];
        })();
        answers["which step takes most time, and what limits it"] = document.querySelector("#heaviest + table tbody tr").textContent;
        tab("graph");
        await until(() => window.graphView);
        answers["nodes"] = graphView.nodes().length;
        """,
    )
    row, details = found["what limits this convolution, and how fast is it"]
    assert re.search(BOUND, row) and "B/s" in details and "library: convolution" in details
    assert "of the time" in details and re.search(r"(memory|compute): its (bytes|operations) at the speed of a", details)
    assert re.search(rf"aten\.convolution.*[µm]s{BOUND}", found["which step takes most time, and what limits it"])
    assert found["nodes"] > 8
