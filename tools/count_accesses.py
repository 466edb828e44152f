"""Runs a command and counts, over all graphs that it compiles, the kinds of proof of their memory accesses.

python -m mlirind.tools.count_accesses pytest test
python -m mlirind.tools.count_accesses python test/fuzz_programs.py --seeds 0:20000 --jobs 4

The command's processes, workers too, append to one file, which `MLIRIND_ACCESS_LOG` names.

`proved`: by sizes. `checked`: an index that is read from memory is masked in the kernel. `required`: by a condition on sizes that is
checked before each call. `unproved`: a refused kernel or view, whose operators become calls of ATen, or whose graph runs through FX.
Accesses are loads, stores and views. Equal kernels of a graph count once.
"""

import collections
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable

from ..lowering.bounds.access_bounds import MASKED, REQUIRED, STATIC


def main() -> int:
    """Returns the command's exit status."""
    if not sys.argv[1:]:
        print(__doc__)
        return 2
    with tempfile.NamedTemporaryFile("r") as log:
        status = 130  # of a command that is interrupted: what it did so far is counted
        with contextlib.suppress(KeyboardInterrupt):
            status = subprocess.run(sys.argv[1:], env=os.environ | {"MLIRIND_ACCESS_LOG": log.name}).returncode
        print(summary(map(json.loads, log)))
    return status


def summary(records: Iterable[dict[str, object]]) -> str:
    """The totals over the lines of an access log, and each reason of an unproved access with its count."""
    counts: collections.Counter[str] = collections.Counter({STATIC: 0, MASKED: 0, REQUIRED: 0})
    reasons: collections.Counter[str] = collections.Counter()
    graphs = 0
    for record in records:
        if "unproved" in record:
            reasons[str(record["unproved"])] += 1
        else:
            graphs += 1
            counts.update({kind: int(str(number)) for kind, number in record.items()})
    numbers = ", ".join(f"{number:,} {kind}" for kind, number in counts.items())
    lines = [f"{number} times: {reason}" for reason, number in reasons.most_common()]
    return "\n".join([*lines, f"accesses of {graphs:,} graphs: {numbers}, {sum(reasons.values()):,} unproved"])


if __name__ == "__main__":
    sys.exit(main())
