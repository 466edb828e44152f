"""The only place that touches private names of PyTorch. docs/design/torch_boundary.md says which names count as public.

A module of this package imports torch, the package itself does not: `dialects/`, `passes/` and `lowering/` import modules of it in
functions.
"""
