"""`gpucluster sandbox drift`: what it shows of each kind, and what it says of none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gpucluster.cli import main
from gpucluster.errors import InputError
from gpucluster.sandbox.clouds.events.scenario import Drift, Scenario
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.project.project import Project, Store
from gpucluster.sandbox.run.seed import disturb

VPC = "aws:ec2/vpc:Vpc"
OUTPUTS: dict[str, Any] = {
    "cidrBlock": "10.0.0.0/16",
    "tags": {"owner": "ml", "team": "a"},
    "tagsAll": {"owner": "ml", "team": "a"},
    "rules": [{"port": 1}, {"port": 2}],
}


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A project whose state and clouds have two networks."""
    (tmp_path / "Pulumi.yaml").write_text("name: small\nruntime: python\n")
    store = Project(tmp_path / "Pulumi.yaml").store
    store.prepare()
    resources: list[dict[str, Any]] = []
    with store.open_ledger() as ledger:
        for name in ("one", "two"):
            urn = f"urn:pulumi:dev::small::{VPC}::{name}"
            resources.append({"urn": urn, "type": VPC, "id": f"vpc-{name}", "custom": True, "outputs": OUTPUTS})
            inputs = {"cidrBlock": "10.0.0.0/16", "tags": OUTPUTS["tags"]}
            entry = Entry(
                provider="aws", scope="us-east-1", type=VPC, id=f"vpc-{name}", name="", urn=urn, inputs=inputs,
                outputs=OUTPUTS,
            )  # fmt: skip
            ledger.put(entry)
    state = tmp_path / ".sandbox/state/.pulumi/stacks/small/dev.json"
    state.parent.mkdir(parents=True)
    state.write_text(json.dumps({"version": 3, "checkpoint": {"latest": {"resources": resources}}}))
    monkeypatch.chdir(tmp_path)
    return store


def _drift(store: Store, *drifts: Drift) -> Ledger:
    with store.open_ledger() as ledger:
        disturb(Scenario(drift=drifts), ledger)
        return ledger


def _command(*args: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["sandbox", "drift", *args])
    return done.exit_code, done.output


def test_state_and_clouds_that_agree_have_no_drift(store: Store) -> None:
    del store
    assert _command() == (0, "No drift: state and clouds agree.\n")


@pytest.mark.parametrize("command", ["drift", "recover"])
def test_a_stack_that_there_is_not_is_refused(store: Store, command: str) -> None:
    del store
    done = CliRunner().invoke(main, ["sandbox", command, "--stack", "deb"])
    said = "there is no stack 'deb': it has no Pulumi.deb.yaml; stacks here: dev; did you mean dev?\n"
    assert (done.exit_code, done.stdout, done.stderr) == (2, "", f"error: {said}")


def test_every_kind_of_drift_is_shown_by_property(store: Store) -> None:
    changes = {"cidrBlock": "10.1.0.0/16", "tags.Stranger": "yes", "tags.owner": None, "rules.1.port": 22}
    _drift(store, Drift(type=VPC, name="one", set=changes), Drift(type=VPC, name="two", deleted=True))
    code, said = _command()
    assert code == 1
    assert said.splitlines()[:6] == [
        "dev",
        f"  deleted  {VPC} two (vpc-two)",
        f'  changed  {VPC} one (vpc-one): cidrBlock "10.0.0.0/16" -> "10.1.0.0/16"',
        f"  changed  {VPC} one (vpc-one): rules.1.port 2 -> 22",
        f'  added    {VPC} one (vpc-one): tags.Stranger nothing -> "yes"',
        f'  removed  {VPC} one (vpc-one): tags.owner "ml" -> nothing',
    ]


def test_as_json_every_difference_is_an_object(store: Store) -> None:
    _drift(store, Drift(type=VPC, name="two", set={"cidrBlock": "10.1.0.0/16"}))
    code, said = _command("--format", "json")
    assert (code, json.loads(said)["drift"]) == (
        1,
        [
            {
                "stack": "dev", "what": "changed", "type": VPC, "name": "two", "id": "vpc-two", "path": "cidrBlock",
                "was": "10.0.0.0/16", "now": "10.1.0.0/16",
            }
        ],
    )  # fmt: skip


def test_what_a_program_could_set_changes_as_input_too(store: Store) -> None:
    _drift(store, Drift(type=VPC, name="one", set={"tags.owner": "me"}))
    (entry,) = (entry for entry in store.existing() if entry.id == "vpc-one")
    assert (entry.inputs["tags"]["owner"], entry.outputs["tags"]["owner"], entry.outputs["tagsAll"]["owner"]) == (
        "me", "me", "me",
    )  # fmt: skip


def test_what_is_not_there_cannot_drift(store: Store) -> None:
    with pytest.raises(InputError, match=r"the scenario's drift\[0\]: there is no aws:ec2/vpc:Vpc called three"):
        _drift(store, Drift(type=VPC, name="three", set={"cidrBlock": "x"}))
