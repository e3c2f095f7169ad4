"""Price lists on loopback, and a small book beside them."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

import gpucluster.cost.prices
from gpucluster.cost.prices.live.web import Web

from .fakes import COLUMNS, Lists, Reply


@pytest.fixture
def lists() -> Iterator[Lists]:
    """A server on loopback that answers what a test puts there, and 404 else."""
    found = Lists()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            found.asked.append((parts.path, {name: values[0] for name, values in parse_qs(parts.query).items()}))
            found.keys.append(self.headers.get("X-Goog-Api-Key"))
            waiting = (
                found.replies.get(f"{parts.path}?{parts.query}") or found.replies.get(parts.path) or [Reply(status=404)]
            )
            reply = waiting.pop(0) if len(waiting) > 1 else waiting[0]
            body = reply.body.encode()
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: len(body) - reply.cut])

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield found
    server.shutdown()
    server.server_close()


@pytest.fixture
def said() -> list[str]:
    """Lines of progress."""
    return []


@pytest.fixture
def web(said: list[str]) -> Web:
    """A reader that keeps nothing and hardly waits between tries."""
    return Web(said.append, backoff=0.001)


@pytest.fixture
def book_folder(tmp_path: Path) -> Callable[..., Path]:
    """`book_folder(aws=[row, ...])`: a book of those rows and none else, each without its provider."""

    def made(**rows: list[str]) -> Path:
        folder = tmp_path / "book"
        folder.mkdir()
        shutil.copyfile(Path(gpucluster.cost.prices.__file__).with_name("sources.csv"), folder / "sources.csv")
        for provider in ("aws", "azure", "gcp"):
            lines = [COLUMNS, *(f"{provider},{row}" for row in rows.get(provider, []))]
            (folder / f"{provider}.csv").write_text("\n".join(lines) + "\n")
        return folder

    return made
