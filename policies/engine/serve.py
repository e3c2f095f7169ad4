"""Serve a pack to the engine. A pack is a folder with a `PulumiPolicy.yaml` and a `__main__.py` that calls this."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib import import_module
from typing import Any, Final

import grpc

from gpucluster.core.light_import import without_the_sdk
from gpucluster.policies.engine.pack import Pack

# The engine waits for the pack before it starts the program.
with without_the_sdk():
    from pulumi.runtime.proto.analyzer_pb2_grpc import add_AnalyzerServicer_to_server

    from gpucluster.policies.engine.analyzer import Analyzer

_LONGEST: Final = 400 * 1024 * 1024
"""Maximum message size in bytes, as in Pulumi's own SDK: the engine sends all resources of a stack in one."""


def serve(pack: Pack) -> None:
    """Answer the engine; never returns."""
    # Everything loaded so far is permanent: the collector would scan the modules of the SDK repeatedly in vain.
    gc.freeze()
    # The engine waits for the pack before it starts the program, and the pack then waits for the program's resources.
    threading.Thread(target=_load, daemon=True).start()
    analyzer = Analyzer(pack)
    server = grpc.server(
        ThreadPoolExecutor(max_workers=4),
        interceptors=[_OnlyWhatIsAsked(analyzer)],
        options=[("grpc.max_receive_message_length", _LONGEST)],
    )
    add_AnalyzerServicer_to_server(analyzer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)  # the engine reads the port from it
    with suppress(KeyboardInterrupt):
        threading.Event().wait()  # the server's own wait wakes up ten times per second
    server.stop(0)


class _OnlyWhatIsAsked(grpc.ServerInterceptor):
    """The engine requests remediations of every resource and waits. If none is configured, an unimplemented method is
    the fastest answer.
    """

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer

    def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], grpc.RpcMethodHandler[Any, Any] | None],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler[Any, Any] | None:
        if handler_call_details.method.endswith("/Remediate") and not self._analyzer.remediates:
            return None
        return continuation(handler_call_details)


def _load() -> None:
    """Imports that rules for the stack load on first use."""
    for name in ("estimate.estimate", "purchasing"):
        import_module(f"gpucluster.cost.{name}")
    handlers = import_module("gpucluster.cost.handlers")
    for package in handlers.packages():
        handlers.load(package)
