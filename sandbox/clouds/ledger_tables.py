"""The tables of a ledger, and the migration from an earlier version.

`mentions` is an index that SQLite maintains automatically: every text in a resource's id, name, inputs and outputs, in
lower case and without slashes at its ends, leads to the resource; a self link of Google Cloud is indexed by its path. A
rule uses it to find references to a resource, or the owner of a name, without reading the whole ledger.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Final

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
    found, begun = list[str](), ""
    for line in script.splitlines():
        begun += f"{line}\n"
        if sqlite3.complete_statement(begun):
            found.append(begun)
            begun = ""
    return found
