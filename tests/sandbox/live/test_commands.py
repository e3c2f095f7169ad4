"""Logs and stop, and what status, reset and the end of a cluster do to one that lives."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from gpucluster.cli import main
from gpucluster.errors import InputError
from gpucluster.sandbox.api_server import keeper as server_keeper
from gpucluster.sandbox.clouds.kubernetes.api_server import server_folder
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.commands.reset import reset
from gpucluster.sandbox.commands.status import status
from gpucluster.sandbox.live import supervisor
from gpucluster.sandbox.live.commands.logs import logs, stop
from gpucluster.sandbox.live.controllers import Controller
from gpucluster.sandbox.live.supervisor import FOLDER, keeper_of, open_supervisor, sweep
from gpucluster.sandbox.project.project import Store

SCOPE = "https://one.sandbox.invalid"
CLUSTER = Entry(
    provider="aws",
    scope="us-east-1",
    type="aws:eks/cluster:Cluster",
    id="one",
    name="one",
    urn="urn:pulumi:one::small::aws:eks/cluster:Cluster::c",
    inputs={},
    outputs={"endpoint": SCOPE},
)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """Of the project in the current folder, which has one cluster."""
    (tmp_path / "Pulumi.yaml").write_text("name: small\nruntime: python\n")
    monkeypatch.chdir(tmp_path)
    store = Store(tmp_path / ".sandbox")
    store.prepare()
    with store.open_ledger() as ledger:
        ledger.put(CLUSTER)
    state = store.state / ".pulumi" / "stacks" / "small" / "one.json"
    state.parent.mkdir(parents=True)
    resource = {"urn": CLUSTER.urn, "type": CLUSTER.type, "id": CLUSTER.id, "custom": True}
    state.write_text(json.dumps({"version": 3, "checkpoint": {"latest": {"resources": [resource]}}}))
    return store


@pytest.fixture
def living(store: Store) -> Iterator[Path]:
    """The folder of its server; one program runs beside it."""
    folder = server_folder(store.servers, SCOPE)
    folder.mkdir(parents=True)
    (folder / server_keeper.STATE).write_text("{}")
    with open_supervisor(folder) as running:
        running.run(Controller(name="kueue", command=["/bin/sh", "-c", "echo admitted; exec sleep 60"]))
    yield folder
    supervisor.stop(folder)


def test_a_log_is_printed_and_a_wrong_name_lists_those_there_are(living: Path) -> None:
    (living / FOLDER / "kueue.log").write_text("admitted\n")
    assert CliRunner().invoke(logs, ["kueue"]).output == "admitted\n"
    (living / FOLDER / "kueue.log.1").write_text("queued\n")
    assert CliRunner().invoke(logs, ["kueue"]).output == "queued\nadmitted\n"
    (living / FOLDER / "keeper.log").unlink()
    with pytest.raises(InputError) as caught:
        CliRunner().invoke(logs, ["kueu"], catch_exceptions=False)
    assert str(caught.value) == "there is no log 'kueu'; there are: kueue"


@pytest.mark.usefixtures("store")
def test_where_nothing_ran_there_is_no_log_and_nothing_to_stop() -> None:
    with pytest.raises(InputError, match="nothing has run in this cluster; start it: gpucluster sandbox --kubernetes"):
        CliRunner().invoke(logs, ["kueue"], catch_exceptions=False)
    assert CliRunner().invoke(stop, ["--stack", "one"]).stderr == "one does not run.\n"


@pytest.mark.parametrize(
    "words",
    [["logs", "kueue"], ["jobs"], ["job", "finish", "one", "-s", "one"], ["node", "list"], ["stop", "-s", "one"]],
)
def test_without_a_cluster_they_advise_one_that_lives(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: small\nruntime: python\n")
    monkeypatch.chdir(tmp_path)
    said = CliRunner().invoke(main, ["sandbox", *words])
    made = "create one: gpucluster sandbox --kubernetes live pulumi up"
    assert (said.exit_code, said.stderr) == (2, f"error: no cluster exists in the simulated clouds; {made}\n")


def test_stop_ends_it_and_leaves_its_files(living: Path) -> None:
    assert CliRunner().invoke(stop, ["-s", "one"]).stderr == "Stopped one.\n"
    assert keeper_of(living / FOLDER) is None
    assert (living / FOLDER).is_dir()


def test_status_names_what_lives(living: Path) -> None:
    assert json.loads(CliRunner().invoke(status, ["--format", "json"], catch_exceptions=False).stdout)["living"] == [
        "one"
    ]
    assert "Running; stop it: gpucluster sandbox stop --stack NAME\n  - one\n" in CliRunner().invoke(status).stdout
    supervisor.stop(living)
    assert json.loads(CliRunner().invoke(status, ["--format", "json"]).stdout)["living"] == []


def test_reset_ends_the_live_cluster(living: Path) -> None:
    assert CliRunner().invoke(reset, ["--yes"]).exit_code == 0
    assert keeper_of(living / FOLDER) is None
    assert not living.exists()


def test_what_lost_its_cluster_ends_and_the_rest_goes_on(living: Path, store: Store) -> None:
    sweep(store)
    assert keeper_of(living / FOLDER) is not None
    ledger = Ledger(store.ledger)
    ledger.remove(CLUSTER.provider, CLUSTER.scope, CLUSTER.type, CLUSTER.id)
    ledger.close()
    sweep(store)
    assert keeper_of(living / FOLDER) is None
    assert not living.exists()
