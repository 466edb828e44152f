"""Native code of CPU kernels."""
