from __future__ import annotations

import hashlib
import io
import os
import socket
import tarfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from gpucluster.sandbox.engine import engine
from gpucluster.sandbox.engine.download import DownloadFailed, download_release

PLATFORM = "linux-x64"
NAME = "pulumi-v3.259.0-linux-x64.tar.gz"


def archive() -> bytes:
    """A release with two executables, and with members that want to land elsewhere."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as tar:
        for name in (
            "pulumi/pulumi",
            "pulumi/pulumi-language-python",
            "pulumi/../evil",
            "../evil",
            "evil",
            "pulumi/a/b",
        ):
            member = tarfile.TarInfo(name)
            member.size = len(name)
            tar.addfile(member, io.BytesIO(name.encode()))
        link = tarfile.TarInfo("pulumi/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    return content.getvalue()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, no_server: str) -> Iterator[dict[str, bytes]]:
    """A mirror on this machine; what is put into the dictionary is served."""
    assert no_server
    files: dict[str, bytes] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = files.get(self.path)
            if body is None:
                self.send_error(404, "Not Found")
                return
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        threading.Thread(target=http.serve_forever, daemon=True).start()
        monkeypatch.setenv(engine.DOWNLOAD_BASE_VARIABLE, f"http://127.0.0.1:{http.server_port}/mirror/")
        yield files
        http.shutdown()


@pytest.fixture
def destination(tmp_path: Path) -> Path:
    folder = tmp_path / "engine"
    folder.mkdir()
    return folder


def url() -> str:
    return os.environ[engine.DOWNLOAD_BASE_VARIABLE].rstrip("/") + f"/{NAME}"


def test_a_release_with_the_committed_checksum_is_unpacked_and_nothing_lands_elsewhere(
    server: dict[str, bytes], destination: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    body = server[f"/mirror/{NAME}"] = archive()
    monkeypatch.setitem(engine.SHA256, PLATFORM, hashlib.sha256(body).hexdigest())
    download_release(destination, PLATFORM, said.append)
    unpacked = {
        str(path.relative_to(destination.parent)): (path.read_text(), oct(path.stat().st_mode & 0o777))
        for path in destination.parent.rglob("*")
        if path.is_file()
    }
    assert unpacked == {
        "engine/pulumi": ("pulumi/pulumi", "0o755"),
        "engine/pulumi-language-python": ("pulumi/pulumi-language-python", "0o755"),
    }
    assert said == [f"Downloading Pulumi 3.259.0 from {url()}"]


def test_a_release_with_another_checksum_is_refused_loudly_and_deleted(
    server: dict[str, bytes], destination: Path, said: list[str]
) -> None:
    body = server[f"/mirror/{NAME}"] = archive()
    with pytest.raises(DownloadFailed) as caught:
        download_release(destination, PLATFORM, said.append)
    assert str(caught.value) == (
        f"WRONG CHECKSUM: {url()} has SHA-256 {hashlib.sha256(body).hexdigest()}, "
        f"expected {engine.SHA256[PLATFORM]}. The file was deleted unused: "
        "it is damaged, or not the release it claims to be"
    )
    assert list(destination.iterdir()) == []


def test_a_mirror_without_the_release_is_named_with_its_answer(
    server: dict[str, bytes], destination: Path, said: list[str]
) -> None:
    assert server == {}
    with pytest.raises(DownloadFailed) as caught:
        download_release(destination, PLATFORM, said.append)
    assert str(caught.value) == f"{url()}: the server answered 404 Not Found"
    assert said == []


def test_a_server_that_cannot_be_reached_is_named(no_server: str, destination: Path, said: list[str]) -> None:
    with pytest.raises(DownloadFailed) as caught:
        download_release(destination, engine.this_platform(), said.append)
    assert str(caught.value) == no_server


@pytest.mark.usefixtures("no_server", "quick_connect")
def test_a_server_that_never_answers_is_given_up_soon(
    destination: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv(engine.DOWNLOAD_BASE_VARIABLE, f"http://127.0.0.1:{silent.getsockname()[1]}")
        with pytest.raises(DownloadFailed) as caught:
            download_release(destination, PLATFORM, said.append)
    assert str(caught.value) == f"{url()}: no answer within 0.2 s"


def test_an_address_that_is_none_is_named(destination: Path, said: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(engine.DOWNLOAD_BASE_VARIABLE, "mirror")
    with pytest.raises(DownloadFailed) as caught:
        download_release(destination, PLATFORM, said.append)
    assert str(caught.value) == f"mirror/{NAME}: unknown url type: 'mirror/{NAME}'"
