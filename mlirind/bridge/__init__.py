"""Values of PyTorch and values of the IR in each other's terms: operators, tensors' types, sizes. Every layer may import it."""
