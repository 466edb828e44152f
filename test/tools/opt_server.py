"""mlirind-opt for lit: imports the compiler and PyTorch once, then forks a process for each command that `opt_client.py` sends. A command
costs a tenth of a second instead of two to four.

The server prints the path of its socket when it listens, and ends when its standard input closes.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

# What commands import when they run: the verifier of types asks PyTorch's meta functions.
LATER = ("torch", "torch._subclasses.fake_tensor", "torch.fx.experimental.symbolic_shapes", "mlirind.torch_internals.fake_tensors")


def main() -> None:
    """Serves until standard input closes."""
    command = importlib.import_module("mlirind.tools.mlirind_opt").main
    for name in LATER:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()  # the processes share what is imported
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # ended processes leave nothing behind
    with tempfile.TemporaryDirectory(prefix="mlirind-opt-") as folder, socket.socket(socket.AF_UNIX) as server:
        path = str(Path(folder, "socket"))
        server.bind(path)
        server.listen(64)
        print(path, flush=True)
        while sys.stdin not in select.select([server, sys.stdin], [], [])[0]:
            serve(server, command)


def serve(server: socket.socket, command: Callable[[], int]) -> None:
    """Forks a process for the next command."""
    connection, _ = server.accept()
    with connection:
        if os.fork() == 0:
            try:
                run(connection, command)
            finally:
                os._exit(0)


def run(connection: socket.socket, command: Callable[[], int]) -> None:
    """Runs one command with the client's streams, folder and environment, and sends the client its exit code."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    _, (*streams, folder), _, _ = socket.recv_fds(connection, 1, 4)
    request = json.loads(b"".join(iter(lambda: connection.recv(1 << 16), b"")))
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.fchdir(folder)
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv = ["mlirind-opt", *request["arguments"]]
    try:
        code = command()
    except SystemExit as ended:  # argparse's
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    connection.sendall(bytes([code]))


if __name__ == "__main__":
    main()
