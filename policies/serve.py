"""Serve a pack to the engine. A pack is a folder with a `PulumiPolicy.yaml` and a `__main__.py` that calls this."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import grpc
from pulumi_policy import PolicyPack

from gpucluster.policies.pack import Pack
from gpucluster.policies.pulumi_policies import to_policies

__all__ = ["serve"]


def serve(pack: Pack) -> None:
    """Answer the engine; never returns."""
    # What is loaded by now stays: the collector would walk the modules of the SDK again and again, to find nothing.
    gc.freeze()
    plain = grpc.server
    setattr(grpc, "server", partial(plain, interceptors=[_ReadOnce()]))  # noqa: B010  (the SDK makes its own server)
    try:
        PolicyPack(name=pack.name, description=pack.description, policies=to_policies(pack))
    finally:
        setattr(grpc, "server", plain)  # noqa: B010


class _ReadOnce(grpc.ServerInterceptor):
    """Shows what a call is about to the first policy alone, of which all others get what it read.

    The SDK reads it anew for every policy: for 40 rules and 170 resources three quarters of what the pack costs a
    preview.
    """

    def intercept_service(
        self, continuation: Callable[[Any], Any], handler_call_details: grpc.HandlerCallDetails
    ) -> Any:
        handler = continuation(handler_call_details)
        field = _ONCE.get(str(handler_call_details.method).rpartition("/")[2])
        if field is None:
            return handler

        def analyze(request: Any, context: grpc.ServicerContext) -> Any:
            return handler.unary_unary(_Once(request, field), context)

        return grpc.unary_unary_rpc_method_handler(
            analyze,
            request_deserializer=handler.request_deserializer,
            response_serializer=handler.response_serializer,
        )


class _Once:
    """A request with a field that comes once, and is empty from then on."""

    def __init__(self, request: Any, field: str) -> None:
        self._request = request
        self._field = field
        self._read = False

    def __getattr__(self, name: str) -> Any:
        if name != self._field:
            return getattr(self._request, name)
        if self._read:
            return getattr(type(self._request)(), name)
        self._read = True
        return getattr(self._request, name)


_ONCE: Final[Mapping[str, str]] = {"AnalyzeStack": "resources", "Analyze": "properties"}
"""Call -> the field of its request that policies look at."""
