# ruff: noqa: ARG001 - a signal handler has two arguments
"""The process that keeps one API server and its etcd running for as long as any command uses them.

A command that uses them holds a shared lock on `users`; the system takes it away however the command ends. As soon as
nobody holds it, this process ends both and itself. Should it be killed, they end with it.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import secrets
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import FrameType
from typing import IO, Final

__all__ = ["LOG", "STATE", "USERS", "main"]

USERS: Final = "users"
STATE: Final = "server.json"
LOG: Final = "keeper.log"
_CERTIFICATES: Final = "certificates"

_READY_SECONDS: Final = 120.0
_END_SECONDS: Final = 10.0
_PR_SET_PDEATHSIG: Final = 1
"""Linux, prctl(2): the signal a process gets when its parent dies."""


def main() -> None:
    """`python -m gpucluster.sandbox.api_server.keeper FOLDER KUBE-APISERVER ETCD`."""
    folder, api_server, etcd = map(Path, sys.argv[1:])
    signal.signal(signal.SIGTERM, _end)
    # The lock, once ours, is held until everything has ended: the next command waits for that.
    with (folder / USERS).open("a") as users, ExitStack() as ending:
        # A certificate of an earlier start may have expired.
        shutil.rmtree(folder / _CERTIFICATES, ignore_errors=True)
        database = f"http://127.0.0.1:{_free_port()}"
        flags = _etcd_flags(folder, database)
        started = [_start([str(etcd), *flags], folder / "etcd.log", ending, by=signal.SIGTERM)]
        _wait(started, f"{database}/health", folder / "etcd.log")
        token, port = secrets.token_hex(16), _free_port()
        (folder / "tokens").write_text(f"{token},sandbox,sandbox,system:masters\n")
        (folder / "tokens").chmod(0o600)
        flags = _api_server_flags(folder, database, port)
        # At its graceful end it would wait for its clients, which are gone.
        log = folder / "api-server.log"
        started.append(_start([str(api_server), *flags], log, ending, by=signal.SIGKILL))
        url, authority = f"https://127.0.0.1:{port}", folder / _CERTIFICATES / "apiserver.crt"
        _wait(started, f"{url}/readyz", log, authority, token)
        state = folder / STATE
        ending.callback(state.unlink, missing_ok=True)
        _write(state, {"pid": os.getpid(), "url": url, "token": token, "authority": str(authority)})
        while _used(users) and state.exists() and all(process.poll() is None for process in started):
            time.sleep(0.05)


def _end(signal_number: int, frame: FrameType | None) -> None:
    sys.exit(0)


def _etcd_flags(folder: Path, url: str) -> list[str]:
    return [
        *("--data-dir", str(folder / "etcd"), "--log-level", "error"),
        *("--listen-client-urls", url, "--advertise-client-urls", url),
        # It has no peers, and advertises the address it had at its first start.
        *("--listen-peer-urls", f"http://127.0.0.1:{_free_port()}"),
        # What a crash of the whole machine loses here is made again from the ledger.
        "--unsafe-no-fsync",
    ]


def _api_server_flags(folder: Path, database: str, port: int) -> list[str]:
    certificates = folder / _CERTIFICATES
    # It makes itself a certificate, whose key also signs the tokens of service accounts: nobody uses any here.
    key = certificates / "apiserver.key"
    return [
        *(f"--etcd-servers={database}", f"--secure-port={port}", "--bind-address=127.0.0.1"),
        *("--advertise-address=127.0.0.1", "--service-cluster-ip-range=10.0.0.0/24"),
        *(f"--cert-dir={certificates}", f"--token-auth-file={folder / 'tokens'}", "--authorization-mode=RBAC"),
        # As in every cloud's clusters: what installs drivers on nodes needs it.
        "--allow-privileged=true",
        *(f"--service-account-key-file={key}", f"--service-account-signing-key-file={key}"),
        "--service-account-issuer=https://sandbox.invalid",
        # Both need a controller that does not run here: one makes the accounts, one takes the finalizers off.
        "--disable-admission-plugins=ServiceAccount,StorageObjectInUseProtection",
    ]


def _start(command: Sequence[str], log: Path, ending: ExitStack, *, by: signal.Signals) -> subprocess.Popen[bytes]:
    """by: the signal that ends it, with this process at the latest."""

    def die_with_parent() -> None:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, by)

    with log.open("wb") as out:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            env={"PATH": os.environ.get("PATH", ""), "HOME": str(log.parent)},
            preexec_fn=die_with_parent if sys.platform == "linux" else None,
        )

    def end() -> None:
        process.send_signal(by)
        try:
            process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()

    ending.callback(end)
    return process


def _wait(
    started: Sequence[subprocess.Popen[bytes]], url: str, log: Path, authority: Path | None = None, token: str = ""
) -> None:
    """Until it answers; ends this process with the last words of its log when it does not."""
    end = time.monotonic() + _READY_SECONDS
    while time.monotonic() < end and all(process.poll() is None for process in started):
        with suppress(OSError, urllib.error.URLError):
            trust = ssl.create_default_context(cafile=str(authority)) if authority else None
            request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})
            with urllib.request.urlopen(request, context=trust, timeout=5):
                return
        time.sleep(0.05)
    words = log.read_text(errors="replace").strip().splitlines()[-5:]
    sys.exit("\n".join([f"{log.stem} did not start:", *words]))


def _used(users: IO[str]) -> bool:
    try:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _write(file: Path, state: dict[str, object]) -> None:
    scratch = file.with_name(f"{file.name}.{os.getpid()}")
    scratch.touch(mode=0o600)
    scratch.write_text(json.dumps(state))
    scratch.replace(file)


if __name__ == "__main__":
    main()
