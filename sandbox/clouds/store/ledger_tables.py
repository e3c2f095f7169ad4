"""Secrets of the simulated clouds, encrypted with the passphrase of Pulumi's state.

AES-256-GCM, as for Pulumi's own secrets (pulumi/pulumi sdk/go/common/resource/config/crypt.go). The passphrase is 256
random bits, so the key is derived from it by HKDF (RFC 5869): it needs no stretching.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
from base64 import b64decode, b64encode
from collections.abc import Callable
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


_NEW: Final = """
CREATE TABLE resources (
    number INTEGER PRIMARY KEY,
    provider TEXT NOT NULL,
    scope TEXT NOT NULL,
    type TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    urn TEXT NOT NULL,
    inputs TEXT NOT NULL,
    outputs TEXT NOT NULL,
    created_at TEXT NOT NULL,
    provider_ref TEXT NOT NULL DEFAULT '',
    operation TEXT NOT NULL DEFAULT '',
    UNIQUE (provider, scope, type, id)
);
CREATE INDEX resources_by_type ON resources (type);
CREATE INDEX resources_by_scope ON resources (scope, type);
CREATE INDEX resources_by_id ON resources (lower(id));
CREATE INDEX resources_in_progress ON resources (type) WHERE operation != '';

CREATE TABLE mentions (
    type TEXT NOT NULL,
    text TEXT NOT NULL,
    resource INTEGER NOT NULL,
    PRIMARY KEY (type, text, resource)
) WITHOUT ROWID;
CREATE INDEX mentions_by_resource ON mentions (resource);

CREATE VIEW texts AS
SELECT number, type, lower(trim(
    CASE WHEN text LIKE '%//%/projects/%' THEN substr(text, instr(text, '/projects/')) ELSE text END, '/')) AS text
FROM (
    SELECT number, type, name AS text FROM resources
    UNION ALL SELECT number, type, id FROM resources
    UNION ALL SELECT number, resources.type, atom
        FROM resources, json_tree(CASE WHEN json_valid(inputs) THEN inputs END) WHERE json_tree.type = 'text'
    UNION ALL SELECT number, resources.type, atom
        FROM resources, json_tree(CASE WHEN json_valid(outputs) THEN outputs END) WHERE json_tree.type = 'text'
);

CREATE TRIGGER mention_new AFTER INSERT ON resources BEGIN
    INSERT INTO mentions
    SELECT DISTINCT type, text, number FROM texts WHERE number = new.number AND length(text) BETWEEN 1 AND 1000;
END;
CREATE TRIGGER mention_changed AFTER UPDATE ON resources BEGIN
    DELETE FROM mentions WHERE resource = old.number;
    INSERT INTO mentions
    SELECT DISTINCT type, text, number FROM texts WHERE number = new.number AND length(text) BETWEEN 1 AND 1000;
END;
CREATE TRIGGER forget_mentions AFTER DELETE ON resources BEGIN
    DELETE FROM mentions WHERE resource = old.number;
END;

CREATE TABLE providers (reference TEXT PRIMARY KEY, settings TEXT NOT NULL) WITHOUT ROWID;
"""

_RETIRED: Final = "CREATE TABLE IF NOT EXISTS retired (type TEXT, id TEXT, PRIMARY KEY (type, id)) WITHOUT ROWID"
"""Ids that a cloud never gives again; ledgers of earlier versions lack it."""

_KEPT: Final = (
    *("provider", "scope", "type", "id", "name", "urn", "inputs", "outputs", "created_at"),
    *("provider_ref", "operation"),
)
"""Columns that are copied to a new version; the first ledgers lacked the last two."""


def open_tables(connection: sqlite3.Connection, resealed: Callable[[str], str]) -> None:
    """Creates missing tables, with the resources of an earlier version.

    resealed: converts the inputs or outputs of a resource to the current form; earlier versions had secrets in plain
    text.
    """
    if {"mentions", "retired"} <= _tables(connection):
        return
    # Deleted content is overwritten.
    connection.execute("PRAGMA secure_delete=ON")
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute(_RETIRED)
        tables = _tables(connection)
        if "mentions" not in tables:
            _make(connection, resealed, old="resources" in tables)
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute("PRAGMA secure_delete=OFF")


def _tables(connection: sqlite3.Connection) -> set[str]:
    return {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def _make(connection: sqlite3.Connection, resealed: Callable[[str], str], *, old: bool) -> None:
    rows: list[tuple[str, ...]] = []
    columns: list[str] = []
    if old:
        there = {row[1] for row in connection.execute("PRAGMA table_info(resources)")}
        columns = [column for column in _KEPT if column in there]
        rows = connection.execute(f"SELECT {', '.join(columns)} FROM resources ORDER BY created_at, rowid").fetchall()
        connection.execute("DROP TABLE resources")
    for statement in _statements(_NEW):
        connection.execute(statement)
    sealed = [columns.index(column) for column in ("inputs", "outputs") if column in columns]
    for row in rows:
        values = [resealed(value) if at in sealed else value for at, value in enumerate(row)]
        marks = ", ".join("?" * len(values))
        connection.execute(f"INSERT INTO resources ({', '.join(columns)}) VALUES ({marks})", values)


def _statements(script: str) -> list[str]:
    """Splits a script, because executescript would commit first."""
    found, statement = list[str](), ""
    for line in script.splitlines():
        statement += f"{line}\n"
        if sqlite3.complete_statement(statement):
            found.append(statement)
            statement = ""
    return found
