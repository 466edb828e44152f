"""What lowering rules build kernels with."""
