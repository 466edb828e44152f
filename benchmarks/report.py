"""Reports of `run.py`'s measurements: lines for the terminal, Markdown tables, bar charts."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from typing import Any

Cell = dict[str, Any]
Table = dict[str, dict[str, Cell]]
Results = dict[str, Any]  # "machine": hardware and settings; "cases": a Table for each kind

TITLES = {"kernel": "kernels", "forward": "models, forward", "train": "models, training step"}


def cell_text(backend: str, cell: Cell) -> str:
    """A cell's text: milliseconds and compile seconds."""
    if "failed" in cell:
        return "failed"
    text = f"{cell['ms']:.3f} ms"
    if backend == "eager":
        return text
    text += f", {cell['compile_s']:.2f}"
    return text + (f" ({cell['beyond_tracing_s']:.2f}) s" if "beyond_tracing_s" in cell else " s")


def print_row(cells: Iterable[str]) -> None:
    """Prints one line of the table."""
    print("".join(f"{cell:{20 if n == 0 else 28}}" for n, cell in enumerate(cells)).rstrip(), flush=True)


def geometric_mean(ratios: list[float]) -> float:
    """The geometric mean; NaN if there are no ratios."""
    return math.exp(sum(math.log(r) for r in ratios) / len(ratios)) if ratios else float("nan")


def backends_of(table: Table) -> list[str]:
    """The backends of a table, in order. A case may lack some of them."""
    return list(dict.fromkeys(backend for row in table.values() for backend in row))


def speedups(table: Table, backend: str, reference: str) -> dict[str, float]:
    """The speedup of `backend` over `reference` for each case that both run."""
    return {
        name: row[reference]["ms"] / row[backend]["ms"]
        for name, row in table.items()
        if all("ms" in row.get(b, {}) and "failed" not in row[b] for b in (backend, reference))
    }


def summary(kind: str, table: Table) -> list[str]:
    """Geometric mean speedups over eager and Inductor, total compile seconds, and failures."""
    found = []
    for backend in backends_of(table):
        cells = [row[backend] for row in table.values() if "compile_s" in row.get(backend, {})]
        if backend == "eager" or not cells:
            continue
        parts = [f"{TITLES[kind]}, {backend}: compile {sum(c['compile_s'] for c in cells):.2f} s"]
        if all("beyond_tracing_s" in c for c in cells):
            parts.append(f"beyond tracing {sum(c['beyond_tracing_s'] for c in cells):.2f} s")
        for reference in ("eager", "inductor"):
            ratios = speedups(table, backend, reference) if reference != backend else {}
            if ratios:
                least = min(ratios, key=ratios.__getitem__)
                mean = geometric_mean(list(ratios.values()))
                parts.append(f"{mean:.2f}x as fast as {reference} (geometric mean; least {ratios[least]:.2f}x: {least})")
        found.append("; ".join(parts))
    for name, row in table.items():
        found += [f"{backend} failed on {name}: {cell['failed']}" for backend, cell in row.items() if "failed" in cell]
    return found


def markdown(results: Results, picture: str | None = None) -> str:
    """The tables, with the last backend's speedups over eager and Inductor, and the summaries. `picture`: the chart's file name."""
    machine = results["machine"]
    lines = [f"# Benchmarks, {time.strftime('%Y-%m-%d')}", ""]
    lines += [f"{machine['cpu']}, {machine['threads']} threads a case; torch {machine['torch']}, Python {machine['python']}.", ""]
    lines += ["Milliseconds of a call; seconds of compilation, and in parentheses those beyond tracing (`docs/testing.md` says how).", ""]
    for kind, table in results["cases"].items():
        backends = backends_of(table)
        last = backends[-1] if backends else ""
        others = [b for b in ("eager", "inductor") if b in backends and b != last]
        ratios = {other: speedups(table, last, other) for other in others}
        header = ["case", *backends, *(f"{other} / {last}" for other in others)]
        lines += [f"## {TITLES[kind].capitalize()}", "", f"| {' | '.join(header)} |", "|" + " --- |" * len(header)]
        for name, row in table.items():
            compared = [f"{ratios[other][name]:.2f}" if name in ratios[other] else "" for other in others]
            cells = [cell_text(b, row[b]) if b in row else "" for b in backends]
            lines.append(f"| {' | '.join([name, *cells, *compared])} |")
        lines += ["", *(f"- {line}" for line in summary(kind, table)), ""]
    lines += [f"![time relative to eager]({picture})", ""] if picture else []
    return "\n".join(lines)


def plot(results: Results, path: str) -> None:
    """Bar charts of times relative to eager: one group per case, one chart per kind."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    tables = results["cases"]
    longest = max(len(table) for table in tables.values())
    figure, pictures = pyplot.subplots(len(tables), figsize=(3 + longest, 4 * len(tables)), squeeze=False)
    for axes, (kind, table) in zip(pictures[:, 0], tables.items(), strict=True):
        backends = backends_of(table)
        width = 0.8 / max(len(backends), 1)
        for n, backend in enumerate(backends):
            heights = [row.get(backend, {}).get("ms", 0) / row["eager"].get("ms", math.inf) for row in table.values()]
            axes.bar([i + n * width for i in range(len(table))], heights, width, label=backend)
        axes.set_xticks([i + 0.4 for i in range(len(table))], list(table), rotation=30, ha="right")
        axes.set_ylabel("time / eager's")
        axes.set_title(TITLES[kind])
    pictures[0, 0].legend()
    figure.tight_layout()
    figure.savefig(path)
