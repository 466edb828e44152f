"""The results of `gpu.py` as tables and a plot: python benchmarks/gpu_report.py RESULTS.json [MORE.json ...] FOLDER/NAME

Writes NAME.md (tables) and, if there are kernels, NAME.svg (the GB/s of each kernel and backend as a share of a large copy's).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from report import geometric_mean

Row = dict[str, Any]
Rows = dict[str, Row]
COLORS = ("#9aa5b1", "#e0803c", "#3465a4", "#73a24e", "#75507b")
BAR, LEFT, WIDTH = 7, 210, 520  # pixels: a bar's height, the names' width, the width of 100 %


def backends_of(rows: Rows) -> list[str]:
    """The backends, in order."""
    return [name for name, cell in next(iter(rows.values())).items() if isinstance(cell, dict)]


def table(rows: Rows) -> list[str]:
    """Milliseconds, GB/s and compile seconds of each case and backend."""
    backends = backends_of(rows)
    lines = ["| case | " + " | ".join(backends) + " |", "| --- " * (len(backends) + 1) + "|"]
    return lines + [f"| {name} | " + " | ".join(_cell(row[b]) for b in backends) + " |" for name, row in rows.items()]


def _cell(cell: Row) -> str:
    if "ms" not in cell:
        return "failed"
    text = f"{cell['ms']:.3f} ms"
    text += f", {cell['gb_s']:.0f} GB/s" if cell.get("gb_s", 0) >= 1 else ""
    text += f", host {cell['host_us']:.0f} us" if "host_us" in cell else ""
    text += f", host {cell['host_ms']:.3f} ms" if "host_ms" in cell else ""
    return text + f", {cell['compile_s']:.2f} s"


def ratios(rows: Rows, backend: str = "mlirind", other: str = "inductor") -> list[str]:
    """For models with memory: milliseconds, host milliseconds, peak MiB and first call of `other` and `backend`, and their ratios with
    geometric means in the last row."""
    figures = {
        "ms": ("ms", "{:.1f}"),
        "host ms": ("host_ms", "{:.1f}"),
        "peak MiB": ("peak_mib", "{:,.0f}"),
        "first call s": ("first_s", "{:.1f}"),
    }
    lines = ["| model | eager ms | " + " | ".join(f"{name}: {other}, {backend}, ratio" for name in figures) + " |", "| --- " * 6 + "|"]
    found: dict[str, list[float]] = {key: [] for key, _ in figures.values()}
    for name, row in rows.items():
        cells = [f"{row['eager']['ms']:.1f}"]
        for key, form in figures.values():
            theirs, ours = row[other].get(key), row[backend].get(key)
            if not theirs or not ours:
                cells.append("failed")
                continue
            found[key].append(ours / theirs)
            cells.append(f"{form.format(theirs)}, {form.format(ours)}, {ours / theirs:.2f}")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    averages = [f"{geometric_mean(r):.2f}" if r else "" for r in found.values()]
    return [*lines, "| geometric mean | | " + " | ".join(averages) + " |"]


def means(title: str, rows: Rows) -> list[str]:
    """Geometric mean speedups of each pair of backends, and compile seconds."""
    lines = []
    for backend in backends_of(rows)[1:]:
        ratios = {}
        for other in backends_of(rows):
            both = [r for r in rows.values() if "ms" in r[backend] and "ms" in r[other]]
            ratios[other] = [r[other]["ms"] / r[backend]["ms"] for r in both if other != backend]
        parts = [f"{geometric_mean(r):.2f}x as fast as {other} (least {min(r):.2f}x)" for other, r in ratios.items() if r]
        seconds = sum(r[backend].get("compile_s", 0.0) for r in rows.values())
        lines.append(f"- {title}, {backend}: {'; '.join(parts)}; compile {seconds:.1f} s")
    return lines


def host_means(title: str, rows: Rows) -> list[str]:
    """The host's time per call relative to Inductor's, as it is and minus the empty backend's: geometric means."""
    lines = []
    for backend in backends_of(rows):
        hosts = [{b: cell.get("host_ms") for b, cell in row.items() if isinstance(cell, dict)} for row in rows.values()]
        both = [(h[backend], h["inductor"], h.get("empty")) for h in hosts if h.get(backend) and h.get("inductor")]
        if backend in ("empty", "inductor") or not both:
            continue
        text = f"- {title}, {backend}: host time {geometric_mean([mine / other for mine, other, _ in both]):.2f} of inductor's"
        beyond = [max(mine - empty, 1e-3) / max(other - empty, 1e-3) for mine, other, empty in both if empty]
        lines.append(text + (f"; beyond the empty backend's {geometric_mean(beyond):.2f}" if beyond else ""))
    return lines


def plot(rows: Rows, copy: float) -> str:
    """A bar chart as SVG, without the cases that move very few bytes."""
    shown = {name: row for name, row in rows.items() if row["bytes"] >= 1 << 20}
    backends = backends_of(shown)
    step = BAR * len(backends) + 8
    parts, y = [], 40
    for n, backend in enumerate(backends):
        parts.append(f'<rect x="{LEFT + 130 * n}" y="8" width="10" height="10" fill="{COLORS[n]}"/>')
        parts.append(f'<text x="{LEFT + 130 * n + 14}" y="17">{backend}</text>')
    for name, row in shown.items():
        parts.append(f'<text x="{LEFT - 6}" y="{y + step / 2}" text-anchor="end">{name}</text>')
        for n, backend in enumerate(backends):
            width = WIDTH * row[backend].get("gb_s", 0.0) / copy
            parts.append(f'<rect x="{LEFT}" y="{y + BAR * n}" width="{width:.1f}" height="{BAR - 1}" fill="{COLORS[n]}"/>')
        y += step
    line = f'<line x1="{LEFT + WIDTH}" y1="30" x2="{LEFT + WIDTH}" y2="{y}" stroke="#000" stroke-dasharray="3"/>'
    label = f'<text x="{LEFT + WIDTH}" y="28" text-anchor="middle">a large copy: {copy:.0f} GB/s</text>'
    body = "\n".join([*parts, line, label])
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 120}" height="{y + 10}" font-family="sans-serif" font-size="10">'
    )
    return f"{head}\n{body}\n</svg>\n"


def main() -> int:
    *sources, target = sys.argv[1:]
    measured = [json.loads(Path(source).read_text()) for source in sources]
    first, path = measured[0], Path(target)
    facts = [f"torch {first['torch']}"] + [f"{name} {first[name]}" for name in ("triton", "date") if name in first]
    cores = f"; compile seconds on {first['cores']} cores" if "cores" in first else ""
    copy = f"; a large copy moves {first['copy_gb_s']:.0f} GB/s" if "copy_gb_s" in first else ""
    lines = [
        f"# {first['card']}",
        "",
        f"{', '.join(facts)}{copy}. How: `benchmarks/gpu.py`{cores}.",
        "",
    ]
    if any("kernels" in results for results in measured):
        lines += [f"![GB/s as a share of a copy's]({path.name}.svg)", ""]
    for results in measured:
        for title, rows in results.items():
            if isinstance(rows, dict) and rows:
                large = any("peak_mib" in cell for row in rows.values() for cell in row.values() if isinstance(cell, dict))
                body = ratios(rows) if large else [*means(title, rows), *host_means(title, rows), "", *table(rows)]
                lines += [f"## {title}", "", *body, ""]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_name(path.name + ".md").write_text("\n".join(lines))
    kernels = next((r["kernels"] for r in measured if "kernels" in r), None)
    if kernels:
        path.with_name(path.name + ".svg").write_text(plot(kernels, first["copy_gb_s"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
