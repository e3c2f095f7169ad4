"""Secrets of the simulated clouds, encrypted with the passphrase of Pulumi's state.

AES-256-GCM, as for Pulumi's own secrets (pulumi/pulumi sdk/go/common/resource/config/crypt.go). The passphrase is 256
random bits, so the key is derived from it by HKDF (RFC 5869): it needs no stretching.
"""

from __future__ import annotations

import os
import secrets
from base64 import b64decode, b64encode
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM


_NONCE: Final = 12
"""Bytes; recommended by NIST SP 800-38D for GCM."""


class Vault:
    """Encrypts and decrypts texts with the passphrase in a file, which is created at first use."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def made(self) -> Path:
        """The file, with a random passphrase if it was missing; concurrent callers use the one written first."""
        if not self.file.exists():
            scratch = self.file.with_name(f".{self.file.name}.{os.getpid()}.{secrets.token_hex(4)}")
            try:
                scratch.touch(mode=0o600)
                scratch.write_text(secrets.token_hex(32))
                with suppress(FileExistsError):
                    os.link(scratch, self.file)
            finally:
                scratch.unlink(missing_ok=True)
        return self.file

    def seal(self, text: str) -> str:
        """The text encrypted, in base 64."""
        nonce = os.urandom(_NONCE)
        return b64encode(nonce + self._cipher.encrypt(nonce, text.encode(), None)).decode()

    def opened(self, sealed: str) -> str:
        """The inverse of `seal`; raises ValueError if the passphrase is different, or the text was changed."""
        # Imported late: most runs have no secrets.
        from cryptography.exceptions import InvalidTag

        try:
            raw = b64decode(sealed, validate=True)
            return self._cipher.decrypt(raw[:_NONCE], raw[_NONCE:], None).decode()
        except (InvalidTag, ValueError) as error:
            raise ValueError(f"{self.file} does not open it") from error

    @cached_property
    def _cipher(self) -> AESGCM:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF

        key = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"gpucluster sandbox ledger")
        return AESGCM(key.derive(self.made().read_bytes()))
