# ruff: noqa: ARG001 - a signal handler has two arguments
"""A process that ends with its parent, however that ends."""

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
import urllib.request
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import FrameType
from typing import IO, Any, Final

_END_SECONDS: Final = 10.0
LOG_BYTES: Final = 16 * 2**20
"""Maximum size of a log, after which a new one starts; the previous one is kept."""

_PR_SET_PDEATHSIG: Final = 1
"""Linux, prctl(2): the signal a process gets when its parent dies."""


def start(
    command: Sequence[str],
    log: Path,
    *,
    by: signal.Signals,
    environment: Mapping[str, str] | None = None,
    folder: str | None = None,
    append: bool = False,
) -> subprocess.Popen[bytes]:
    """Starts a program with only PATH from our environment.

    by: the signal that stops it, at the latest when this process ends. folder: its working folder; by default that of
    its log. append: whether to append to its log.
    """

    def die_with_parent() -> None:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, by)

    if not append:
        log.write_bytes(b"")
        older(log).unlink(missing_ok=True)
    # Appending: the log may be truncated while the program writes.
    with log.open("ab") as out:
        return subprocess.Popen(
            command,
            cwd=folder or log.parent,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            env={"PATH": os.environ.get("PATH", ""), "HOME": str(log.parent), **(environment or {})},
            preexec_fn=die_with_parent if sys.platform == "linux" else None,
        )


def older(log: Path) -> Path:
    """The previous log, before the current one was started."""
    return log.with_name(f"{log.name}.1")


def keep_short(log: Path) -> None:
    """Starts a new log of a running program if it is too long. Output written at that moment is lost."""
    if log.exists() and log.stat().st_size > LOG_BYTES:
        shutil.copyfile(log, older(log))
        os.truncate(log, 0)


def end(process: subprocess.Popen[bytes], *, by: signal.Signals) -> None:
    """Stops it by a signal, or by SIGKILL if it does not exit."""
    process.send_signal(by)
    try:
        process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


USERS: Final = "users"
STATE: Final = "server.json"
LOG: Final = "keeper.log"
_CERTIFICATES: Final = "certificates"
_DATABASE: Final = "database:1"
"""A Unix socket in the folder, which only its user can access; etcd requires a name of this form for each address
(etcd-io/etcd v3.6.8, server/embed/config.go, checkHostURLs)."""

_READY_SECONDS: Final = 120.0


def main() -> None:
    """`python -m gpucluster.sandbox.api_server.keeper FOLDER KUBE-APISERVER ETCD [living]`."""
    folder, api_server, etcd = map(Path, sys.argv[1:4])
    living = "living" in sys.argv[4:]
    signal.signal(signal.SIGTERM, _end)
    # This process holds the lock until everything has ended: the next command waits for that.
    with (folder / USERS).open("a") as users, ExitStack() as ending:
        # A certificate of an earlier start may have expired.
        shutil.rmtree(folder / _CERTIFICATES, ignore_errors=True)
        started = [_start([str(etcd), *_etcd_flags(folder)], folder / "etcd.log", ending, by=signal.SIGTERM)]
        # The path of a socket must be short; both programs run in the folder, too.
        os.chdir(folder)
        _wait(started, folder / "etcd.log", _database_answers)
        token, port = secrets.token_hex(16), free_port()
        (folder / "tokens").write_text(f"{token},sandbox,sandbox,system:masters\n")
        (folder / "tokens").chmod(0o600)
        flags = _api_server_flags(folder, port, living=living)
        # A graceful shutdown would wait for its clients, which have exited.
        log = folder / "api-server.log"
        started.append(_start([str(api_server), *flags], log, ending, by=signal.SIGKILL))
        url, authority = f"https://127.0.0.1:{port}", folder / _CERTIFICATES / "apiserver.crt"
        _wait(started, log, lambda: _server_answers(f"{url}/readyz", authority, token))
        state = folder / STATE
        ending.callback(state.unlink, missing_ok=True)
        reached = {"url": url, "token": token, "authority": str(authority)}
        _write(state, {"pid": os.getpid(), "living": living, **reached})
        while used(users) and state.exists() and all(process.poll() is None for process in started):
            keep_short(log)
            time.sleep(0.05)


def _end(signal_number: int, frame: FrameType | None) -> None:
    sys.exit(0)


def _etcd_flags(folder: Path) -> list[str]:
    return [
        *("--data-dir", str(folder / "etcd"), "--log-level", "error"),
        *("--listen-client-urls", f"unix://{_DATABASE}", "--advertise-client-urls", f"unix://{_DATABASE}"),
        # It has no peers.
        *("--listen-peer-urls", "unix://peers:1"),
        # Data lost in a crash of the machine is restored from the ledger.
        "--unsafe-no-fsync",
    ]


def _api_server_flags(folder: Path, port: int, *, living: bool) -> list[str]:
    certificates = folder / _CERTIFICATES
    # The server creates its own certificate, whose key also signs the tokens of service accounts.
    key = certificates / "apiserver.key"
    return [
        *(f"--etcd-servers=unix://{_DATABASE}", f"--secure-port={port}", "--bind-address=127.0.0.1"),
        *("--advertise-address=127.0.0.1", "--service-cluster-ip-range=10.0.0.0/24"),
        *(f"--cert-dir={certificates}", f"--token-auth-file={folder / 'tokens'}", "--authorization-mode=RBAC"),
        # As in every cloud's clusters: installers of node drivers need it.
        "--allow-privileged=true",
        f"--encryption-provider-config={_encryption(folder)}",
        *(f"--service-account-key-file={key}", f"--service-account-signing-key-file={key}"),
        "--service-account-issuer=https://sandbox.invalid",
        # Both need a controller, which runs only in a live cluster: one creates the accounts, one removes the
        # finalizers.
        *(() if living else ("--disable-admission-plugins=ServiceAccount,StorageObjectInUseProtection",)),
    ]


def _encryption(folder: Path) -> Path:
    """The encryption of Secrets in etcd, with a key of this server; earlier unencrypted ones remain readable.

    Source: kubernetes.io/docs/tasks/administer-cluster/encrypt-data.
    """
    file = folder / "encryption.json"
    if not file.exists():
        key = {"name": "sandbox", "secret": b64encode(secrets.token_bytes(32)).decode()}
        providers: list[Any] = [{"secretbox": {"keys": [key]}}, {"identity": {}}]
        kind = {"apiVersion": "apiserver.config.k8s.io/v1", "kind": "EncryptionConfiguration"}
        _write(file, {**kind, "resources": [{"resources": ["secrets"], "providers": providers}]})
    return file


def _start(command: Sequence[str], log: Path, ending: ExitStack, *, by: signal.Signals) -> subprocess.Popen[bytes]:
    """by: the signal that stops it, at the latest when this process ends."""
    process = start(command, log, by=by)
    ending.callback(end, process, by=by)
    return process


def _wait(started: Sequence[subprocess.Popen[bytes]], log: Path, answers: Callable[[], None]) -> None:
    """Waits until it answers; otherwise ends this process with the last lines of its log."""
    end = time.monotonic() + _READY_SECONDS
    while time.monotonic() < end and all(process.poll() is None for process in started):
        with suppress(OSError):
            return answers()
        time.sleep(0.05)
    words = log.read_text(errors="replace").strip().splitlines()[-5:]
    sys.exit("\n".join([f"{log.stem} did not start:", *words]))


def _database_answers() -> None:
    with socket.socket(socket.AF_UNIX) as probe:
        probe.connect(_DATABASE)


def _server_answers(url: str, authority: Path, token: str) -> None:
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, context=ssl.create_default_context(cafile=str(authority)), timeout=5):
        pass


def used(users: IO[str]) -> bool:
    """Whether a command holds the lock."""
    try:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _write(file: Path, content: dict[str, object]) -> None:
    scratch = file.with_name(f"{file.name}.{os.getpid()}")
    scratch.touch(mode=0o600)
    scratch.write_text(json.dumps(content))
    scratch.replace(file)


if __name__ == "__main__":
    main()
