"""Kernels on NVIDIA GPUs: compiled by Triton from IR text, launched through the CUDA driver."""
