"""`--verify-diagnostics`: compares the errors with the `// expected-error {{text}}` comments of the input.

`expected-error` stands for an error on its own line, `expected-error@+2` and `@-1` for one that many lines below or above, `@above` and
`@below` for one on the neighbouring line. The message must contain the text.
"""

import re
from collections.abc import Sequence

from ..passes.driver import Diagnostic

_EXPECTED = re.compile(r"expected-error(?:@(above|below|[+-]\d+))?\s*\{\{(.*?)\}\}")


def mismatches(text: str, diagnostics: Sequence[Diagnostic]) -> list[str]:
    """A line `LINE: PROBLEM` for each expected error that is missing and each error that is unexpected."""
    expected = _expectations(text)
    wrong = []
    for diagnostic in diagnostics:
        line = diagnostic.position.line if diagnostic.position else 0
        hit = next((e for e in expected if e[0] == line and e[1] in diagnostic.message), None)
        if hit:
            expected.remove(hit)
        else:
            wrong.append(f"{line}: unexpected error: {diagnostic.message}")
    return wrong + [f"{line}: expected error did not come: {message}" for line, message in expected]


def _expectations(text: str) -> list[tuple[int, str]]:
    found = []
    for number, line in enumerate(text.split("\n"), start=1):
        for where, message in _EXPECTED.findall(line):
            offset = {"": 0, "above": -1, "below": 1}.get(where)
            found.append((number + (int(where) if offset is None else offset), message))
    return found
