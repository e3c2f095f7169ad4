"""Downloads the official release and verifies the committed checksum."""

from __future__ import annotations

import hashlib
import os
import shutil
import tarfile
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path, PurePosixPath
from typing import IO, TypeVar

from gpucluster.errors import Fault
from gpucluster.sandbox.engine import engine
from gpucluster.sandbox.engine.progress import Say, heartbeat

CONNECT_SECONDS = 4.0
_STALLED_SECONDS = 30.0

T = TypeVar("T")


class DownloadFailed(Fault):
    """The download failed; the message gives the reason, in half a sentence."""


def download_release(destination: Path, platform: str, say: Say) -> None:
    """Put the release's executables into the existing, empty folder `destination`. Raises DownloadFailed."""
    base = os.environ.get(engine.DOWNLOAD_BASE_VARIABLE, engine.DOWNLOAD_BASE).rstrip("/")
    url = f"{base}/{engine.archive_name(platform)}"
    archive = destination / "release.tar.gz"
    try:
        response = _within(CONNECT_SECONDS, lambda: urllib.request.urlopen(url, timeout=_STALLED_SECONDS))
        say(f"Downloading Pulumi {engine.VERSION} from {url}")
        with response, archive.open("wb") as file:
            actual = _copy(response, file, say)
        expected = engine.SHA256[platform]
        if actual != expected:
            raise DownloadFailed(
                f"WRONG CHECKSUM: {url} has SHA-256 {actual}, expected {expected}. The file was deleted unused: "
                "it is damaged, or not the release it claims to be"
            )
        _extract(archive, destination)
    except (OSError, HTTPException, tarfile.TarError, EOFError, ValueError) as error:
        raise DownloadFailed(f"{url}: {_reason(error)}") from error
    finally:
        archive.unlink(missing_ok=True)


def _within(seconds: float, call: Callable[[], T]) -> T:
    """The result of `call`, or TimeoutError: name resolution has no time limit."""
    results: list[T] = []
    errors: list[Exception] = []

    def work() -> None:
        try:
            results.append(call())
        except Exception as error:  # raised in the caller's thread
            errors.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors[0]
    if not results:
        raise TimeoutError(f"no answer within {seconds:g} s")
    return results[0]


def _copy(response: IO[bytes], file: IO[bytes], say: Say) -> str:
    """Copy the body; returns its SHA-256."""
    digest = hashlib.sha256()
    size = 0
    with heartbeat(say, "Downloading", lambda: f"{size / 1e6:.0f} MB"):
        while piece := response.read(1 << 20):
            file.write(piece)
            digest.update(piece)
            size += len(piece)
    return digest.hexdigest()


def _extract(archive: Path, destination: Path) -> None:
    """Extract the files directly in the archive's folder `pulumi`: only plain files, so that none is written
    elsewhere.
    """
    with tarfile.open(archive, "r:gz") as tar:
        for member in tar:
            path = PurePosixPath(member.name)
            source = tar.extractfile(member) if member.isfile() else None
            if source is None or path.parent != PurePosixPath("pulumi") or path.name in ("", ".."):
                continue
            target = destination / path.name
            with source, target.open("wb") as file:
                shutil.copyfileobj(source, file)
            target.chmod(0o755)


def _reason(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        return f"the server answered {error.code} {error.reason}"
    return str(error.reason if isinstance(error, urllib.error.URLError) else error)
