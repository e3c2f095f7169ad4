"""The plugin process that the engine starts: prints a port of the resident clouds, then runs as long as both sides do.

Run by path with `python -I -S`, so it may use only the standard library, and starts in some 15 ms. The engine starts
one per provider instance, and each gets its own port: two regions, or two clusters, never share a server.
"""

from __future__ import annotations

import os
import socket
import sys

SOCKET_VARIABLE = "SANDBOX_CLOUDS_SOCKET"


def main() -> int:
    """Requests a port and prints it; returns when the resident exits."""
    package = sys.argv[1]
    path = os.environ.get(SOCKET_VARIABLE)
    if path is None:
        print(f"the simulated provider {package} runs only under `gpucluster sandbox pulumi`", file=sys.stderr)
        return 1
    with socket.socket(socket.AF_UNIX) as resident:
        resident.connect(path)
        resident.sendall(f"{package}\n".encode())
        answer = resident.makefile()
        print(answer.readline().strip(), flush=True)
        answer.readline()
    return 0


if __name__ == "__main__":
    sys.exit(main())
