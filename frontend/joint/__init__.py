"""Training: passes on the joint graph, and its partition into forward and backward."""
