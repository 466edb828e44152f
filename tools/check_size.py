"""Fails if a Python file has more than 400 lines or a function more than 50: `python tools/check_size.py`."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

MAX_FILE = 400
MAX_FUNCTION = 50


def main() -> int:
    """Checks every Python file that git tracks or does not ignore."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.py"], capture_output=True, text=True, check=True)
    complaints = [line for path in listed.stdout.split() if Path(path).exists() for line in _complaints(Path(path))]
    print("\n".join(complaints), end="\n" if complaints else "")
    return int(bool(complaints))


def _complaints(path: Path) -> Iterator[str]:
    text = path.read_text()
    length = text.count("\n")
    if length > MAX_FILE:
        yield f"{path}:1: {length} lines, at most {MAX_FILE}: split it by role"
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        length = (node.end_lineno or node.lineno) - node.lineno + 1
        if length > MAX_FUNCTION:
            yield f"{path}:{node.lineno}: function {node.name} has {length} lines, at most {MAX_FUNCTION}"


if __name__ == "__main__":
    sys.exit(main())
