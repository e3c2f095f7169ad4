"""The memory of the simulated clouds."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gpucluster.sandbox.clouds.store.ledger import DamagedLedgerError, Entry, Ledger, Operation
from gpucluster.sandbox.clouds.types.values import Secret

VPC = Entry(
    provider="aws",
    scope="us-east-1",
    type="aws:ec2/vpc:Vpc",
    id="vpc-1",
    name="",
    urn="urn:1",
    inputs={"password": Secret("x")},
    outputs={"endpoint": "https://a.sandbox.invalid"},
    created_at="2026-01-01T00:00:00+00:00",
)


def test_what_is_put_is_found_by_its_key_and_its_type(ledger: Ledger) -> None:
    ledger.put(VPC)
    assert ledger.get("aws", "us-east-1", VPC.type, "vpc-1") == VPC
    assert ledger.find("aws", "us-east-1", VPC.type) == [VPC]
    assert ledger.of_types({VPC.type, "another"}) == [VPC]
    assert ledger.of_types({"another"}) == []


@pytest.mark.parametrize(
    "change", [{"scope": "us-west-2"}, {"provider": "gcp"}, {"type": "x"}, {"id": "vpc-2"}], ids=str
)
def test_things_with_another_key_stay_apart(ledger: Ledger, change: dict[str, str]) -> None:
    other = replace(VPC, **change)  # type: ignore[arg-type]
    ledger.put(VPC)
    ledger.put(other)
    assert ledger.all() == [VPC, other]
    assert ledger.get(VPC.provider, VPC.scope, VPC.type, VPC.id) == VPC


def test_removing_says_whether_there_was_something(ledger: Ledger) -> None:
    ledger.put(VPC)
    assert ledger.remove("aws", "us-east-1", VPC.type, "vpc-1") is True
    assert ledger.remove("aws", "us-east-1", VPC.type, "vpc-1") is False
    assert ledger.all() == []


def test_a_refused_change_leaves_nothing_behind(ledger: Ledger) -> None:
    with pytest.raises(RuntimeError), ledger.exclusive():
        ledger.put(VPC)
        raise RuntimeError
    assert ledger.all() == []


def test_the_file_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    Ledger(tmp_path / "l").close()
    assert (tmp_path / "l").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("column", "value"),
    [("inputs", "{bad"), ("outputs", "5"), ("outputs", b"\xff"), ("operation", '{"unknown": 1}')],
    ids=str,
)
def test_a_row_that_cannot_be_read_is_named(tmp_path: Path, column: str, value: object) -> None:
    ledger = Ledger(tmp_path / "ledger")
    ledger.put(VPC)
    ledger.verify()
    with closing(sqlite3.connect(tmp_path / "ledger")) as connection, connection:
        connection.execute(f"UPDATE resources SET {column} = ?", (value,))
    with pytest.raises(DamagedLedgerError, match=r"^the row of urn:1 \(vpc-1\) cannot be read: "):
        ledger.verify()


def test_a_page_that_cannot_be_read_is_found_though_the_rest_can(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger")
    for at in range(200):
        ledger.put(replace(VPC, id=f"vpc-{at}"))
    ledger.close()
    with (tmp_path / "ledger").open("r+b") as file:
        file.seek(3 * 4096)
        file.write(b"\x07" * 4096)
    with closing(Ledger(tmp_path / "ledger")) as damaged, pytest.raises((DamagedLedgerError, sqlite3.DatabaseError)):
        damaged.verify()


def test_a_copy_has_all_of_it(tmp_path: Path) -> None:
    with closing(Ledger(tmp_path / "ledger")) as ledger:
        ledger.put(VPC)
        ledger.copy_to(tmp_path / "copy")
    with closing(Ledger(tmp_path / "copy")) as copy:
        assert copy.all() == [VPC]


WRITER = """
import sys
from dataclasses import replace
from pathlib import Path
from gpucluster.sandbox.clouds.store.ledger import DamagedLedgerError, Entry, Ledger

ledger = Ledger(Path(sys.argv[1]))
for at in range(50):
    with ledger.exclusive():
        count = len(ledger.all())
        ledger.put(Entry(provider="aws", scope="s", type="t", id=str(count), name="", urn="", inputs={}, outputs={}))
"""


def test_two_processes_that_look_and_then_write_do_not_overtake_each_other(tmp_path: Path) -> None:
    file = tmp_path / "ledger"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(file)]) for _ in range(2)]
    assert [writer.wait() for writer in writers] == [0, 0]
    assert sorted(int(entry.id) for entry in Ledger(file).all()) == list(range(100))


ROLE = replace(VPC, type="aws:iam/role:Role", id="reader", name="Reader", outputs={"arn": "arn:x/Reader"})


def test_what_mentions_a_text_is_found_whatever_its_case_and_until_it_no_longer_does(ledger: Ledger) -> None:
    group = replace(VPC, type="g", id="g-1", inputs={"vpcs": [{"id": "/VPC-1/"}], "size": 1})
    for entry in (VPC, ROLE, group):
        ledger.put(entry)
    assert ledger.mentioning({"g", VPC.type}, "vpc-1") == [VPC, group]
    assert ledger.mentioning({ROLE.type}, "none", "ARN:x/reader") == [ROLE]
    assert ledger.mentioning({ROLE.type}, "reader") == [ROLE]
    ledger.put(replace(group, inputs={"vpcs": []}))
    assert ledger.mentioning({"g"}, "vpc-1") == []
    ledger.remove(VPC.provider, VPC.scope, VPC.type, VPC.id)
    assert ledger.mentioning({VPC.type}, "vpc-1") == []


def test_a_self_link_is_found_by_the_path_in_it(ledger: Ledger) -> None:
    link = "https://www.googleapis.com/compute/v1/projects/p/global/networks/n"
    ledger.put(replace(VPC, inputs={"network": link}))
    assert ledger.mentioning({VPC.type}, "projects/p/global/networks/n") == ledger.all()


def test_ids_and_what_is_below_them_are_found_whatever_their_case(ledger: Ledger) -> None:
    group, inside, beside = (replace(VPC, id=id_, inputs={}) for id_ in ("/G/a", "/g/A/b", "/g/ab/c"))
    for entry in (group, inside, beside):
        ledger.put(entry)
    assert ledger.with_id("/g/A") == ledger.with_id("/g/a", {VPC.type}) == [group]
    assert ledger.under("/g/a") == ledger.under("/G/A", {VPC.type}) == [inside]
    assert ledger.with_id("/g/a", {"another"}) == ledger.under("/g/a", {"another"}) == []
    assert ledger.of_scope(VPC.scope) == [group, inside, beside]
    assert ledger.of_scope("elsewhere") == []


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Sets the clock to this time."""
    return lambda now: monkeypatch.setattr("gpucluster.sandbox.clouds.store.ledger.time.time", lambda: now)


def _operation(**more: Any) -> Operation:
    """From 940 to 1,000."""
    return Operation(state="Creating", ends=1_000.0, lasts=60.0, then={"state": "Succeeded"}, **more)


def _in_file(tmp_path: Path) -> dict[str, str]:
    """Id -> operation of every row, read past the ledger."""
    with closing(sqlite3.connect(tmp_path / "clouds.sqlite3")) as connection:
        return dict(connection.execute("SELECT id, operation FROM resources"))


@pytest.mark.parametrize(
    ("now", "left"), [(939.0, 0.0), (940.0, 60.0), (999.0, 1.0), (1_000.0, 0.0), (1_001.0, 0.0), (0.0, 0.0)]
)
def test_an_operation_goes_on_for_its_length_whatever_the_clock_says(
    ledger: Ledger, clock: Callable[[float], None], now: float, left: float
) -> None:
    clock(950.0)
    going = replace(VPC, operation=_operation())
    ledger.put(going)
    clock(now)
    done = replace(VPC, outputs={**VPC.outputs, "state": "Succeeded"})
    assert _operation().left == left
    assert (ledger.all(), ledger.in_progress({VPC.type})) == (([going], [going]) if left else ([done], []))


def test_a_clock_that_goes_back_makes_no_ended_deletion_undone(
    ledger: Ledger, clock: Callable[[float], None], tmp_path: Path
) -> None:
    clock(950.0)
    ledger.put(replace(VPC, id="going", operation=_operation(removes=True)))
    ledger.put(replace(VPC, id="made", operation=_operation()))
    clock(1_000.0)
    assert [entry.id for entry in ledger.all()] == ["made"]
    ledger.put(VPC)
    assert _in_file(tmp_path) == {"made": "", "vpc-1": ""}
    clock(950.0)
    assert [(entry.id, entry.outputs.get("state")) for entry in ledger.all()] == [
        ("made", "Succeeded"),
        ("vpc-1", None),
    ]


def test_the_end_of_an_operation_leaves_alone_what_another_process_has_written_since(
    ledger: Ledger, clock: Callable[[float], None], tmp_path: Path
) -> None:
    clock(950.0)
    for id_, removes in (("going", True), ("made", False)):
        ledger.put(replace(VPC, id=id_, operation=_operation(removes=removes)))
    clock(1_000.0)
    read = Ledger._rows

    def read_before_the_other(self: Ledger, where: str, *values: str) -> Any:
        rows = read(self, where, *values)
        with closing(sqlite3.connect(tmp_path / "clouds.sqlite3")) as other, other:
            other.execute("UPDATE resources SET operation = '', name = 'new'")
        return rows

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Ledger, "_rows", read_before_the_other)
        ledger.settle()
    assert [(entry.id, entry.name, entry.outputs) for entry in ledger.all()] == [
        ("going", "new", VPC.outputs),
        ("made", "new", VPC.outputs),
    ]


def test_an_operation_of_an_earlier_version_has_no_length_and_has_ended(
    ledger: Ledger, clock: Callable[[float], None], tmp_path: Path
) -> None:
    clock(950.0)
    for id_, removes in (("gone", True), ("made", False)):
        ledger.put(replace(VPC, id=id_, operation=_operation(removes=removes)))
    with closing(sqlite3.connect(tmp_path / "clouds.sqlite3")) as connection, connection:
        connection.execute("UPDATE resources SET operation = json_remove(operation, '$.lasts')")
    ledger.verify()
    assert ledger.all() == [replace(VPC, id="made", outputs={**VPC.outputs, "state": "Succeeded"})]


def test_a_changed_resource_keeps_its_place(ledger: Ledger) -> None:
    other = replace(VPC, id="vpc-2")
    for entry in (VPC, other, replace(VPC, name="new")):
        ledger.put(entry)
    assert [entry.id for entry in ledger.all()] == ["vpc-1", "vpc-2"]


def test_secrets_are_encrypted_by_the_passphrase_beside_the_file(tmp_path: Path) -> None:
    hidden = {"a": [Secret({"token": "open sesame"})]}
    settings = {"region": "us-east-1", "kubeconfig": Secret("open sesame")}
    with closing(Ledger(tmp_path / "ledger")) as ledger:
        ledger.put(replace(VPC, inputs=hidden, outputs=hidden))
        ledger.put_provider("urn::id", settings)
        assert [file for file in tmp_path.iterdir() if b"sesame" in file.read_bytes()] == []
    with closing(Ledger(tmp_path / "ledger")) as ledger:
        (found,) = ledger.all()
        assert (found.inputs, found.outputs, ledger.providers()) == (hidden, hidden, {"urn::id": settings})
    (tmp_path / "passphrase").write_text("another")
    with closing(Ledger(tmp_path / "ledger")) as ledger:
        with pytest.raises(DamagedLedgerError, match=r"^the row of urn:1 \(vpc-1\) cannot be read: .*passphrase does"):
            ledger.verify()
        ledger.remove(VPC.provider, VPC.scope, VPC.type, VPC.id)
        with pytest.raises(DamagedLedgerError, match=r"^the settings of a provider cannot be read: "):
            ledger.verify()


FIRST_VERSION = """
CREATE TABLE resources (provider TEXT NOT NULL, scope TEXT NOT NULL, type TEXT NOT NULL, id TEXT NOT NULL,
name TEXT NOT NULL, urn TEXT NOT NULL, inputs TEXT NOT NULL, outputs TEXT NOT NULL, created_at TEXT NOT NULL,
PRIMARY KEY (provider, scope, type, id))"""


def test_a_ledger_of_an_earlier_version_is_taken_over_without_secrets_in_plain_text(tmp_path: Path) -> None:
    file = tmp_path / "ledger"
    secret = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "value": "open sesame"}
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(FIRST_VERSION)
        for id_ in ("vpc-1", "vpc-2"):
            inputs = json.dumps({"password": secret, "filler": "x" * 5000})
            row = ("aws", "us-east-1", VPC.type, id_, "", "urn:1", inputs, "{}", VPC.created_at)
            connection.execute("INSERT INTO resources VALUES (?,?,?,?,?,?,?,?,?)", row)
    with closing(Ledger(file)) as ledger:
        ledger.verify()
        assert [(entry.id, entry.inputs["password"]) for entry in ledger.all()] == [
            ("vpc-1", Secret("open sesame")),
            ("vpc-2", Secret("open sesame")),
        ]
        assert [entry.id for entry in ledger.mentioning({VPC.type}, "VPC-2")] == ["vpc-2"]
        assert [each for each in tmp_path.iterdir() if b"sesame" in each.read_bytes()] == []
    with closing(Ledger(file)) as ledger:
        assert len(ledger.all()) == 2
