"""`gpucluster sandbox recover` and the disagreements in `gpucluster sandbox status`, on the real engine."""

from __future__ import annotations

import json
import os
import shutil
import socket
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from gpucluster.sandbox.clouds.store.ledger import Ledger

pytestmark = [pytest.mark.engine, pytest.mark.checkpoints]

PROGRAM = """
    import pulumi
    from pulumi import CustomResource, Output, ResourceOptions

    config = pulumi.Config()
    CustomResource("aws:ec2/vpc:Vpc", "net", {"cidrBlock": config.get("cidr") or "10.0.0.0/16"})
    if not config.get("without"):
        secret = Output.secret("c2VjcmV0")
        kept = ResourceOptions(retain_on_delete=True)
        CustomResource("aws:ssm/parameter:Parameter", "key", {"type": "SecureString", "value": secret}, kept)
"""


def _recover(project: Any, *options: str) -> str:
    done = project.run("recover", "--stack", "dev", *options)
    assert (done.returncode, done.stderr.replace(_BANNER, "")) == (0, "")
    return done.stdout


_BANNER = "SIMULATED clouds: no account is used and nothing is billed.\nEngine 3.259.0, state in .sandbox\n"


def _checkpoint(project: Any) -> Path:
    return project.root / ".sandbox/state/.pulumi/stacks/small/dev.json"


def _rewrite(project: Any, change: Callable[[dict[str, Any]], None]) -> None:
    """Writes a changed state as an engine that is killed afterwards."""
    document = json.loads(_checkpoint(project).read_text())
    latest = document["checkpoint"]["latest"]
    change(latest)
    latest["manifest"]["time"] = datetime.now(UTC).isoformat()
    _checkpoint(project).write_text(json.dumps(document))


def _forget(project: Any, name: str) -> None:
    """Makes the state one in which a resource never was: what a provider that dies during a create leaves."""

    def without(latest: dict[str, Any]) -> None:
        latest["resources"] = [item for item in latest["resources"] if not item["urn"].endswith(f"::{name}")]

    _rewrite(project, without)
    shutil.rmtree(project.root / ".sandbox/state/.pulumi/history")


def _status(project: Any) -> dict[str, list[str]]:
    document = json.loads(project.run("status", "--format", "json").stdout)
    return {
        kind: [item["urn"].rsplit("::", 1)[-1] for item in document[kind]] for kind in ("orphans", "ghosts", "kept")
    }


@pytest.fixture
def standing(project: Any) -> Any:
    project.write(PROGRAM)
    project.pulumi("up", "--yes", "--skip-preview")
    return project


def test_where_nothing_is_to_be_done_it_is_silent(standing: Any) -> None:
    assert _recover(standing) == ""
    assert standing.run("recover").stdout == ""


def test_before_the_first_run_it_is_silent_and_makes_nothing(project: Any) -> None:
    (project.root / "stacks/Pulumi.dev.yaml").write_text("")
    assert _recover(project) == ""
    assert not (project.root / ".sandbox").exists()


def test_an_orphan_without_a_trace_is_adopted_with_its_secret_encrypted(standing: Any) -> None:
    _forget(standing, "key")
    (ledger,) = (entry for entry in standing.ledger() if "Parameter" in entry.type)
    assert _status(standing) == {"orphans": ["key"], "ghosts": [], "kept": []}
    before = _checkpoint(standing).read_text()
    line = f"  adopt   aws:ssm/parameter:Parameter key ({ledger.id}): in the clouds, not in the state\n"
    assert _recover(standing, "--dry-run") == f"Would recover the stack dev from a crash:\n{line}"
    assert _checkpoint(standing).read_text() == before
    assert _recover(standing) == f"Recovering the stack dev from a crash:\n{line}"
    assert "c2VjcmV0" not in _checkpoint(standing).read_text()
    standing.pulumi("preview", "--expect-no-changes")


@pytest.mark.slow
@pytest.mark.core
def test_what_a_plain_up_made_a_second_time_is_deleted(standing: Any) -> None:
    _forget(standing, "key")
    standing.pulumi("up", "--yes", "--skip-preview")
    first, second = (entry for entry in standing.ledger() if "Parameter" in entry.type)
    assert f"  delete  {first.type} key ({first.id}): created twice" in _recover(standing)
    assert [entry for entry in standing.ledger() if "Parameter" in entry.type] == [second]
    standing.pulumi("preview", "--expect-no-changes")


@pytest.mark.slow
def test_what_is_gone_or_changed_is_refreshed(standing: Any) -> None:
    ledger = Ledger(standing.root / ".sandbox/clouds.sqlite3")
    vpc = next(entry for entry in ledger.all() if "Vpc" in entry.type)
    ledger.remove(vpc.provider, vpc.scope, vpc.type, vpc.id)
    ledger.close()
    assert _status(standing) == {"orphans": [], "ghosts": ["net"], "kept": []}
    assert f"  refresh aws:ec2/vpc:Vpc net ({vpc.id}): gone from the clouds\n" in _recover(standing)
    assert _status(standing)["ghosts"] == []
    assert standing.plan() == {"net": "create"}


@pytest.mark.slow
def test_what_the_program_keeps_on_purpose_is_neither_adopted_nor_deleted(standing: Any) -> None:
    standing.write(PROGRAM, **{"small:without": "yes"})
    standing.pulumi("up", "--yes", "--skip-preview")
    assert _status(standing) == {"orphans": [], "ghosts": [], "kept": ["key"]}
    assert _recover(standing) == ""


@pytest.mark.parametrize(
    ("host", "message"), [("", "still runs"), ("elsewhere", "another machine")], ids=["living", "elsewhere"]
)
def test_a_lock_whose_process_may_live_is_respected(standing: Any, host: str, message: str) -> None:
    folder = standing.root / ".sandbox/state/.pulumi/locks/organization/small/dev"
    folder.mkdir(parents=True, exist_ok=True)
    since = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    content = {"pid": os.getpid(), "username": "me", "hostname": host or socket.gethostname(), "timestamp": since}
    (folder / "1.json").write_text(json.dumps(content))
    done = standing.run("recover", "--stack", "dev", "--dry-run")
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert (folder / "1.json").exists()
    # The advice about a lock of another machine.
    assert standing.run("pulumi", "cancel", "--yes", "--stack", "dev").returncode == 0
    assert not (folder / "1.json").exists()


@pytest.mark.slow
def test_files_cut_short_by_a_kill_are_removed(standing: Any) -> None:
    _checkpoint(standing).with_name("dev.json.attrs").write_text("")
    assert "EOF" in standing.refused("stack export")
    assert "  remove the file dev.json.attrs, which was cut short\n" in _recover(standing)
    standing.pulumi("preview", "--expect-no-changes")


@pytest.mark.slow
def test_a_resource_killed_between_delete_and_create_of_its_replacement_is_adopted(standing: Any) -> None:
    """As the engine writes it: the old one is deleted, the new one was made under the same fixed id."""

    def deleted(latest: dict[str, Any]) -> None:
        next(item for item in latest["resources"] if item["urn"].endswith("::net"))["pendingReplacement"] = True

    _rewrite(standing, deleted)
    assert "the replacement is already there" in _recover(standing)
    standing.pulumi("preview", "--expect-no-changes")


@pytest.mark.slow
@pytest.mark.core
def test_an_orphan_of_google_cloud_is_adopted(project: Any) -> None:
    program = """
        from pulumi import CustomResource
        CustomResource("gcp:compute/network:Network", "net", {"autoCreateSubnetworks": False, "mtu": 8244})
        CustomResource("gcp:compute/globalAddress:GlobalAddress", "range", {"labels": {"team": "ml"}})
    """
    project.write(program, **{"gcp:project": "my-project"})
    project.pulumi("up --yes --skip-preview")
    _forget(project, "range")
    assert _status(project) == {"orphans": ["range"], "ghosts": [], "kept": []}
    assert "adopt   gcp:compute/globalAddress:GlobalAddress range (projects/my-project/" in _recover(project)
    project.pulumi("preview --expect-no-changes")
    project.pulumi("destroy --yes --skip-preview")
    assert project.ledger() == []
