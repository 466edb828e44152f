"""From FX graphs to the `aten` dialect and back, and the torch.compile backend."""
