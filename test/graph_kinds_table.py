"""Runs the programs of `graph_kinds` with a backend, and prints what it takes, refuses and gets wrong.

python test/graph_kinds_table.py [--backend NAME] [--filter TEXT ...] [--kind NAME ...] [--all]

A line for each program and mode that differs from eager (with `--all` for each), and a table of counts by kind. With mlirind, graphs that
run uncompiled and joint graphs without passes are named, too.
"""

from __future__ import annotations

import argparse
import collections
import os
import time
import warnings
from typing import Any

os.environ.setdefault("MLIRIND_CACHE", "0")  # compile in each process

from graph_kinds import all_programs
from graph_kinds.program import GraphProgram, compare
from mlirind.frontend.counters import counters
from mlirind.tools.backends import find_backend

OUTCOMES = ("right", "PyTorch refuses it", "refused", "wrong", "compiled more often", "uncompiled")


def outcome(program: GraphProgram, mode: str, backend: Any) -> tuple[str, str]:
    """One of `OUTCOMES`, and details."""
    counters.reset()
    try:
        found = compare(program, mode, backend)
    except Exception as error:  # a comparison that fails is no answer
        return "wrong", f"{type(error).__name__}: {error}"
    if found.difference:
        return "refused" if ": raises " in found.difference else "wrong", found.difference
    if counters.fallbacks:
        return "uncompiled", ", ".join(counters.fallbacks)
    if found.compilations != program.compilations(mode):
        return "compiled more often", f"{found.compilations} compilations, {program.compilations(mode)} expected"
    return "right", ", ".join(f"joint graph without passes: {reason}" for reason in counters.joint_unchanged)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", default="mlirind")
    parser.add_argument("--filter", action="append", default=[], help="only programs whose name contains this; may be repeated")
    parser.add_argument("--kind", action="append", default=[], help="only this kind; may be repeated")
    parser.add_argument("--mode", action="append", default=[], help="only this mode; may be repeated")
    parser.add_argument("--all", action="store_true", help="print right ones, too")
    args = parser.parse_args()
    warnings.filterwarnings("ignore")
    counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for kind, program in all_programs():
        if args.kind and kind not in args.kind or args.filter and not any(text in program.name for text in args.filter):
            continue
        for mode in args.mode or program.modes():
            start = time.perf_counter()
            what, details = outcome(program, mode, find_backend(args.backend))
            what = "PyTorch refuses it" if what == "refused" and mode in program.refused else what
            counts[kind][what] += 1
            if what not in ("right", "PyTorch refuses it") or details or args.all:
                text = " ".join(details.split())[:300]
                print(f"{kind}.{program.name} ({mode}): {what}: {text} [{time.perf_counter() - start:.1f} s]", flush=True)
    print(f"| kind | {' | '.join(OUTCOMES)} |\n|{' --- |' * (len(OUTCOMES) + 1)}")
    for kind, row in [*counts.items(), ("all", sum(counts.values(), collections.Counter()))]:
        print(f"| {kind} | {' | '.join(str(row[what]) for what in OUTCOMES)} |")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
