"""Prints the search function of each built-in pattern as a graph, with what FileCheck is to find where its pass has run.

python builtin_graphs.py attention|attention_training
"""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

from mlirind.dialects.context import compile_context  # noqa: E402
from mlirind.passes.patterns.engine import pattern_set  # noqa: E402
from test_builtin_patterns import graph, named  # noqa: E402


def main() -> None:
    parts = []
    for text in pattern_set.read(sys.argv[1]):
        name = named((None, text))
        checks = [f"// CHECK-LABEL: func.func @{name}(", "// CHECK-NOT: softmax", '// CHECK: "aten.{{.*}}scaled_dot_product']
        checks += ['// CHECK: "aten.{{.*}}scaled_dot_product{{.*}}backward'] * name.endswith("_training")
        parts.append("\n".join([*checks, str(graph(text)).replace("@graph", f"@{name}")]))
    print("\n// -----\n".join(parts))


if __name__ == "__main__":
    with compile_context():
        main()
