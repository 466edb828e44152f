"""Which operators AOTAutograd decomposes, and our decompositions, with the values and strides of PyTorch's kernels."""
