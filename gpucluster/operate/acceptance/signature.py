"""Signature of a report by `ssh-keygen -Y`, so that it can be the annex of a contract.

The user's own SSH key signs; the other party checks with a list of allowed signers (ssh-keygen(1), ALLOWED SIGNERS).
"""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from pydantic import BaseModel

from gpucluster.core.text.typed import Source, read_json
from gpucluster.errors import InputError

NAMESPACE: Final = "gpucluster-acceptance"
"""What a signature is of: with it, none of another purpose counts here."""


def sign(report: Path, key: Path) -> Path:
    """The signature's file, beside the report. ssh-keygen asks for a passphrase on the terminal.

    Raises InputError if ssh-keygen is missing or refuses the key.
    """
    signature = signature_of(report)
    signature.unlink(missing_ok=True)  # ssh-keygen would ask whether to overwrite it
    _run(["-Y", "sign", "-f", str(key), "-n", NAMESPACE, str(report)], f"{report} can't be signed with {key}")
    return signature


def signature_of(report: Path) -> Path:
    """The name that ssh-keygen gives to a signature."""
    return report.with_name(f"{report.name}.sig")


def check(report: Path, signature: Path, signers: Path | None, identity: str | None) -> str:
    """ssh-keygen's sentence about a good signature. signers: who may sign, with identity their name in it.

    Without both it is checked only that the key in the signature signed this report. Raises InputError for another
    report or signer, and for a file that cannot be read.
    """
    try:
        text = report.read_bytes()
    except OSError as error:
        raise InputError(f"{report} can't be read: {error.strerror}; give a report") from None
    about = ["-n", NAMESPACE, "-s", str(signature)]
    if signers is None or identity is None:
        words = ["-Y", "check-novalidate", *about]
    else:
        words = ["-Y", "verify", "-f", str(signers), "-I", identity, *about]
    return _run(words, f"{report} has no good signature in {signature}", text)


def _run(words: Sequence[str], problem: str, given: bytes | None = None) -> str:
    try:
        done = subprocess.run(["ssh-keygen", *words], input=given, capture_output=True, check=False)
    except FileNotFoundError:
        raise InputError(f"{problem}: there is no ssh-keygen on the PATH; install OpenSSH 8.1 or newer") from None
    if done.returncode:
        message = (done.stderr or done.stdout).decode("utf-8", "replace").strip().splitlines()
        raise InputError(f"{problem}: {message[0] if message else f'ssh-keygen ended with {done.returncode}'}")
    return done.stdout.decode("utf-8", "replace").strip()


class _Log(BaseModel):
    name: str
    sha256: str


class _Report(BaseModel):
    logs: list[_Log]


def digest(data: bytes) -> str:
    """SHA-256 in hexadecimal digits, as sha256sum prints it."""
    return hashlib.sha256(data).hexdigest()


def unlisted(report: Path, logs: Mapping[str, bytes]) -> list[str]:
    """The logs that the JSON report was not made from, by their content. Raises InputError if it is no such report."""
    source = Source(name=str(report), fix="give a report of --format json")
    known = {log.sha256 for log in read_json(report.read_text(encoding="utf-8"), _Report, source).logs}
    return [name for name, data in logs.items() if digest(data) not in known]
