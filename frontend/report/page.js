"use strict";
// The page's own script. Everything that it shows stands in the page: no request leaves it.
const data = JSON.parse(document.getElementById("data").textContent);
const byId = id => document.getElementById(id);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function scaled(value, units) {
  let n = 0;
  while (value >= 1000 && n < units.length - 1) { value /= 1000; n++; }
  return (value >= 100 || (n === 0 && Number.isInteger(value)) ? value.toFixed(0) : value.toPrecision(3)) + " " + units[n];
}
const bytes = value => scaled(value, ["B", "kB", "MB", "GB", "TB"]);
const flop = value => value === null ? "unknown" : scaled(value, ["", "k", "M", "G", "T"]).trim();
const time = value => scaled(value * 1e6, ["µs", "ms", "s"]);

async function unpacked(element) {
  const packed = Uint8Array.from(atob(element.textContent.trim()), c => c.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

// Tabs, and the graph that is shown.
let graph = 0;
function show(tab) {
  all("nav button").forEach(b => b.classList.toggle("on", b.dataset.tab === tab));
  all(".tab").forEach(t => t.classList.toggle("on", t.id === "tab-" + tab));
  if (tab === "graph") drawGraph();
  if (tab === "ir") openIR();
  if (tab === "memory") showMemory();
}
function pick(number) {
  graph = Number(number);
  byId("graph-pick").value = graph;
  const heading = byId("g" + graph);
  if (heading) heading.scrollIntoView();
  all(".memory").forEach(m => { m.hidden = Number(m.dataset.graph) !== graph; });
  const active = document.querySelector("nav button.on").dataset.tab;
  if (active !== "source" && active !== "overview" && active !== "compile") show(active);
}
all("nav button").forEach(b => b.addEventListener("click", () => { show(b.dataset.tab); visited(b.dataset.tab); }));
// An entry in the browser's history for what is open now: "back" opens what was open before.
function visited(name) {
  if (location.hash !== "#" + name) history.pushState(null, "", "#" + name);
}
byId("graph-pick").addEventListener("change", e => pick(e.target.value));
all("[data-go]").forEach(a => a.addEventListener("click", e => { e.preventDefault(); show(a.dataset.go); pick(a.dataset.graph); visited(a.dataset.go); }));

// Source lines and steps.
const steps = all("tr.step");
const stepsOf = new Map();
for (const row of steps) {
  for (const key of row.dataset.lines.split(" ").filter(Boolean)) {
    if (!stepsOf.has(key)) stepsOf.set(key, []);
    stepsOf.get(key).push(row);
  }
}
const related = element => element.classList.contains("step")
  ? element.dataset.lines.split(" ").filter(Boolean).map(byId).filter(Boolean)
  : stepsOf.get(element.id) || [];

function heat(element, scroll) {
  all(".hot").forEach(e => e.classList.remove("hot"));
  if (!element) return;
  const found = related(element);
  [element, ...found].forEach(e => e.classList.add("hot"));
  if (scroll && found.length) found[0].scrollIntoView({block: "center"});
}
for (const pane of [byId("source"), byId("steps")]) {
  pane.addEventListener("mouseover", e => heat(e.target.closest(".line.used, tr.step"), false));
  pane.addEventListener("mouseleave", () => heat(null));
  pane.addEventListener("click", e => { const found = e.target.closest(".line.used, tr.step"); if (found) pin(found); });
}
// Shows the steps whose operators, module, reason or lines have the text.
byId("steps-find").addEventListener("input", e => {
  const wanted = e.target.value.toLowerCase(), found = steps.filter(row => {
    row.hidden = !(row.textContent + row.title + all("[title]", row).map(c => c.title).join()).toLowerCase().includes(wanted);
    return !row.hidden;
  });
  byId("steps-note").textContent = wanted ? `${found.length} of ${steps.length} steps` : "";
});
function pin(element, both = false) {
  all(".pinned").forEach(e => e.classList.remove("pinned"));
  const found = related(element);
  [element, ...found].forEach(e => e.classList.add("pinned"));
  if (element.classList.contains("step")) stepDetails(element.id); else lineDetails(element.id);
  visited(element.id);
  // The details take a part of the window: scroll when they are there.
  if (both) element.scrollIntoView({block: "center"});
  if (found.length) found[0].scrollIntoView({block: "center"});
}
function goTo(id) {
  show("source");
  if (byId(id)) pin(byId(id), true);
}
document.addEventListener("click", e => {
  const link = e.target.closest("[data-step], [data-line]");
  if (!link) return;
  e.preventDefault();
  goTo(link.dataset.step || link.dataset.line);
});

const stepLink = (g, s, text) => {
  const a = make("a", {href: "#", textContent: text ?? data.graphs[g].steps[s].name});
  a.dataset.step = `g${g}s${s}`;
  return a;
};
const lineLink = key => { const a = make("a", {href: "#", textContent: data.labels[key] || key}); a.dataset.line = key; return a; };
function joined(parts, by = ", ") {
  const span = make("span");
  parts.forEach((p, n) => span.append(...(n ? [by, p] : [p])));
  return span;
}
// The first of several links, and the others on request.
function folded(links) {
  if (links.length < 2) return joined(links);
  const rest = make("a", {href: "#", textContent: ` + ${links.length - 1} more`});
  rest.addEventListener("click", e => { e.preventDefault(); rest.replaceWith(...links.slice(1).flatMap(l => [", ", l])); });
  return make("span", {}, links[0], rest);
}
function table(head, rows) {
  const body = make("tbody", {}, ...rows.map(r => make("tr", {}, ...r.map((c, n) =>
    make("td", {className: head[n] && head[n].endsWith("#") ? "n" : ""}, c)))));
  const heads = head.map(h => make("th", {className: h.endsWith("#") ? "n" : "", textContent: h.replace("#", "")}));
  return make("table", {}, make("thead", {}, make("tr", {}, ...heads)), body);
}
function details(title, ...parts) {
  const close = make("button", {className: "close", textContent: "×", title: "close", onclick: () => { byId("details").hidden = true; }});
  byId("details").replaceChildren(close, make("h3", {}, title), ...parts);
  byId("details").hidden = false;
}
function list(pairs) {
  return make("dl", {}, ...pairs.filter(p => p[1] !== "" && p[1] !== null).flatMap(([k, v]) => [make("dt", {textContent: k}), make("dd", {}, v)]));
}

// Why a kernel is not fused with the steps that make its inputs or read its results, or that read what it reads: [step, reason].
function reasonsOf(g, s) {
  const own = data.graphs[g], found = new Map();
  if (own.steps[s].kind !== "kernel") return [];
  for (const [n, reason] of own.steps[s].unfused) found.set(n, reason);
  own.steps.forEach((step, n) => { for (const [m, reason] of step.unfused) if (m === s) found.set(n, reason); });
  for (const [a, b] of own.edges) {
    const other = a === s ? b : b === s ? a : s, step = own.steps[other];
    if (other !== s && step.kind !== "kernel") found.set(other, step.kind === "call" ? `ATen runs it: ${step.reason}` : "it is a copy");
  }
  return [...found].sort((a, b) => a[0] - b[0]);
}

function stepDetails(id) {
  const [g, s] = id.slice(1).split("s").map(Number);
  const own = data.graphs[g], step = own.steps[s];
  const types = new Map(own.buffers.map(b => [b[0], b]));
  const from = new Map(own.edges.filter(e => e[1] === s).map(e => [e[2], e[0]]));
  const readers = buffer => own.edges.filter(e => e[0] === s && e[2] === buffer).map(e => e[1]);
  const memory = name => { const b = types.get(name); return b && b[6] !== name ? `in the memory of ${b[6]}` : b ? b[3] : ""; };
  const accesses = table(["", "buffer", "type", "bytes#", "memory", "other steps"], [
    ...step.reads.map(([name, size]) => ["reads", name, (types.get(name) || [])[1] || "", bytes(size), memory(name),
      from.has(name) ? joined(["written by ", stepLink(g, from.get(name))], "") : ""]),
    ...step.writes.map(([name, size]) => ["writes", name, (types.get(name) || [])[1] || "", bytes(size), memory(name),
      readers(name).length ? joined(["read by ", joined(readers(name).map(n => stepLink(g, n, `${n} ${own.steps[n].name}`)))], "") : ""]),
  ]);
  const total = [...step.reads, ...step.writes].reduce((sum, a) => sum + a[1], 0);
  const facts = list([
    ["computes", step.kind === "kernel" ? step.operators.join(", ") : ""],
    [step.kind === "copy" ? "why a copy" : "why ATen", step.reason], ["called by", step.route],
    ["source", joined(step.lines.map(lineLink))], ["module", step.modules.join(", ")],
    ["bytes", bytes(total)], ["FLOP", flop(step.flops) + (step.flops && total ? `, ${(step.flops / total).toPrecision(3)} for each byte` : "")],
    ...(step.seconds === null ? [] : [["time", `${time(step.seconds)}, ${scaled(total / step.seconds, ["B/s", "kB/s", "MB/s", "GB/s", "TB/s"])}`]]),
    ["bound", own.bounds[s]], ["memory in use", bytes(own.live[s] || 0)],
  ]);
  const body = make("pre");
  const unfused = reasonsOf(g, s).map(([n, reason]) => [stepLink(g, n, `${n} ${own.steps[n].operators.join(", ")}`), n < s ? "earlier" : "later", reason]);
  const refused = unfused.length ? table(["not fused with", "", "because"], unfused) : "";
  details(`${own.name}, step ${s}: ${step.name}`, make("div", {className: "columns"}, facts, make("div", {}, accesses, refused), body));
  if (step.kind === "kernel") kernelText(g, step.name).then(lines => { body.textContent = lines.join("\n"); });
}

async function kernelText(g, name) {
  const ir = await loadIR(data.graphs[g].ir);
  const last = ir.states.at(-1);
  if (!last) return [];
  const lines = last.lines.map(n => ir.lines[n][0]);
  const start = lines.findIndex(l => l.startsWith(`kernel ${name} over`));
  if (start < 0) return [];
  let end = start + 1;
  while (end < lines.length && lines[end].startsWith(" ")) end++;
  return lines.slice(start, end);
}

async function lineDetails(key) {
  const found = stepsOf.get(key) || [];
  const rows = found.map(r => {
    const [g, s] = r.id.slice(1).split("s").map(Number), step = data.graphs[g].steps[s];
    return [data.graphs[g].name, stepLink(g, s, `${s} ${step.name}`), step.modules.join(", "), step.kind === "call" ? step.reason : step.operators.join(", "),
      bytes([...step.reads, ...step.writes].reduce((sum, a) => sum + a[1], 0)), flop(step.flops)];
  });
  const operators = make("div"), changes = make("div");
  const line = byId(key).querySelector(".t").textContent.trim();
  details(`${data.labels[key]}: ${line}`, make("div", {className: "columns"},
    make("div", {}, make("b", {textContent: "operators after the passes on aten"}), operators),
    make("div", {}, make("b", {textContent: "kernels, ATen calls and copies"}), table(["graph", "step", "module", "computes, or why ATen", "bytes#", "FLOP#"], rows)),
    make("div", {}, make("b", {textContent: "what the passes did to this line's operators"}), changes)));
  for (const own of data.graphs) {
    const ir = await loadIR(own.ir);
    const state = ir.states.find(s => s.name.includes("(stage aten)")) || ir.states[0];
    const lines = state ? state.lines.map(n => ir.lines[n]).filter(l => l.slice(1).includes(key)) : [];
    if (lines.length) operators.append(make("div", {className: "note", textContent: own.name}), make("pre", {textContent: lines.map(l => l[0].trim()).join("\n")}));
  }
  if (!operators.childNodes.length) operators.append("none: the operators of this line were removed or merged into others");
  for (let n = 0; n < data.ir.length; n++) {
    const found = lineChanges(await loadIR(n), key);
    if (found.length) changes.append(make("div", {className: "note", textContent: data.ir[n].name}), table(["pass", "removes (-) and makes (+)"], found));
  }
}

// [pass, what it removed and made] for each pass on operators that changed those of a line; first those that were imported.
function lineChanges(ir, key) {
  const last = ir.states.findIndex(s => /\(stage (aten|joint)\)/.test(s.name)), found = [];
  const minus = (a, b) => { const left = [...b]; return a.filter(t => { const n = left.indexOf(t); if (n >= 0) left.splice(n, 1); return n < 0; }); };
  const text = (lines, sign, name) => lines.map(t => make("div", {className: name, textContent: `${sign} ${t}`}));
  let before = [];
  for (const state of last < 0 ? ir.states : ir.states.slice(0, last + 1)) {
    const now = state.lines.map(n => ir.lines[n]).filter(l => l.slice(1).includes(key)).map(l => l[0].trim());
    const gone = minus(before, now), made = minus(now, before);
    if (gone.length || made.length) found.push([state.name.replace(/^after /, "").replace(/ \(stage.*/, ""), make("pre", {}, ...text(gone, "-", "del"), ...text(made, "+", "add"))]);
    before = now;
  }
  return found;
}

// Memory.
function showMemory() {
  all(".memory").forEach(m => { m.hidden = Number(m.dataset.graph) !== graph; });
  const own = data.graphs[graph];
  if (own && own.live.length) memoryAt(own.live.indexOf(Math.max(...own.live)));
}
function memoryAt(step) {
  const own = data.graphs[graph], root = document.querySelector(`.memory[data-graph="${graph}"]`);
  all(".chart i", root).forEach(i => i.classList.toggle("at", Number(i.dataset.at) === step));
  const blocks = new Map();
  for (const b of own.buffers) {
    if (b[3] === "input") continue;
    const block = blocks.get(b[6]) || {size: b[2], first: b[4], last: b[5], buffers: []};
    block.first = Math.min(block.first, b[4]); block.last = Math.max(block.last, b[5]); block.buffers.push(b);
    blocks.set(b[6], block);
  }
  const live = [...blocks.values()].filter(b => b.first <= step && step <= b.last).sort((a, b) => b.size - a.size);
  const count = own.steps.length;
  const rows = live.map(block => {
    const b = block.buffers.filter(x => x[4] <= step).at(-1) || block.buffers[0];
    const bar = make("i"); bar.style.left = 100 * block.first / count + "%"; bar.style.width = 100 * (block.last + 1 - block.first) / count + "%";
    const until = b[3] === "result" || block.buffers.some(x => x[3] === "result") ? "returned" : `until step ${block.last}`;
    const writer = own.steps[b[7]];
    return [b[0], b[1], bytes(block.size), `from step ${block.first}, ${until}`, make("div", {className: "life"}, bar),
      b[3] === "donated" ? "an input that may be overwritten" : writer ? joined(["by ", stepLink(graph, b[7])], "") : "",
      folded((writer?.lines ?? []).map(lineLink)), writer?.modules[0] || "",
      block.buffers.length > 1 ? "holds one after another: " + block.buffers.map(x => x[0]).join(", ") : ""];
  });
  const title = make("h2", {}, `During step ${step}: ${bytes(own.live[step])} in ${live.length} blocks `, make("small", {}, stepLink(graph, step)));
  root.querySelector(".living").replaceChildren(title, table(["buffer", "type", "bytes#", "life", "", "written", "source", "module", ""], rows));
}
all(".chart").forEach(c => c.addEventListener("click", e => { if (e.target.dataset.at) memoryAt(Number(e.target.dataset.at)); }));

// The IR.
const loaded = new Map();
function loadIR(number) {
  if (!loaded.has(number)) loaded.set(number, unpacked(byId(data.ir[number].id)).then(JSON.parse));
  return loaded.get(number);
}
byId("ir-graph").append(...data.ir.map((g, n) => make("option", {value: n, textContent: g.name})));
let irShown = null;
async function openIR() {
  const number = irShown ?? data.graphs[graph]?.ir ?? 0;
  if (!data.ir.length) return;
  byId("ir-graph").value = number;
  const ir = await loadIR(number);
  if (irShown !== number) fillStates(ir);
  irShown = number;
  showIR(ir);
}
function fillStates(ir) {
  const options = () => ir.states.map((s, n) => make("option", {value: n, textContent: `${n} ${s.name}`}));
  byId("ir-from").replaceChildren(make("option", {value: -1, textContent: "(no comparison)"}), ...options());
  byId("ir-to").replaceChildren(...options());
  byId("ir-to").value = Math.max(ir.states.findIndex(s => s.name.includes("(stage aten)")), 0);
  byId("ir-from").value = -1;
  byId("ir-full").replaceChildren(make("option", {value: "", textContent: "(short form)"}), ...Object.keys(ir.full).map(s => make("option", {value: s, textContent: `stage ${s}`})));
}
byId("ir-graph").addEventListener("change", async e => { irShown = Number(e.target.value); const ir = await loadIR(irShown); fillStates(ir); showIR(ir); });
for (const id of ["ir-from", "ir-to", "ir-full", "ir-changes"]) byId(id).addEventListener("change", async () => showIR(await loadIR(irShown)));
byId("ir-find").addEventListener("input", async () => showIR(await loadIR(irShown)));
all("[data-ir]").forEach(a => a.addEventListener("click", async e => {
  e.preventDefault();
  irShown = data.ir.findIndex(g => g.id === a.dataset.ir);
  show("ir");
  visited("ir");
  const ir = await loadIR(irShown);
  fillStates(ir);
  const to = ir.states.findIndex(s => s.name.startsWith("after " + a.dataset.after));
  byId("ir-to").value = to; byId("ir-from").value = to - 1; byId("ir-changes").checked = true;
  showIR(ir);
}));

// The shortest edit of one list of numbers into another (Myers): [kind, number] with kind " ", "-" or "+". Lists that differ too much: all out, all in.
function edits(a, b, limit = 3000) {
  let start = 0, ea = a.length, eb = b.length;
  while (start < ea && start < eb && a[start] === b[start]) start++;
  while (ea > start && eb > start && a[ea - 1] === b[eb - 1]) { ea--; eb--; }
  const x = a.slice(start, ea), y = b.slice(start, eb), middle = [];
  const trace = [], v = new Map([[1, 0]]);
  let found = x.length + y.length === 0 ? 0 : -1;
  for (let d = 0; found < 0 && d <= Math.min(x.length + y.length, limit); d++) {
    trace.push(new Map(v));
    for (let k = -d; k <= d; k += 2) {
      let i = k === -d || (k !== d && (v.get(k - 1) ?? -1) < (v.get(k + 1) ?? -1)) ? v.get(k + 1) : v.get(k - 1) + 1;
      while (i < x.length && i - k < y.length && x[i] === y[i - k]) i++;
      v.set(k, i);
      if (i >= x.length && i - k >= y.length) { found = d; break; }
    }
  }
  if (found < 0) middle.push(...x.map(n => ["-", n]), ...y.map(n => ["+", n]));
  else {
    let i = x.length, j = y.length;
    const back = [];
    for (let d = trace.length - 1; d >= 0 && (i > 0 || j > 0); d--) {
      const known = trace[d], k = i - j;
      const from = k === -d || (k !== d && (known.get(k - 1) ?? -1) < (known.get(k + 1) ?? -1)) ? k + 1 : k - 1;
      const pi = d === 0 ? 0 : known.get(from), pj = pi - from;
      while (i > Math.max(pi, 0) && j > Math.max(pj, 0)) { back.push([" ", x[--i]]); j--; }
      if (d > 0) { if (i === pi) back.push(["+", y[--j]]); else back.push(["-", x[--i]]); }
    }
    middle.push(...back.reverse());
  }
  return [...a.slice(0, start).map(n => [" ", n]), ...middle, ...a.slice(ea).map(n => [" ", n])];
}

const CHUNK = 4000; // lines shown at once
function showIR(ir) {
  const root = byId("ir"), full = byId("ir-full").value, find = byId("ir-find").value;
  root.replaceChildren();
  let shown;
  if (full) shown = ir.full[full].split("\n").map(t => [" ", t]);
  else {
    const to = ir.states[byId("ir-to").value], from = ir.states[byId("ir-from").value];
    if (!to) { byId("ir-note").textContent = "no state of the IR was kept"; return; }
    shown = (from ? edits(from.lines, to.lines) : to.lines.map(n => [" ", n])).map(([kind, n]) => [kind, ...ir.lines[n]]);
  }
  const changed = shown.filter(l => l[0] !== " ").length;
  if (byId("ir-changes").checked && changed) shown = around(shown);
  if (find) shown = shown.filter(l => l[1].includes(find));
  byId("ir-note").textContent = `${shown.length} lines` + (changed ? `, ${shown.filter(l => l[0] === "-").length} removed, ${shown.filter(l => l[0] === "+").length} added` : "");
  const lines = shown.slice(0, CHUNK).map(([kind, text, ...keys]) => {
    const line = make("div", {className: kind === "+" ? "add" : kind === "-" ? "del" : kind === "~" ? "skip" : ""}, `${kind === "~" ? " " : kind} `);
    if (find) marked(line, text, find); else line.append(text);
    for (const key of keys) { const at = make("span", {className: "at", textContent: data.labels[key]}); at.dataset.line = key; line.append(at); }
    return line;
  });
  root.append(...lines);
  if (shown.length > CHUNK) root.append(make("div", {className: "skip", textContent: `… and ${shown.length - CHUNK} more lines: use "find"`}));
}
function marked(line, text, find) {
  text.split(find).forEach((part, n) => line.append(...(n ? [make("mark", {textContent: find}), part] : [part])));
}
function around(lines, context = 3) {
  const keep = new Set();
  lines.forEach((l, n) => { if (l[0] !== " ") for (let k = n - context; k <= n + context; k++) keep.add(k); });
  const found = [];
  let left = 0;
  lines.forEach((l, n) => {
    if (keep.has(n)) { if (left) found.push(["~", `⋯ ${left} equal lines`]); left = 0; found.push(l); } else left++;
  });
  if (left) found.push(["~", `⋯ ${left} equal lines`]);
  return found;
}

// The graph of steps, drawn by Cytoscape with dagre's layout; both are unpacked at first use.
let libraries = null, drawn = null;
function drawGraph() {
  libraries ??= (async () => { for (const e of all("script.library")) byId("graph").append(make("script", {textContent: await unpacked(e)})); })();
  libraries.then(() => { if (drawn !== graph) { drawn = graph; draw(); } });
}
function draw() {
  const own = data.graphs[graph], style = getComputedStyle(document.documentElement), color = n => style.getPropertyValue("--" + n).trim();
  byId("graph-note").textContent = own.steps.length > 400 ? `${own.steps.length} steps: this takes a while.` : "";
  const label = (s, n) => `${n}  ` + (s.kind === "kernel" ? s.operators.slice(0, 4).join("\n") + (s.operators.length > 4 ? `\nand ${s.operators.length - 4} more` : "") : s.name);
  const nodes = own.steps.map((s, n) => ({data: {id: `n${n}`, label: label(s, n), color: color(s.kind), rows: Math.min(s.operators.length, 5)}}));
  const width = size => Math.max(1, Math.log10(Math.max(size, 1)) - 1.5);
  const edges = own.edges.map(([a, b, name, size]) => ({data: {source: `n${a}`, target: `n${b}`, label: `${name} ${bytes(size)}`, width: width(size)}}));
  const view = cytoscape({
    container: byId("graph"), elements: [...nodes, ...edges], wheelSensitivity: 0.3,
    layout: {name: "dagre", rankDir: "TB", nodeSep: 20, rankSep: 36},
    style: [
      {selector: "node", style: {shape: "round-rectangle", "background-color": color("panel"), "border-width": 2, "border-color": "data(color)", label: "data(label)", color: color("fg"),
        "font-size": 11, "text-wrap": "wrap", "text-valign": "center", "font-family": "monospace", width: "label", height: "label", padding: 6}},
      {selector: "node:selected", style: {"background-color": color("pin")}},
      {selector: "edge", style: {width: "data(width)", "line-color": color("line"), "target-arrow-color": color("dim"), "target-arrow-shape": "triangle", "curve-style": "bezier", "arrow-scale": 0.7}},
      {selector: "edge:selected, edge.near", style: {label: "data(label)", "font-size": 9, color: color("fg"), "text-rotation": "autorotate", "line-color": color("kernel")}},
    ],
  });
  view.on("tap", "node", e => {
    view.edges().removeClass("near"); e.target.connectedEdges().addClass("near");
    stepDetails(`g${graph}s${e.target.id().slice(1)}`);
  });
  view.on("dbltap", e => { if (e.target === view) view.fit(undefined, 20); });
  if (view.zoom() > 1.3) { view.zoom(1.3); view.center(); }
  if (view.zoom() < 0.6) { view.zoom(0.8); view.center(view.nodes()[0]); view.panBy({x: 0, y: 60 - view.height() / 2}); }
  window.graphView = view;
}

// `#source`, `#memory`, `#g0s12`, `#L0-40` open what they name.
function openHash() {
  const name = location.hash.slice(1);
  const section = byId(name);
  if (byId("tab-" + (name || "overview"))) show(name || "overview");
  else if (section && section.closest("#tab-overview")) { show("overview"); section.scrollIntoView(); }
  else if (/^(g\d+s\d+|L\d+-\d+)$/.test(name)) goTo(name);
}
pick(0);
openHash();
window.addEventListener("hashchange", openHash);
