"""`mlirind-cache stats|clear|verify`: looks after the graphs that the option `cache` keeps on disk."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from ..runtime.artifacts import folder
from ..runtime.artifacts.folder import UntrustedFolder


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns 1 if `verify` finds a damaged file, or if another user can write to the folder."""
    parser = argparse.ArgumentParser(prog="mlirind-cache", description="the compiled graphs that the option `cache` keeps on disk")
    parser.add_argument("command", choices=["stats", "clear", "verify"], help="what to do with them")
    command = parser.parse_args(arguments).command
    return {"stats": _stats, "clear": _clear, "verify": _verify}[command]()


def _stats() -> int:
    found = sorted(folder.cached_files(), key=lambda entry: entry.used)
    print(f"{folder.folder()}: {len(found)} graphs, {sum(entry.size for entry in found)} of {folder.limit()} bytes")
    if found:
        ages = [(time.time() - entry.used) / 3600 for entry in (found[0], found[-1])]
        print(f"last used: {ages[0]:.1f} hours ago the oldest, {ages[1]:.1f} hours ago the newest")
    return 0


def _clear() -> int:
    print(f"{folder.clear()} graphs removed")
    return 0


def _verify() -> int:
    try:
        damaged = folder.verify()
    except UntrustedFolder as error:
        print(f"the cache is not used: {error}")
        return 1
    for key, reason in damaged.items():
        print(f"{key}: {reason}")
    print(f"{len(list(folder.cached_files()))} graphs, {len(damaged)} damaged")
    return 1 if damaged else 0


if __name__ == "__main__":
    sys.exit(main())
