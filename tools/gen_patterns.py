"""Writes the built-in patterns, `passes/patterns/texts/*.pdl.mlir`: `python -m mlirind.tools.gen_patterns [--check]`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator

from ..frontend.patterns import attention_patterns
from ..passes.patterns.engine.pattern_set import FOLDER, SEPARATOR

FILES: dict[str, Callable[[], Iterator[str]]] = {
    "attention": attention_patterns.inference,
    "attention_training": attention_patterns.training,
}


def main() -> int:
    """Writes the files. With `--check` it only lists the files that would change, and fails if there are any."""
    parser = argparse.ArgumentParser("gen_patterns", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is not as it would be written")
    check = parser.parse_args().check
    stale = []
    for name, make in FILES.items():
        path = FOLDER / f"{name}.pdl.mlir"
        text = SEPARATOR.join(make()) + "\n"
        if path.exists() and path.read_text() == text:
            continue
        stale.append(path.name)
        if not check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
    for name in stale:
        print(f"{name} {'is not up to date: run python -m mlirind.tools.gen_patterns' if check else 'written'}")
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
