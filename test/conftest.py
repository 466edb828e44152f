"""pytest: makes `backend="mlirind"` known where the package is not installed."""
