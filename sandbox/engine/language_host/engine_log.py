"""Forwards a program's output to the engine, which shows it under the stack's diagnostics."""

from __future__ import annotations

import itertools
from contextlib import suppress

import grpc
from pulumi.runtime.proto import engine_pb2, engine_pb2_grpc

# The engine numbers its own streams from 1 upwards; ours only have to be different.
_STREAMS = itertools.count(1_000_000)


class EngineLog:
    """The log of the engine at an address."""

    def __init__(self, address: str) -> None:
        self._engine = engine_pb2_grpc.EngineStub(grpc.insecure_channel(address))

    def new_stream(self) -> int:
        """A number that connects the pieces of one output."""
        return next(_STREAMS)

    def info(self, message: str, stream: int) -> None:
        """Show a piece of output."""
        self._send(engine_pb2.LogRequest(severity=engine_pb2.INFO, message=message, streamId=stream))

    def error(self, message: str) -> None:
        """Show an error."""
        self._send(engine_pb2.LogRequest(severity=engine_pb2.ERROR, message=message))

    def _send(self, request: engine_pb2.LogRequest) -> None:
        with suppress(grpc.RpcError):  # an engine that has exited shows nothing
            self._engine.Log(request)
