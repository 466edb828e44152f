"""Attention that is written out: how it is found in the form that `raise-matmul` makes, when the fused operator is equal, and its call."""
