"""mlirind: a compiler backend for PyTorch through MLIR. `torch.compile(model, backend="mlirind")`."""

__version__ = "0.1.0"
