"""The lowering rules, one operator family a file."""

from . import activation, activation_backward, arithmetic, calls, comparison, creation, transcendental
from .registry import RULES

__all__ = ["RULES", "activation", "activation_backward", "arithmetic", "calls", "comparison", "creation", "transcendental"]
