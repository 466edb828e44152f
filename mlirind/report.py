"""`python -m mlirind.report SCRIPT [ARGUMENT...]`: runs a program and writes an HTML page of what mlirind compiled.

The same as `MLIRIND_REPORT=FOLDER python SCRIPT`, which also works for `python -m` and for programs that start others.
"""

import argparse
import os
import runpy
import sys
from pathlib import Path


def main() -> None:
    """Runs the program of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m mlirind.report", description="Runs a program and writes an HTML page of what mlirind compiled."
    )
    parser.add_argument("--folder", default=".", help="where report-PROCESS.html is written (default: here)")
    parser.add_argument("script", help="a Python program that uses torch.compile(..., backend='mlirind')")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    given = parser.parse_args()
    os.environ["MLIRIND_REPORT"] = str(Path(given.folder).absolute())
    sys.argv = [given.script, *given.arguments]
    sys.path[0] = str(Path(given.script).absolute().parent)
    runpy.run_path(given.script, run_name="__main__")


if __name__ == "__main__":
    main()
