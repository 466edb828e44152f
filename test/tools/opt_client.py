"""`python opt_client.py SOCKET ARGUMENTS...`: mlirind-opt in a process that `opt_server.py` forks. Exits with its exit code, or with 139 if
that process crashed."""

import json
import os
import socket
import sys

with socket.socket(socket.AF_UNIX) as server:
    server.connect(sys.argv[1])
    socket.send_fds(server, [b"."], [0, 1, 2, os.open(".", os.O_RDONLY)])
    server.sendall(json.dumps({"environment": dict(os.environ), "arguments": sys.argv[2:]}).encode())
    server.shutdown(socket.SHUT_WR)
    code = server.recv(1)
sys.exit(code[0] if code else 139)
