"""What exists in the simulated clouds, in one SQLite file.

The ledger is the cloud's own memory: Pulumi's state knows what a stack believes, the ledger what is really there, so
an orphan of a crash shows up here and nowhere else. Several processes may use it at once.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Collection, Generator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gpucluster.sandbox.clouds.values import from_wire, to_wire
from gpucluster.sandbox.narrow import is_object

__all__ = ["DamagedLedgerError", "Entry", "Ledger", "Operation"]

_TABLE = """
CREATE TABLE IF NOT EXISTS resources (
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
    PRIMARY KEY (provider, scope, type, id)
)"""
_COLUMNS = "provider, scope, type, id, name, urn, inputs, outputs, created_at, provider_ref, operation"
_LATER = ("provider_ref", "operation")
"""Columns that ledgers of earlier versions do not have."""

_STATE_OUTPUTS = ("provisioningState", "status", "state")


class DamagedLedgerError(Exception):
    """The file is no whole ledger; the message says what is wrong with it."""


@dataclass(frozen=True, kw_only=True)
class Operation:
    """What a cloud has accepted and goes on doing, whether or not someone waits for it.

    state: what the cloud calls it, such as Creating.
    ends: in seconds since the epoch.
    then: outputs as they are from its end on.
    removes: whether the resource is gone then.
    error: why it fails, in the cloud's words; empty where it succeeds.
    """

    state: str
    ends: float
    then: Mapping[str, Any] = field(default_factory=dict[str, Any])
    removes: bool = False
    error: str = ""

    @property
    def ended(self) -> bool:
        """Whether its time has come."""
        return self.ends <= time.time()


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One resource of the simulated cloud.

    scope: the region, or the API server of a Kubernetes cluster; "global" for what has no region.
    name: the name it bears in the cloud, empty where it has none.
    created_at: UTC, ISO 8601.
    provider_ref: `urn::id` of the provider instance that wrote it last; empty where it is not known.
    operation: what the cloud is doing with it now, None where it is at rest.
    """

    provider: str
    scope: str
    type: str
    id: str
    name: str
    urn: str
    inputs: dict[str, Any]
    outputs: dict[str, Any]
    created_at: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    provider_ref: str = ""
    operation: Operation | None = None

    @property
    def state(self) -> str:
        """What the cloud calls its state, such as ACTIVE, Creating or Failed; empty where it calls it nothing."""
        found = (self.outputs.get(name) for name in _STATE_OUTPUTS)
        said = self.operation.state if self.operation is not None else next((it for it in found if it), "")
        return said if isinstance(said, str) else ""


class Ledger:
    """The resources that exist, by provider, scope, type and id.

    An operation that has ended shows in what is read from then on: nobody has to be there to see it end.
    """

    def __init__(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.RLock()
        self._connection = sqlite3.connect(file, timeout=30, isolation_level=None, check_same_thread=False)
        try:
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")
            self._connection.execute(_TABLE)
            self._add_missing_columns()
        except sqlite3.Error:
            self._connection.close()
            raise
        file.chmod(0o600)

    def _add_missing_columns(self) -> None:
        """Ledgers of earlier versions do not know who wrote a resource, nor what goes on with it."""
        columns = {row[1] for row in self._connection.execute("PRAGMA table_info(resources)")}
        for column in _LATER:
            if column not in columns:
                self._connection.execute(f"ALTER TABLE resources ADD COLUMN {column} TEXT NOT NULL DEFAULT ''")

    def close(self) -> None:
        """Lets go of the file."""
        with self._lock:
            self._connection.close()

    def verify(self) -> None:
        """Raises DamagedLedgerError, or sqlite3.DatabaseError, unless every page and every row can be read."""
        with self._lock:
            (found,) = self._connection.execute("PRAGMA integrity_check(1)").fetchone()
        if found != "ok":
            raise DamagedLedgerError(str(found).replace("\n", " "))
        self.all()

    @property
    def version(self) -> int:
        """How many copies were made of it: a file put back from elsewhere has fewer than the last copy."""
        with self._lock:
            return self._connection.execute("PRAGMA user_version").fetchone()[0]

    def copy_to(self, file: Path, version: int) -> None:
        """Writes all of it to another file, both with this version."""
        with self._lock, closing(sqlite3.connect(file)) as other:
            self._connection.execute(f"PRAGMA user_version = {version:d}")
            self._connection.backup(other)

    @contextmanager
    def exclusive(self) -> Generator[None]:
        """Lets one caller look and then write, e.g. to refuse a name that is taken."""
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def get(self, provider: str, scope: str, type_: str, id_: str) -> Entry | None:
        """The resource with this id, None when it does not exist."""
        return next(
            iter(self._select("provider = ? AND scope = ? AND type = ? AND id = ?", provider, scope, type_, id_)), None
        )

    def find(self, provider: str, scope: str, type_: str) -> list[Entry]:
        """The resources of a type in a scope, oldest first."""
        return self._select("provider = ? AND scope = ? AND type = ?", provider, scope, type_)

    def all(self) -> list[Entry]:
        """Everything that exists."""
        return self._select("1")

    def of_types(self, types: Collection[str]) -> list[Entry]:
        """The resources of these types in every scope, oldest first."""
        return self._select(f"type IN ({', '.join('?' * len(types))})", *types)

    def put(self, entry: Entry) -> None:
        """Writes a resource, over the one with the same id."""
        values = (entry.provider, entry.scope, entry.type, entry.id, entry.name, entry.urn)
        documents = (
            json.dumps(to_wire(entry.inputs)),
            json.dumps(to_wire(entry.outputs)),
            entry.created_at,
            entry.provider_ref,
            json.dumps(asdict(entry.operation)) if entry.operation is not None else "",
        )
        with self._lock:
            self._connection.execute(
                f"INSERT OR REPLACE INTO resources ({_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?,?)", values + documents
            )

    def remove(self, provider: str, scope: str, type_: str, id_: str) -> bool:
        """Forgets a resource; False when there was none."""
        with self._lock:
            where = "provider = ? AND scope = ? AND type = ? AND id = ?"
            return (
                self._connection.execute(f"DELETE FROM resources WHERE {where}", (provider, scope, type_, id_)).rowcount
                > 0
            )

    def remove_scope(self, scope: str) -> None:
        """Forgets all that lives in a scope, as when a cluster is deleted with its objects."""
        with self._lock:
            self._connection.execute("DELETE FROM resources WHERE scope = ?", (scope,))

    def _select(self, where: str, *values: str) -> list[Entry]:
        with self._lock:
            rows = self._connection.execute(
                f"SELECT {_COLUMNS} FROM resources WHERE {where} ORDER BY created_at, rowid", values
            ).fetchall()
        return [entry for row in rows if (entry := _entry(row)) is not None]


def _entry(row: tuple[Any, ...]) -> Entry | None:
    """A resource as it is now; None for one whose deletion has ended."""
    try:
        return _read(row)
    except (TypeError, ValueError) as error:
        raise DamagedLedgerError(f"the row of {row[5]} ({row[3]}) cannot be read: {error}") from error


def _read(row: tuple[str, ...]) -> Entry | None:
    provider, scope, type_, id_, name, urn, inputs, outputs, created_at, provider_ref, begun = row
    operation = Operation(**_object(begun)) if begun else None
    ended = operation if operation is not None and operation.ended else None
    if ended is not None and ended.removes:
        return None
    return Entry(
        provider=provider,
        scope=scope,
        type=type_,
        id=id_,
        name=name,
        urn=urn,
        inputs=from_wire(_object(inputs)),
        outputs=from_wire(_object(outputs)) | dict(ended.then if ended is not None else {}),
        created_at=created_at,
        provider_ref=provider_ref,
        operation=operation if ended is None else None,
    )


def _object(text: str) -> dict[str, Any]:
    value = json.loads(text)
    if not is_object(value):
        raise ValueError(f"{text} is no JSON object")
    return dict(value)
