"""A pack, started as the engine starts it."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import IO

import grpc
from pulumi.runtime.proto import analyzer_pb2_grpc


@contextlib.contextmanager
def served(folder: Path) -> Generator[tuple[analyzer_pb2_grpc.AnalyzerStub, IO[str]]]:
    """The engine's side of `python -m pulumi.policy` in the pack's folder, and what the pack prints after its port."""
    command = [sys.executable, "-u", "-m", "pulumi.policy", "127.0.0.1:0", str(folder)]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            channel = grpc.insecure_channel(f"127.0.0.1:{int(process.stdout.readline())}")
            yield analyzer_pb2_grpc.AnalyzerStub(channel), process.stdout
        finally:
            process.kill()
