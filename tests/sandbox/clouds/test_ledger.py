"""The memory of the simulated clouds."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from gpucluster.sandbox.clouds.ledger import DamagedLedgerError, Entry, Ledger
from gpucluster.sandbox.clouds.values import Secret

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


def test_a_copy_has_all_of_it_and_both_the_version(tmp_path: Path) -> None:
    with closing(Ledger(tmp_path / "ledger")) as ledger:
        ledger.put(VPC)
        ledger.copy_to(tmp_path / "copy", 3)
        assert ledger.version == 3
    with closing(Ledger(tmp_path / "copy")) as copy:
        assert (copy.version, copy.all()) == (3, [VPC])


WRITER = """
import sys
from dataclasses import replace
from pathlib import Path
from gpucluster.sandbox.clouds.ledger import DamagedLedgerError, Entry, Ledger

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
