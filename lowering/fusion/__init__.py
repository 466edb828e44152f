"""Fuses kernels."""
