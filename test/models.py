"""Compiles the nine models of the zoo and compares with eager: outputs, loss, every gradient, buffers.

python test/models.py --backend NAME [--model NAME ...] [--train] [--dynamic] [--dtype bfloat16] [--autocast]
    [--device cuda] [--mode MODE]
One line a model; the exit code is 0 only if every model is within its tolerance.
"""

from __future__ import annotations

import argparse
import os
import sys

import torch
from mlirind.tools import model_zoo
from mlirind.tools.model_check import check_model

os.environ.setdefault("MLIRIND_CACHE", "0")  # compile in each process


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", default="mlirind")
    parser.add_argument("--model", action="append", choices=list(model_zoo.MODELS), help="may be repeated; default: all")
    parser.add_argument("--train", action="store_true", help="a training step, not only a forward")
    parser.add_argument("--dynamic", action="store_true", help="batch and length are symbols (text models only)")
    parser.add_argument("--dtype", default="float32", choices=["float32", "bfloat16", "float16"])
    parser.add_argument("--autocast", action="store_true", help="float32 weights and inputs, the forward under autocast to --dtype")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--mode", help="of torch.compile")
    args = parser.parse_args()
    names = args.model or [n for n, model in model_zoo.MODELS.items() if model.text or not args.dynamic]
    failed = 0
    for name in names:
        dtype = getattr(torch, args.dtype)
        more = {"device": args.device, "mode": args.mode, "autocast": args.autocast}
        outcome = check_model(name, args.backend, args.train, args.dynamic, dtype, args.repeats, **more)
        failed += bool(outcome.failures)
        print(outcome.line(), flush=True)
    print(f"passed={len(names) - failed} failed={failed} of {len(names)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
