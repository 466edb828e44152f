"""CUDA kernels: compiled, launched, tuned."""
