"""Kernels and graphs evaluated with torch: `mlirind-opt --run` and tests compare with it."""
