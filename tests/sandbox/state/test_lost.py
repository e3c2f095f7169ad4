"""Lost states and ledgers, on the real engine: no resource is made a second time, and none is left."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from gpucluster.sandbox.clouds.types.values import Secret
from gpucluster.sandbox.project.project import Project
from gpucluster.sandbox.state.damage import differences
from tests.sandbox.conftest import PROJECT, PulumiProject
from tests.waiting import output_of, wait_for

pytestmark = [pytest.mark.engine, pytest.mark.checkpoints]

# The SDK's import would take longer than all the rest.
PROGRAM = """
    import time

    import pulumi
    from pulumi import CustomResource, ResourceOptions

    config = pulumi.Config()
    vpc = last = CustomResource("aws:ec2/vpc:Vpc", "net", {"cidrBlock": "10.0.0.0/16"})
    for at in range(int(config.require("keys"))):
        hidden = pulumi.Output.secret("open sesame")
        CustomResource("aws:ssm/parameter:Parameter", f"key{at}", {"type": "String", "value": hidden})
    for at in range(int(config.get("chain") or 0)):
        props = {"vpcId": vpc.id, "cidrBlock": f"10.0.{at}.0/24"}
        last = CustomResource("aws:ec2/subnet:Subnet", f"s{at}", props, ResourceOptions(depends_on=[last]))
    if config.get("wait") and not pulumi.runtime.is_dry_run():
        vpc.id.apply(lambda _: time.sleep(3600))
"""
UP = ("up", "--yes", "--skip-preview")


def _new(folder: Path, **config: str) -> PulumiProject:
    (folder / "stacks").mkdir(parents=True)
    (folder / "Pulumi.yaml").write_text(PROJECT.format(virtualenv=sys.prefix))
    project = PulumiProject(folder)
    project.write(PROGRAM, **config)
    return project


def _state(project: PulumiProject) -> Path:
    return project.root / ".sandbox/state/.pulumi/stacks/small/dev.json"


def _ledger(project: PulumiProject) -> Path:
    return project.root / ".sandbox/clouds.sqlite3"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project after two updates."""
    folder = tmp_path_factory.mktemp("made")
    project = _new(folder / "project", **{"small:keys": "1"})
    project.pulumi(*UP)
    project.write(PROGRAM, **{"small:keys": "2"})
    project.pulumi(*UP)
    return folder


@pytest.fixture
def standing(made: Path, tmp_path: Path) -> PulumiProject:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return PulumiProject(tmp_path / "project")


def _overwrite_a_page(project: PulumiProject) -> None:
    with _ledger(project).open("r+b") as file:
        file.seek(4096)
        file.write(b"\x07" * 4096)


DAMAGE: dict[str, Callable[[PulumiProject], object]] = {
    "the state is missing": lambda project: _state(project).unlink(),
    "a page of the ledger is overwritten": _overwrite_a_page,
}


@pytest.mark.slow
@pytest.mark.core
@pytest.mark.parametrize("damage", DAMAGE)
def test_what_is_lost_is_refused_by_an_update_and_put_back_by_recover(standing: PulumiProject, damage: str) -> None:
    before = standing.ledger()
    DAMAGE[damage](standing)
    refused = standing.run("pulumi", *UP, "--stack", "dev")
    (line,) = [line for line in refused.stderr.splitlines() if not line.startswith(("SIMULATED", "Engine "))]
    assert (refused.returncode, refused.stdout) == (2, "")
    assert line.startswith("error: ") and "gpucluster sandbox recover" in line
    # What reads the state does not make it the one to go by.
    standing.run("pulumi", "stack", "export", "--stack", "dev")
    assert standing.run("status").returncode == 2
    recovered = standing.run("recover", "--stack", "dev")
    assert recovered.returncode == 0, recovered.stderr
    assert standing.ledger() == before
    standing.pulumi("preview", "--expect-no-changes")
    assert standing.run("recover").stdout == ""


def test_nothing_in_the_sandbox_has_a_secret_in_plain_text(standing: PulumiProject) -> None:
    assert any(entry.inputs.get("value") == Secret("open sesame") for entry in standing.ledger())
    for command in (("recover",), ("status",), ("status", "--format", "json"), ("doctor",)):
        assert "sesame" not in standing.run(*command).stdout
    files = [file for file in (standing.root / ".sandbox").rglob("*") if file.is_file()]
    assert [file for file in files if b"sesame" in file.read_bytes()] == []


def _kept(project: PulumiProject) -> list[str]:
    document = json.loads(project.run("status", "--format", "json").stdout)
    assert (document["orphans"], document["ghosts"]) == ([], [])
    return [item["urn"].rsplit("::", 1)[-1] for item in document["kept"]]


@pytest.mark.slow
def test_what_was_taken_out_of_the_state_on_purpose_stays_out_though_the_state_is_lost(standing: PulumiProject) -> None:
    (key,) = (entry for entry in standing.ledger() if entry.urn.endswith("::key1"))
    standing.pulumi("state delete", "--yes", key.urn)
    assert _kept(standing) == ["key1"]
    assert standing.run("recover").stdout == ""
    assert standing.plan() == {"key1": "create"}
    _state(standing).write_text("")
    assert standing.run("recover").returncode == 0
    assert _kept(standing) == ["key1"]


@pytest.mark.slow
def test_a_stack_that_was_removed_starts_anew_with_what_it_had_left_to_itself(standing: PulumiProject) -> None:
    standing.pulumi("stack rm", "--force", "--yes")
    assert set(standing.plan().values()) == {"create"}


def _start(project: PulumiProject) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "gpucluster", "sandbox", "pulumi", *UP, "--stack", "dev"]
    return subprocess.Popen(
        command,
        cwd=project.root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )


@pytest.mark.slow
@pytest.mark.core
def test_a_running_update_is_left_alone_and_named(tmp_path: Path) -> None:
    project = _new(tmp_path / "project", **{"small:keys": "0", "small:wait": "yes"})
    run = _start(project)
    locks = project.root / ".sandbox/state/.pulumi/locks/organization/small/dev"
    # The lock of `stack init` goes again.
    wait_for("the network is made", lambda: _count(_ledger(project)) == 1, of=run)
    pid = json.loads(next(locks.glob("*.json")).read_text())["pid"]
    for command in (("reset", "--yes"), ("pulumi", *UP, "--stack", "dev"), ("recover",)):
        refused = project.run(*command)
        said = [line for line in refused.stderr.splitlines() if not line.startswith(("SIMULATED", "Engine "))]
        assert (refused.returncode, refused.stdout, len(said)) == (2, "", 1)
        assert said[0].startswith(f"error: the stack dev is in use: process {pid} of ")
    preview = project.run("pulumi", "preview", "--stack", "dev")
    assert f"The stack dev is in use: process {pid} of " in preview.stderr
    os.killpg(run.pid, signal.SIGINT)
    output_of(run)
    assert project.run("reset", "--yes").returncode == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Generator[Path]:
    """A disk with room for a start, and not for much more."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = shutil.which("mount")
    command = [str(mount), "-t", "tmpfs", "-o", "size=80m", "tmpfs", str(disk)]
    if mount is None or subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("this machine does not allow to mount a small disk; test_process.py has the rest")
    try:
        yield disk
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.slow
def test_on_a_disk_that_fills_up_an_update_is_stopped_and_leaves_whole_files(small_disk: Path) -> None:
    project = _new(small_disk / "project", **{"small:keys": "0", "small:chain": "100"})
    run = _start(project)
    wait_for("eight resources are made", lambda: _count(_ledger(project)) >= 8, of=run)
    with (small_disk / "filling").open("wb") as file, suppress(OSError):
        while True:
            file.write(bytes(4_000_000))
    _, said = output_of(run)
    assert run.returncode == 2
    assert f"error: the command was stopped: the disk of {project.root}/.sandbox has " in said
    assert json.loads(_state(project).read_text())["version"] == 3
    assert project.run("recover").returncode == 2
    (small_disk / "filling").unlink()
    recovered = project.run("recover")
    assert recovered.returncode == 0, recovered.stderr
    assert [difference for difference in differences(Project(project.root / "Pulumi.yaml")) if difference] == []
    assert project.pulumi("preview").count("create") > 0


def _count(ledger: Path) -> int:
    with suppress(sqlite3.Error):
        connection = sqlite3.connect(f"file:{ledger}?mode=ro", uri=True)
        try:
            return connection.execute("SELECT count(*) FROM resources").fetchone()[0]
        finally:
            connection.close()
    return 0


def test_a_first_update_on_a_read_only_disk_says_so(small_disk: Path) -> None:
    project = _new(small_disk / "project", **{"small:keys": "0"})
    remount: list[Any] = ["mount", "-o", "remount,ro", str(small_disk)]
    subprocess.run(remount, check=True)
    done = project.run("pulumi", *UP, "--stack", "dev")
    said = [line for line in done.stderr.splitlines() if not line.startswith(("SIMULATED", "Engine "))]
    assert (done.returncode, done.stdout) == (2, "")
    assert said == [
        f"error: {project.root} is on a read-only file system; "
        "mount it for writing, or copy the project to another disk"
    ]
