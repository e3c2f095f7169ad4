"""Answers of a scenario to HTTP requests that a program sends itself, and what it has asked of whom.

Runs in the program's process, by the interpreter of its environment: only the standard library. Libraries that do not
use `http.client` (aiohttp, httpx, gRPC) are not answered.
"""

from __future__ import annotations

import http.client
import json
import os
import socket
import threading
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

LOCAL = ("localhost", "127.0.0.1", "::1")


def watch_calls(file: str | None) -> list[str]:
    """Answers the calls in this file, if it exists; returns the hosts that the program asks in vain, as it goes on.

    file: a list of `url`, `body` (patterns) and `result`.
    """
    calls: list[Mapping[str, Any]] = json.loads(Path(file).read_text()) if file and Path(file).exists() else []
    if calls:
        # boto3 signs a request, or sends none.
        os.environ.setdefault("AWS_ACCESS_KEY_ID", "sandbox")
        os.environ.setdefault("AWS_SECRET_ACCESS_KEY", "sandbox")
    made, asked = http.client.HTTPConnection.__init__, list[str]()

    def init(self: Any, *args: Any, **options: Any) -> None:
        made(self, *args, **options)
        if any(fnmatchcase(self.host, _place(call).partition("/")[0]) for call in calls):
            self.connect = lambda: _connect(self, calls)  # before that of any subclass
        elif self.host not in (*LOCAL, *asked):
            asked.append(self.host)

    http.client.HTTPConnection.__init__ = init
    return asked


def _place(call: Mapping[str, Any]) -> str:
    """Host and path."""
    return str(call["url"]).partition("://")[2]


def _connect(connection: Any, calls: Sequence[Mapping[str, Any]]) -> None:
    from http.server import BaseHTTPRequestHandler  # late: few programs need it

    connection.sock, other_end = socket.socketpair()
    connection.is_verified = True  # urllib3 warns of other connections

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode(errors="replace")
            place = f"{connection.host}{self.path}"
            fitting = [it["result"] for it in calls if _fits(it, place, body)]
            result = fitting[-1] if fitting else f"the scenario has no call that fits {self.command} https://{place}"
            text = result if isinstance(result, str) else json.dumps(result)
            self.send_response(200 if fitting else 404)
            self.send_header("Content-Type", "text/plain" if isinstance(result, str) else "application/json")
            self.send_header("Content-Length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_GET

        def log_message(self, format: str, *args: Any) -> None:
            """Says nothing on stderr."""

    def answer() -> None:
        with other_end:
            Answers(other_end, ("", 0), None)  # pyright: ignore[reportArgumentType] - it serves one connection

    threading.Thread(target=answer, daemon=True).start()


def _fits(call: Mapping[str, Any], place: str, body: str) -> bool:
    return fnmatchcase(place, _place(call)) and fnmatchcase(body, str(call["body"]))
