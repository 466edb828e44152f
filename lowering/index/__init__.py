"""Index expressions and affine maps."""
