"""Damaged states and ledgers, and what takes their place; files as the engine writes them, without it."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from gpucluster.errors import InputError
from gpucluster.sandbox.clouds.store.ledger import Entry, Operation
from gpucluster.sandbox.commands.recover import _delete, recover
from gpucluster.sandbox.commands.reset import reset
from gpucluster.sandbox.commands.status import status
from gpucluster.sandbox.project.project import Project
from gpucluster.sandbox.state.damage import (
    damaged_ledger,
    damaged_states,
    forgot_state,
    keep_copies,
    refuse_damage,
    refuse_unreadable,
)
from gpucluster.sandbox.state.repair import Repair

PREFIX = "urn:pulumi:dev::small::"
PROVIDER = f"{PREFIX}pulumi:providers:aws::default"
DAY = "2026-01-02T00:00:00+00:00"


def _entry(name: str) -> Entry:
    return Entry(
        provider="aws",
        scope="us-east-1",
        type="aws:ec2/vpc:Vpc",
        id=f"{name}-1",
        name="",
        urn=f"{PREFIX}aws:ec2/vpc:Vpc::{name}",
        inputs={},
        outputs={"region": "us-east-1"},
        created_at=DAY,
        provider_ref=f"{PROVIDER}::p1",
    )


def _checkpoint(minute: int, *names: str) -> str:
    """A state of that minute with a resource of each name."""
    resources: list[dict[str, Any]] = [
        {"urn": f"{PREFIX}pulumi:pulumi:Stack::small-dev", "custom": False, "type": "pulumi:pulumi:Stack"},
        {"urn": PROVIDER, "custom": True, "type": "pulumi:providers:aws", "id": "p1"},
    ]
    for entry in map(_entry, names):
        known = {"urn": entry.urn, "type": entry.type, "id": entry.id, "outputs": entry.outputs}
        resources.append({**known, "custom": True, "provider": entry.provider_ref, "created": DAY})
    latest = {"manifest": {"time": f"2026-01-02T10:{minute:02}:00.123456789Z"}, "resources": resources if names else []}
    return json.dumps({"version": 3, "checkpoint": {"stack": "organization/small/dev", "latest": latest}})


class Sandbox:
    """A project with a stack `dev` of two resources, as two commands have left it."""

    def __init__(self, folder: Path) -> None:
        (folder / "Pulumi.yaml").write_text("name: small\nruntime: python\n")
        self.project = Project(folder / "Pulumi.yaml")
        self.store = self.project.store
        self.store.prepare()
        self.pulumi = self.store.state / ".pulumi"
        self.state = self.pulumi / "stacks/small/dev.json"
        self.state.parent.mkdir(parents=True)
        self.clouds("a")
        self.old_state = self.left(_checkpoint(1, "a"))
        self.clouds("a", "b")
        self.left(_checkpoint(2, "a", "b"))

    def clouds(self, *names: str) -> None:
        """Makes the clouds have these and nothing else."""
        with self.store.open_ledger() as ledger:
            for entry in ledger.all():
                ledger.remove(entry.provider, entry.scope, entry.type, entry.id)
            for entry in map(_entry, names):
                ledger.put(entry)

    def left(self, state: str) -> str:
        """Ends a command."""
        if self.state.exists():
            shutil.copy(self.state, f"{self.state}.bak")
        self.state.write_text(state)
        keep_copies(self.project, ["dev"])
        return state

    def sql(self, statement: str, *values: object) -> None:
        with closing(sqlite3.connect(self.store.ledger)) as connection, connection:
            connection.execute(statement, values)

    def wrong(self) -> list[str]:
        """What is wrong with the files, without their paths."""
        ledger = damaged_ledger(self.project)
        found = [ledger] if ledger else damaged_states(self.project)
        return [damage.wrong.replace(str(damage.file), "FILE") for damage in found]


@pytest.fixture
def sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    monkeypatch.chdir(tmp_path)
    return Sandbox(tmp_path)


def test_what_a_command_has_left_is_whole_and_its_copies_are_private(sandbox: Sandbox) -> None:
    assert sandbox.wrong() == []
    copies = [file for file in sandbox.store.copies.rglob("*") if file.is_file()]
    assert {file.name: file.stat().st_mode & 0o777 for file in copies} == dict.fromkeys(
        ("clouds.sqlite3", "dev.json"), 0o600
    )


STATES: dict[str, tuple[Callable[[Sandbox], object], str]] = {
    "missing": (
        lambda it: it.state.unlink(),
        "the state FILE is missing, and the clouds have 2 resources of its stack",
    ),
    "folder missing": (
        lambda it: shutil.rmtree(it.store.state),
        "the state FILE is missing, and the clouds have 2 resources of its stack",
    ),
    "empty": (
        lambda it: it.state.write_text(""),
        "the state FILE cannot be read (Expecting value: line 1 column 1 (char 0))",
    ),
    "a list": (lambda it: it.state.write_text("[1,2]"), "the state FILE holds no checkpoint"),
    "a list of numbers": (
        lambda it: it.state.write_text('{"checkpoint": {"latest": {"resources": [1]}}}'),
        "the state FILE holds a resource without URN or type",
    ),
}


@pytest.mark.parametrize("case", STATES)
def test_a_lost_state_is_named_and_put_back(sandbox: Sandbox, case: str) -> None:
    change, wrong = STATES[case]
    before = sandbox.state.read_text()
    change(sandbox)
    (found,) = sandbox.wrong()
    assert found == wrong
    assert _said(status, 2).startswith("error: the state ")
    assert "Would recover from damage: " in _said(recover, 0, "--dry-run")
    assert _said(recover, 0).endswith("\n  put copies/small/dev.json in its place\n")
    assert (sandbox.state.read_text(), sandbox.wrong(), _said(recover, 0)) == (before, [], "")


def _said(command: Any, code: int, *options: str) -> str:
    """What a command prints; refusals as the console script shows them."""
    result: Result = CliRunner().invoke(command, options)
    if isinstance(result.exception, InputError):
        assert code == 2
        return f"error: {result.exception}"
    assert (result.exit_code, result.exception) == (code, None)
    return result.stdout


def test_the_way_out_is_named(sandbox: Sandbox) -> None:
    sandbox.state.unlink()
    with pytest.raises(InputError) as refused:
        refuse_damage(sandbox.project, "dev")
    assert str(refused.value) == (
        f"the state {sandbox.state} is missing, and the clouds have 2 resources of its stack; "
        "`gpucluster sandbox recover` repairs it, `gpucluster sandbox reset` forgets everything"
    )
    refuse_damage(sandbox.project, "another")


def test_without_our_copy_the_state_before_the_last_write_takes_its_place(sandbox: Sandbox) -> None:
    shutil.rmtree(sandbox.store.copies)
    sandbox.state.unlink()
    way = "\n  put state/.pulumi/stacks/small/dev.json.bak in its place\n"
    assert _said(recover, 0, "--dry-run").endswith(way)


def test_where_no_copy_is_left_only_reset_is_offered(sandbox: Sandbox) -> None:
    shutil.rmtree(sandbox.store.copies)
    shutil.rmtree(sandbox.store.state)
    assert _said(recover, 2) == (
        f"error: the state {sandbox.state} is missing, and the clouds have 2 resources of its stack; no copy of it is "
        "left: `gpucluster sandbox reset` forgets everything"
    )
    assert _said(reset, 0, "--yes") == ""
    assert not sandbox.store.root.exists()


def test_a_command_that_reads_the_state_refuses_a_damaged_one(sandbox: Sandbox) -> None:
    refuse_unreadable(sandbox.project, "dev")
    sandbox.state.write_text("[")
    refuse_unreadable(sandbox.project, "another")
    with pytest.raises(InputError, match="cannot be read"):
        refuse_unreadable(sandbox.project, "dev")


def test_a_cut_state_of_a_stack_that_has_nothing_is_removed(sandbox: Sandbox) -> None:
    first = sandbox.state.with_name("first.json")
    first.write_text("")
    assert _said(recover, 0) == (
        f"Recovering from damage: the state {first} cannot be read (Expecting value: line 1 column 1 (char 0))\n"
        "  remove it\n"
    )
    assert (first.exists(), sandbox.wrong()) == (False, [])


@pytest.mark.parametrize(("passed", "waited"), [(0.0, [60.0]), (50.0, [10.0]), (60.0, []), (-86_400.0, [])])
def test_recover_waits_for_an_operation_of_the_clouds_no_longer_than_it_lasts(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, passed: float, waited: list[float]
) -> None:
    begun, slept = 1_000.0, list[float]()
    going = Operation(state="Updating", ends=begun + 60.0, lasts=60.0)
    clock = "gpucluster.sandbox.clouds.store.ledger.time.time"
    monkeypatch.setattr(clock, lambda: begun)
    with sandbox.store.open_ledger() as ledger:
        ledger.put(replace(_entry("a"), operation=going))
    monkeypatch.setattr(clock, lambda: begun + passed + sum(slept))
    monkeypatch.setattr("gpucluster.sandbox.commands.recover.time.sleep", slept.append)
    assert (_said(recover, 0), slept) == ("", waited)


PURPOSE: dict[str, Callable[[Sandbox], object]] = {
    "state delete": lambda it: it.left(_checkpoint(2, "a")),
    "an update that retains": lambda it: it.left(_checkpoint(3, "a")),
    "an update that retains and is killed": lambda it: it.state.write_text(_checkpoint(3, "a")),
    "a destroy that retains all": lambda it: it.left(_checkpoint(3)),
    "another project of that name": lambda it: it.sql("UPDATE resources SET urn = replace(urn, '::small::', '::it::')"),
}


@pytest.mark.parametrize("case", PURPOSE)
def test_what_was_let_go_on_purpose_is_no_damage(sandbox: Sandbox, case: str) -> None:
    PURPOSE[case](sandbox)
    if case == "another project of that name":
        sandbox.left(_checkpoint(3))
        sandbox.state.unlink()
    assert sandbox.wrong() == []


def test_a_stack_that_was_removed_is_not_missing_though_it_left_something(sandbox: Sandbox) -> None:
    sandbox.state.unlink()
    forgot_state(sandbox.project, "dev")
    assert sandbox.wrong() == []


def _page(it: Sandbox) -> None:
    with it.store.ledger.open("r+b") as file:
        file.seek(4096)
        file.write(b"\x07" * 4096)


def _folder(it: Sandbox) -> None:
    it.store.ledger.unlink()
    it.store.ledger.mkdir()
    (it.store.ledger / "x").touch()


LEDGERS: dict[str, tuple[Callable[[Sandbox], object], str]] = {
    "page": (_page, "FILE is damaged (*** in database main ***"),
    "row": (
        lambda it: it.sql("UPDATE resources SET outputs = '{bad' WHERE id = 'b-1'"),
        f"FILE is damaged (the row of {PREFIX}aws:ec2/vpc:Vpc::b (b-1) cannot be read: Expecting property name",
    ),
    "text": (lambda it: it.store.ledger.write_text("no database" * 9), "FILE is damaged (file is not a database)"),
    "cut": (lambda it: os.truncate(it.store.ledger, 5000), "FILE is damaged (database disk image is malformed)"),
    "empty": (lambda it: os.truncate(it.store.ledger, 0), "FILE is empty"),
    "missing": (lambda it: it.store.ledger.unlink(), "FILE is missing"),
    "a folder": (_folder, "FILE is a folder"),
}


@pytest.mark.parametrize("case", LEDGERS)
def test_a_damaged_ledger_is_named_and_put_back(sandbox: Sandbox, case: str) -> None:
    change, wrong = LEDGERS[case]
    before = sandbox.store.existing()
    change(sandbox)
    (found,) = sandbox.wrong()
    assert found.startswith(wrong)
    way = "; `gpucluster sandbox recover` repairs it, `gpucluster sandbox reset` forgets everything"
    assert _said(status, 2).endswith(way)
    assert _said(recover, 0).endswith("\n  put copies/clouds.sqlite3 in its place\n")
    assert (sandbox.store.existing(), sandbox.wrong(), _said(recover, 0)) == (before, [], "")


@pytest.mark.parametrize("case", LEDGERS)
def test_a_damaged_ledger_can_be_forgotten(sandbox: Sandbox, case: str) -> None:
    LEDGERS[case][0](sandbox)
    assert _said(reset, 0, "--yes") == ""
    assert not sandbox.store.root.exists()


def test_a_damaged_ledger_or_state_is_not_copied(sandbox: Sandbox) -> None:
    _page(sandbox)
    sandbox.state.write_text("[")
    keep_copies(sandbox.project, ["dev"])
    assert sandbox.store.whole_copy() == sandbox.store.ledger_copy
    assert _said(recover, 0).endswith("\n  put copies/small/dev.json in its place\n")


def test_a_damaged_ledger_without_an_intact_copy_leaves_reset(sandbox: Sandbox) -> None:
    _page(sandbox)
    sandbox.store.ledger_copy.write_text("no database")
    left = "; no copy of it is left: `gpucluster sandbox reset` forgets everything"
    assert _said(recover, 2).endswith(left)


def test_the_damaged_file_is_kept_beside_what_took_its_place(sandbox: Sandbox) -> None:
    sandbox.state.write_text("[1,2]")
    _said(recover, 0)
    assert sandbox.state.with_name("dev.json.damaged").read_text() == "[1,2]"


def test_reset_needs_no_readable_project(sandbox: Sandbox) -> None:
    sandbox.project.file.write_text("[")
    assert _said(reset, 0, "--yes") == ""
    assert not sandbox.store.root.exists()


@pytest.fixture
def lock(sandbox: Sandbox) -> Callable[[str], Path]:
    def make(host: str) -> Path:
        folder = sandbox.pulumi / "locks/organization/small/dev"
        folder.mkdir(parents=True)
        since = datetime.now(UTC).isoformat()
        content = {"pid": os.getpid(), "username": "me", "hostname": host, "timestamp": since}
        (folder / "1.json").write_text(json.dumps(content))
        return folder / "1.json"

    return make


@pytest.mark.parametrize("command", [recover, reset], ids=lambda command: command.name)
def test_what_a_living_process_works_on_is_left_alone(
    sandbox: Sandbox, lock: Callable[[str], Path], command: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gpucluster.sandbox.state.locks._PATIENCE", 0.0)
    lock(socket.gethostname())
    sandbox.state.write_text("")
    options = ("--yes",) if command is reset else ()
    said = _said(command, 2, *options)
    assert said.startswith(f"error: the stack dev is in use: process {os.getpid()} of me on ")
    assert sandbox.state.read_text() == ""


def test_a_lock_of_another_machine_names_the_command_that_removes_it(lock: Callable[[str], Path]) -> None:
    file = lock("elsewhere")
    assert "`gpucluster sandbox pulumi cancel --yes --stack dev`" in _said(reset, 2, "--yes")
    file.unlink()
    assert _said(reset, 0, "--yes") == ""


HOLDER = """
import sys
from pathlib import Path
from gpucluster.sandbox.project.project import Store

with Store(Path(sys.argv[1])).in_use():
    print("held", flush=True)
    sys.stdin.read()
"""


def test_reset_waits_for_no_command_and_names_the_one_that_it_would_disturb(sandbox: Sandbox) -> None:
    command = [sys.executable, "-c", HOLDER, str(sandbox.store.root)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
        assert _said(reset, 2, "--yes") == (
            f"error: process {holder.pid} is at work in {sandbox.store.root}; wait until it ends, or end it, then run "
            "this again"
        )
        holder.communicate()
    assert sandbox.wrong() == []
    assert _said(reset, 0, "--yes") == ""


def test_what_no_state_can_own_is_deleted_and_nothing_else(sandbox: Sandbox) -> None:
    for delete, left in (((), ["a-1", "b-1"]), ((_entry("b"),), ["a-1"])):
        _delete(sandbox.project, Repair(adopt=(), delete=delete, leave=(), providers={}))
        with sandbox.store.open_ledger() as ledger:
            assert sorted(entry.id for entry in ledger.all()) == left
