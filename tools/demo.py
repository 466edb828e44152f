"""Compiles a BERT and a ResNet with random weights, forward and one training step, and compares each with eager."""

from __future__ import annotations

import argparse
import sys

import torch

from .model_check import check_model

MODELS = ("bert", "resnet")


def main() -> int:
    """Prints a line for each model and mode; returns 0 if all are right."""
    parser = argparse.ArgumentParser(prog="python -m mlirind.tools.demo", description=__doc__)
    parser.add_argument("--backend", default="mlirind")
    args = parser.parse_args()
    print(f"PyTorch {torch.__version__}, {torch.get_num_threads()} threads, backend {args.backend}")
    failed = 0
    for name in MODELS:
        for train in (False, True):
            outcome = check_model(name, args.backend, train=train)
            failed += bool(outcome.failures)
            print(f"{'training step' if train else 'forward':14}{outcome.line()}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
