"""The resources of the simulated clouds, in one SQLite file.

The ledger is the clouds' own memory: Pulumi's state has a stack's view, the ledger the resources that really exist, so
only the ledger shows an orphan of a crash. Several processes may use it at once.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Collection, Generator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gpucluster.core.program.resources import urn_name
from gpucluster.core.text.type_guards import is_object
from gpucluster.sandbox.clouds.store.ledger_tables import Vault, open_tables
from gpucluster.sandbox.clouds.types.values import from_wire, to_wire

_COLUMNS = "provider, scope, type, id, name, urn, inputs, outputs, created_at, provider_ref, operation"
_PUT = f"""
INSERT INTO resources ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (provider, scope, type, id) DO UPDATE SET name = excluded.name, urn = excluded.urn,
inputs = excluded.inputs, outputs = excluded.outputs, created_at = excluded.created_at,
provider_ref = excluded.provider_ref, operation = excluded.operation"""
_KEY = "provider = ? AND scope = ? AND type = ? AND id = ?"
_REMOVE = f"DELETE FROM resources WHERE {_KEY}"
_COMPLETE = f"UPDATE resources SET outputs = ?, operation = '' WHERE {_KEY} AND operation = ?"
_AS_KEPT = "lower(trim(?, '/'))"
"""A text as stored in `mentions`."""
_PLAIN_SECRET = '"value"'
"""Present in a plain-text secret, absent in an encrypted one."""

_STATE_OUTPUTS = ("provisioningState", "status", "state")


class DamagedLedgerError(Exception):
    """The file is not an intact ledger; the message describes the damage."""


@dataclass(frozen=True, kw_only=True)
class Operation:
    """An operation that a cloud has accepted and continues, even if no caller waits for it.

    state: the cloud's name of its state, such as Creating.
    ends: in seconds since the epoch.
    lasts: its length in seconds; 0 in ledgers of earlier versions, whose operations count as ended.
    then: outputs from its end on.
    removes: whether the resource is deleted at its end.
    error: why it fails, as the cloud's; empty if it succeeds.
    failed: the cloud's name of the state that it then leaves.
    machines: how many of the requested machines it then leaves; None for all.
    """

    state: str
    ends: float
    lasts: float = 0.0
    then: Mapping[str, Any] = field(default_factory=dict[str, Any])
    removes: bool = False
    error: str = ""
    failed: str = ""
    machines: int | None = None

    @property
    def left(self) -> float:
        """The seconds until its end, 0 if it has ended. A clock that goes back does not resume it: more than its length
        cannot be left."""
        left = self.ends - time.time()
        return left if 0 < left <= self.lasts else 0.0


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One resource of the simulated cloud.

    scope: the region, or the API server of a Kubernetes cluster; "global" for resources without a region.
    name: its name in the cloud, empty if it has none.
    created_at: UTC, ISO 8601.
    provider_ref: `urn::id` of the provider instance that wrote it last; empty if unknown.
    operation: the cloud's current operation on it, None if there is none.
    failure: the last operation if it has failed; a later write without it repairs the resource.
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
    failure: Operation | None = None

    @property
    def names(self) -> tuple[str, str]:
        """Its names in the program and in the cloud."""
        return urn_name(self.urn), self.name

    def started(self, machines: int) -> int:
        """The machines that there are of those requested: a failed pool has fewer."""
        left = self.failure.machines if self.failure is not None else None
        return machines if left is None else min(machines, left)

    @property
    def state(self) -> str:
        """The cloud's name of its state, such as ACTIVE, Creating or Failed; empty if the cloud has none."""
        found = (self.outputs.get(name) for name in _STATE_OUTPUTS)
        failed = self.failure.failed if self.failure is not None else ""
        state = self.operation.state if self.operation is not None else next((it for it in found if it), failed)
        return state if isinstance(state, str) else ""


class Ledger:
    """The resources that exist, by provider, scope, type and id.

    The end of an operation shows in every later read: no process has to wait for it. The next write makes it final.
    """

    def __init__(self, file: Path, vault: Vault | None = None) -> None:
        """vault: encrypts its secrets; by default with the passphrase beside the file."""
        file.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.RLock()
        self._vault = vault or Vault(file.with_name("passphrase"))
        self._connection = sqlite3.connect(file, timeout=30, isolation_level=None, check_same_thread=False)
        try:
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")
            open_tables(self._connection, self._resealed)
        except BaseException:
            self._connection.close()
            raise
        file.chmod(0o600)

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            self._connection.close()

    def verify(self) -> None:
        """Raises DamagedLedgerError, or sqlite3.DatabaseError, unless every page and every row can be read."""
        with self._lock:
            (found,) = self._connection.execute("PRAGMA integrity_check(1)").fetchone()
        if found != "ok":
            raise DamagedLedgerError(str(found).replace("\n", " "))
        self.all()
        self.providers()

    def copy_to(self, file: Path) -> None:
        """Copies it completely to another file."""
        with self._lock, closing(sqlite3.connect(file)) as other:
            self._connection.backup(other)

    @contextmanager
    def exclusive(self) -> Generator[None]:
        """Lets only one caller read and then write, e.g. to refuse a used name."""
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def get(self, provider: str, scope: str, type_: str, id_: str) -> Entry | None:
        """The resource with this id, None if it does not exist."""
        return next(iter(self._select(_KEY, provider, scope, type_, id_)), None)

    def find(self, provider: str, scope: str, type_: str) -> list[Entry]:
        """The resources of a type in a scope, oldest first."""
        return self._select("provider = ? AND scope = ? AND type = ?", provider, scope, type_)

    def all(self) -> list[Entry]:
        """Everything that exists."""
        return self._select("1")

    def of_types(self, types: Collection[str]) -> list[Entry]:
        """The resources of these types in every scope, oldest first."""
        return self._select(f"type IN ({_marks(types)})", *types)

    def of_scope(self, scope: str) -> list[Entry]:
        """The resources of all types in a scope, oldest first."""
        return self._select("scope = ?", scope)

    def mentioning(self, types: Collection[str], *texts: str) -> list[Entry]:
        """The resources of these types with one of these texts as id or name, or among inputs or outputs, oldest first.

        Compares whole texts up to 1,000 characters, ignoring case and slashes at their ends: callers must check the
        results further.
        """
        wanted = (
            f"SELECT resource FROM mentions WHERE type IN ({_marks(types)}) AND text IN ({_marks(texts, _AS_KEPT)})"
        )
        return self._select(f"number IN ({wanted})", *types, *texts)

    def with_id(self, id_: str, types: Collection[str] = ()) -> list[Entry]:
        """The resources with this id in any scope, ignoring case.

        types: only these types, by default all; the same below.
        """
        return self._select(f"lower(id) = lower(?){_of(types)}", id_, *types)

    def under(self, id_: str, types: Collection[str] = ()) -> list[Entry]:
        """The resources whose ids begin with this one and a slash, ignoring case, oldest first."""
        # In ASCII, zero follows the slash.
        where = f"lower(id) > lower(?) || '/' AND lower(id) < lower(?) || '0'{_of(types)}"
        return self._select(where, id_, id_, *types)

    def in_progress(self, types: Collection[str]) -> list[Entry]:
        """The resources of these types with an operation in progress, oldest first."""
        found = self._select(f"operation != ''{_of(types)}", *types)
        return [entry for entry in found if entry.operation is not None]

    def put(self, entry: Entry) -> None:
        """Writes a resource, replacing the one with the same id."""
        values = (
            *(entry.provider, entry.scope, entry.type, entry.id, entry.name, entry.urn),
            *(self._written(entry.inputs), self._written(entry.outputs), entry.created_at, entry.provider_ref),
            self._written(vars(current)) if (current := entry.operation or entry.failure) is not None else "",
        )
        self.settle()
        with self._lock:
            self._connection.execute(_PUT, values)

    def settle(self) -> None:
        """Removes or completes the resources whose operation has ended."""
        with self._lock:
            for row in self._rows("operation != ''"):
                entry = self._entry(row)
                # Another process may have written the resource since.
                same = (*row[:4], row[-1])
                if entry is None:
                    self._connection.execute(f"{_REMOVE} AND operation = ?", same)
                elif entry.operation is None and entry.failure is None:
                    self._connection.execute(_COMPLETE, (self._written(entry.outputs), *same))

    def put_provider(self, reference: str, settings: Mapping[str, Any]) -> None:
        """Writes the settings of a provider that manages resources of the ledger, by `urn::id`."""
        with self._lock:
            self._connection.execute(
                "INSERT OR REPLACE INTO providers VALUES (?, ?)", (reference, self._written(settings))
            )

    def providers(self) -> dict[str, dict[str, Any]]:
        """The settings of every provider that has written to the ledger, by `urn::id`."""
        with self._lock:
            rows = self._connection.execute("SELECT reference, settings FROM providers").fetchall()
        try:
            return {reference: from_wire(_object(settings), self._vault.opened) for reference, settings in rows}
        except (TypeError, ValueError) as error:
            raise DamagedLedgerError(f"the settings of a provider cannot be read: {error}") from error

    def _written(self, values: Mapping[str, Any]) -> str:
        return json.dumps(to_wire(values, self._vault.seal))

    def _resealed(self, text: str) -> str:
        """Values of an earlier version in the current form."""
        return self._written(from_wire(_object(text))) if _PLAIN_SECRET in text else text

    def remove(self, provider: str, scope: str, type_: str, id_: str) -> bool:
        """Removes a resource; False if there was none."""
        self.settle()
        with self._lock:
            return self._connection.execute(_REMOVE, (provider, scope, type_, id_)).rowcount > 0

    def retire(self, type_: str, id_: str) -> None:
        """Remembers an id that the cloud never gives again, even after the deletion of the resource."""
        with self._lock:
            self._connection.execute("INSERT OR IGNORE INTO retired VALUES (?, ?)", (type_, id_))

    def is_retired(self, type_: str, id_: str) -> bool:
        """Whether a deleted resource of the type had this id for ever."""
        with self._lock:
            found = self._connection.execute("SELECT 1 FROM retired WHERE type = ? AND id = ?", (type_, id_))
            return found.fetchone() is not None

    def remove_scope(self, scope: str) -> None:
        """Removes all resources of a scope, as when a cluster is deleted with its objects."""
        with self._lock:
            self._connection.execute("DELETE FROM resources WHERE scope = ?", (scope,))

    def _select(self, where: str, *values: str) -> list[Entry]:
        return [entry for row in self._rows(where, *values) if (entry := self._entry(row)) is not None]

    def _rows(self, where: str, *values: str) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._connection.execute(
                f"SELECT {_COLUMNS} FROM resources WHERE {where} ORDER BY created_at, number", values
            ).fetchall()

    def _entry(self, row: tuple[Any, ...]) -> Entry | None:
        """The current resource; None if its deletion has ended."""
        try:
            return _read(row, self._vault)
        except (TypeError, ValueError) as error:
            raise DamagedLedgerError(f"the row of {row[5]} ({row[3]}) cannot be read: {error}") from error


def _of(types: Collection[str]) -> str:
    return f" AND type IN ({_marks(types)})" if types else ""


def _marks(values: Collection[str], mark: str = "?") -> str:
    return ", ".join([mark] * len(values))


def _read(row: tuple[str, ...], vault: Vault) -> Entry | None:
    provider, scope, type_, id_, name, urn, inputs, outputs, created_at, provider_ref, stored = row
    operation = Operation(**from_wire(_object(stored), vault.opened)) if stored else None
    ended = operation if operation is not None and not operation.left else None
    if ended is not None and ended.removes:
        return None
    return Entry(
        provider=provider,
        scope=scope,
        type=type_,
        id=id_,
        name=name,
        urn=urn,
        inputs=from_wire(_object(inputs), vault.opened),
        outputs=from_wire(_object(outputs), vault.opened) | dict(ended.then if ended is not None else {}),
        created_at=created_at,
        provider_ref=provider_ref,
        operation=operation if ended is None else None,
        failure=ended if ended is not None and ended.failed else None,
    )


def _object(text: str) -> dict[str, Any]:
    value = json.loads(text)
    if not is_object(value):
        raise ValueError(f"{text} is no JSON object")
    return dict(value)
