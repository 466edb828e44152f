"""The dialects of mlirind: `aten` (the graph), `loop` (kernels), `host` (what the graph's function does)."""
