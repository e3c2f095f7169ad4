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
from pulumi.runtime.proto.analyzer_pb2_grpc import add_AnalyzerServicer_to_server

from gpucluster.policies.analyzer import Analyzer
from gpucluster.policies.pack import Pack

_LONGEST: Final = 400 * 1024 * 1024
"""Bytes of a message, as in Pulumi's own SDK: the engine sends all resources of a stack in one."""


def serve(pack: Pack) -> None:
    """Answer the engine; never returns."""
    # What is loaded by now stays: the collector would walk the modules of the SDK again and again, to find nothing.
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
    print(port, flush=True)  # by which the engine finds it
    with suppress(KeyboardInterrupt):
        threading.Event().wait()  # the server's own wait wakes ten times a second
    server.stop(0)


class _OnlyWhatIsAsked(grpc.ServerInterceptor):
    """The engine asks for the remediations of every resource and waits. Where none is configured, a method that is not
    implemented is the quickest answer.
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
    """What rules about the stack import when they first need it."""
    import_module("gpucluster.cost.estimate")
