"""Between FX graphs and the `aten` dialect."""
