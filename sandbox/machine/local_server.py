"""A gRPC server on loopback that answers only its own user.

Any user of a machine can connect to a loopback port. The engine does not identify itself: it dials `127.0.0.1:PORT`,
with no credentials and no additional metadata, so neither a Unix socket nor a token is possible (pulumi/pulumi
sdk@v3.250.0, go/common/resource/plugin/plugin.go, dialPlugin; provider_plugin.go, insecure.NewCredentials). Linux
reports the owner of the other end of a connection (sock_diag(7)); on other systems, and if the kernel does not report
it, the server answers every user, as real plugins do.
"""

from __future__ import annotations

import os
import socket
import struct
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import grpc

_HOST: Final = "127.0.0.1"
_KINDS: Final = ("unary_unary", "unary_stream", "stream_unary", "stream_stream")

_NETLINK_SOCK_DIAG: Final = 4
_SOCK_DIAG_BY_FAMILY: Final = 20
_NLM_F_REQUEST: Final = 1
_ESTABLISHED: Final = 1
"""Linux: include/uapi/linux/netlink.h, sock_diag.h; include/net/tcp_states.h. A socket that is closed has no user."""

_HEADER: Final = struct.Struct("=IHHII")
"""struct nlmsghdr: length, type, flags, sequence, port."""
_ASKED: Final = struct.Struct("=BBBBI")
"""struct inet_diag_req_v2 without its id: family, protocol, extensions, padding, states."""
_ID: Final = struct.Struct("!HH16s16sI8s")
"""struct inet_diag_sockid: both ports, both addresses, interface, cookie."""
_ANY_COOKIE: Final = b"\xff" * 8
_FOUND: Final = struct.Struct("=BBBB48xIIII")
"""struct inet_diag_msg: family, state, timer, retransmissions, id, expiry, both queues, user."""


def loopback_server(options: Sequence[tuple[str, Any]] = ()) -> tuple[grpc.Server, int]:
    """A server, not yet started, and its port."""
    port: int

    def own_user(method: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        def call(request: Any, context: Any) -> Any:
            address, _, number = context.peer().removeprefix("ipv4:").rpartition(":")
            if user_of((address, int(number)), (_HOST, port)) != os.geteuid():
                context.abort(grpc.StatusCode.PERMISSION_DENIED, "the sandbox answers the user who runs it alone")
            return method(request, context)

        return call

    class OwnUser(grpc.ServerInterceptor):
        def intercept_service(self, continuation: Callable[[Any], Any], handler_call_details: Any) -> Any:
            handler = continuation(handler_call_details)
            there = [kind for kind in _KINDS if getattr(handler, kind, None) is not None]
            return handler and handler._replace(**{kind: own_user(getattr(handler, kind)) for kind in there})

    guards: list[grpc.ServerInterceptor] = [OwnUser()] if _knows_peers() else []
    server = grpc.server(ThreadPoolExecutor(max_workers=16), interceptors=guards, options=options)
    port = server.add_insecure_port(f"{_HOST}:0")
    return server, port


def user_of(end: tuple[str, int], other: tuple[str, int]) -> int | None:
    """The id of the user whose process holds one end of a TCP connection of this machine; None if there is none.

    Raises OSError if the kernel can't be queried.
    """
    addresses = [socket.inet_pton(socket.AF_INET, host).ljust(16, b"\0") for host, _ in (end, other)]
    wanted = _ID.pack(end[1], other[1], *addresses, 0, _ANY_COOKIE)
    body = _ASKED.pack(socket.AF_INET, socket.IPPROTO_TCP, 0, 0, 1 << _ESTABLISHED) + wanted
    with socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, _NETLINK_SOCK_DIAG) as kernel:
        kernel.sendall(_HEADER.pack(_HEADER.size + len(body), _SOCK_DIAG_BY_FAMILY, _NLM_F_REQUEST, 0, 0) + body)
        answer = kernel.recv(4096)
    if _HEADER.unpack_from(answer)[1] != _SOCK_DIAG_BY_FAMILY:
        return None
    _, state, *_, user = _FOUND.unpack_from(answer, _HEADER.size)
    return user if state == _ESTABLISHED else None


def _knows_peers() -> bool:
    if sys.platform != "linux":
        return False
    with socket.create_server((_HOST, 0)) as server, socket.create_connection(server.getsockname()) as client:
        try:
            return user_of(client.getsockname(), server.getsockname()) == os.geteuid()
        except OSError:
            return False
