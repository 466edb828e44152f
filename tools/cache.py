"""`mlirind-cache stats|clear|verify`: looks after the cache on disk: graphs, GPU code, tuned schedules, patterns, eager operators."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from ..disk_cache import folder
from ..disk_cache.folder import UntrustedFolder
from ..disk_cache.root import cache_root


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns 1 if `verify` finds a damaged file, or if another user can write to the folder."""
    parser = argparse.ArgumentParser(prog="mlirind-cache", description="the files that processes share in MLIRIND_CACHE_DIR")
    parser.add_argument("command", choices=["stats", "clear", "verify"], help="what to do with them")
    command = parser.parse_args(arguments).command
    return {"stats": _stats, "clear": _clear, "verify": _verify}[command]()


def _stats() -> int:
    found = sorted(folder.all_files(), key=lambda entry: entry.used)
    print(f"{cache_root()}: {len(found)} files, {sum(entry.size for entry in found)} of {folder.limit()} bytes")
    for kind in (*folder.KINDS, folder.LIBRARIES):
        sizes = [entry.size for entry in found if entry.kind == kind]
        if sizes:
            print(f"{kind}: {len(sizes)} files, {sum(sizes)} bytes")
    if found:
        ages = [(time.time() - entry.used) / 3600 for entry in (found[0], found[-1])]
        print(f"last used: {ages[0]:.1f} hours ago the oldest, {ages[1]:.1f} hours ago the newest")
    return 0


def _clear() -> int:
    print(f"{folder.clear()} files removed")
    return 0


def _verify() -> int:
    files = damaged = 0
    for kind in (*folder.KINDS, folder.LIBRARIES):
        try:
            found = folder.verify(kind)
        except UntrustedFolder as error:
            print(f"the cache is not used: {error}")
            return 1
        for name, reason in found.items():
            print(f"{kind}/{name}: {reason}")
        damaged += len(found)
        files += len(list(folder.cached_files(kind)))
    print(f"{files} files, {damaged} damaged")
    return 1 if damaged else 0


if __name__ == "__main__":
    sys.exit(main())
