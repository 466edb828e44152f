"""Conversions between PyTorch's values and the IR's: operators, tensor types, sizes. Every layer may import it."""
