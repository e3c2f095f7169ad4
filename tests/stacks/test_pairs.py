"""Several clusters in one account, project or subscription, with what is the user's: what one leaves for the others.

Every example, and the recorded specs with a key, network, hub, registry or bucket of the user's, beside its twin and
its cloud's trial, in the simulated clouds without an engine; one pair of each cloud on the engine.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from gpucluster.components.cluster.cloud import cloud_of
from gpucluster.components.resources.run import INPUT_ERROR_FILE
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.stack.declaration import declare
from gpucluster.core.catalog.clouds import clouds
from gpucluster.sandbox.clouds.store.ledger import Ledger
from gpucluster.sandbox.clouds.types.schema import Schema
from gpucluster.sandbox.clouds.types.sdk_types import installed_sdks, site_packages
from gpucluster.sandbox.run.scenario_file import read_scenario
from gpucluster.sandbox.run.seed import seed
from tests.components.recorded import TRIAL, chosen, location
from tests.sandbox.clouds.engine import Stack

ROOT: Final = Path(__file__).parents[2]
OWN: Final = Path(__file__).with_name("own")
RECORDED: Final = {
    "aws": ["teams-and-buckets", "mig-telemetry"],
    "gcp": ["dns-own-network", "bucket-teams"],
    "azure": ["private", "linked-container", "own-bucket-teams", "elastic-spot"],
}
"""Specs with what is the user's: `tests/components/plans/CLOUD/specs.yaml`."""
EXAMPLES: Final = {(path.parent.name, path.stem): path for path in sorted((ROOT / "examples/specs").glob("*/*.yaml"))}
PAIRS: Final = [
    *EXAMPLES,
    *((cloud, f"recorded {name}") for cloud in clouds() for name in ("trial", *RECORDED[cloud])),
]
SERVICE: Final = "00000000-0000-0000-0000-0000000000bb"
CONFIG: Final = {"azure": {"gpucluster:bucketGroup": "data", "gpucluster:lustrePrincipal": SERVICE}}
"""Of the stack, in addition to the trial's."""
STAYS: Final = ("gcp:projects/service:Service", "gcp:projects/serviceIdentity:ServiceIdentity")
"""What a project has once: no destroy takes it from others."""
OPS: Final = ("create", "update", "replace", "delete")
REFRESHED: Final = {"azure": {"trial-control-plane-cluster": "update", "trial-registry-pull": "replace"}}
"""A refresh adds the other pools to the cluster on Azure, which the next request of it leaves out again. Until then the
preview knows none of its outputs, so that it names the nodes' right to pull images; `up` replaces nothing."""


World = tuple[Ledger, dict[str, Schema]]


@pytest.fixture
def world(cloud: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """The simulated cloud with what is the user's, and its types."""
    monkeypatch.setenv(INPUT_ERROR_FILE, str(tmp_path / "refused"))
    sdks = installed_sdks(site_packages(None))
    with contextlib.closing(Ledger(tmp_path / "clouds.sqlite3")) as ledger:
        seed(read_scenario(OWN / f"{cloud}.yaml"), sdks, ledger)
        yield ledger, {package: Schema(sdk) for package, sdk in sdks.items()}


@pytest.mark.slow
@pytest.mark.parametrize(("cloud", "name"), PAIRS)
def test_a_cluster_keeps_all_that_it_needs_when_its_twin_and_the_trial_go(world: World, cloud: str, name: str) -> None:
    ledger, schemas = world
    theirs = {entry.id for entry in ledger.all()}
    specs = {"trial": "recorded trial", "first": name, "second": name}
    programs = {stack: _program(cloud, spec, stack) for stack, spec in specs.items()}
    stacks = {stack: Stack(stack, schemas, ledger, salt=stack) for stack in specs}
    for stack, it in stacks.items():
        it.up(programs[stack])
    there = {stack: it.read() for stack, it in stacks.items()}
    kept = {made.id for it in stacks.values() for made in it.made.values() if made.kept}
    for gone, others in {"first": ("trial", "second"), "trial": ("second",), "second": ()}.items():
        stacks[gone].destroy()
        for stack in others:
            found = stacks[stack].read()
            assert {urn: it for urn, it in found.items() if it != there[stack][urn]} == {}
            assert stacks[stack].preview(programs[stack]) == {}
    assert theirs <= {entry.id for entry in ledger.all()}
    assert {entry.id for entry in ledger.all() if entry.type not in STAYS} == theirs | kept


@pytest.mark.slow
@pytest.mark.parametrize(("cloud", "name"), [("azure", "linked-container"), ("azure", "private")])
def test_a_standing_cluster_keeps_names_without_its_stack(world: World, cloud: str, name: str) -> None:
    stack, program = Stack("dev", world[1], world[0]), _program(cloud, f"recorded {name}", "dev")
    stack.up(program, without={"containerName", "roleAssignmentName", "virtualNetworkPeeringName"})
    names = {made.id.rpartition("/")[2] for made in stack.made.values()}
    assert names & {"trial-storage-log", "trial-network-peer-back"}
    assert stack.preview(program) == {}


def _program(cloud: str, name: str, stack: str) -> Callable[[], None]:
    """Declares the cluster of an example or of a recorded spec."""
    file = EXAMPLES.get((cloud, name))
    recorded = {} if file is not None else chosen(cloud, name.removeprefix("recorded "))
    spec = {**TRIAL, **recorded.get("changes", {})} if file is None else yaml.safe_load(file.read_text())
    if stack == "second" and "peer" in spec["access"]:
        spec = {**spec, "network": {"ranges": {"network": "10.96.0.0/16"}}}  # a hub has each range once
    given = recorded.get("place", {})
    if stack == "second" and "lustre_principal" in given:
        given = {**given, "lustre_principal": given["lustre_principal"].upper()}  # a GUID in other letters
    place = location(cloud, given)
    plan = cloud_of(cloud).plan_cluster(ClusterSpec.model_validate(spec), place, stack, recorded.get("machine"), None)

    def program() -> None:
        declare(plan)

    return program


@pytest.mark.engine
@pytest.mark.core
@pytest.mark.parametrize(
    ("cloud", "name"), [("aws", "mig-telemetry"), ("gcp", "dns-own-network"), ("azure", "linked-container")]
)
def test_a_canary_as_an_upgrade_asks_for_it_leaves_the_cluster_as_it_is(project: Any, cloud: str, name: str) -> None:
    """`gpucluster upgrade --plan`: a copy of the stack with one node, built, tested and destroyed."""
    spec = {**TRIAL, **chosen(cloud, name)["changes"]}
    spec["storage"] = {"shared": spec["storage"]["shared"]}  # what else there is is protected
    specs = {f"{cloud}-trial": spec, f"{cloud}-trial-canary": spec | {"training": {"nodes": 1, "spares": 0}}}
    settings = project.path / f"stacks/Pulumi.{cloud}-trial.yaml"
    config = {**yaml.safe_load(settings.read_text())["config"], **CONFIG.get(cloud, {})}
    for stack, it in specs.items():
        (project.path / f"stacks/specs/{stack}.yaml").write_text(yaml.safe_dump(it))
        its = {"config": {**config, "gpucluster:spec": f"specs/{stack}.yaml"}}
        (project.path / f"stacks/Pulumi.{stack}.yaml").write_text(yaml.safe_dump(its))
        up = ("pulumi", "up", "--yes", "--skip-preview", "--stack", stack)
        made = project.run("sandbox", "--scenario", str(OWN / f"{cloud}.yaml"), *up)
        assert made.code == 0, made.text
    gone = project.pulumi("destroy", "--yes", "--skip-preview", stack=f"{cloud}-trial-canary")
    assert gone.code == 0, gone.text
    after = project.pulumi("preview", "--refresh", "--json", stack=f"{cloud}-trial")
    changed = {it["urn"].rpartition("::")[2]: it["op"] for it in json.loads(after.out)["steps"] if it["op"] in OPS}
    assert changed == REFRESHED.get(cloud, {}), after.text
    before = _ids(project, f"{cloud}-trial")
    for command in ("up", "--refresh", "--yes", "--skip-preview"), ("preview", "--expect-no-changes"):
        done = project.pulumi(*command, stack=f"{cloud}-trial")
        assert done.code == 0, done.text
    assert _ids(project, f"{cloud}-trial") == before
    status = json.loads(project.run("sandbox", "status", "--format", "json").out)
    assert (status["orphans"], status["ghosts"]) == ([], [])
    left = project.run("sandbox", "leftovers", "--stack", f"{cloud}-trial-canary")
    assert left.code == 0, left.text


def _ids(project: Any, stack: str) -> dict[str, str]:
    deployment = json.loads(project.pulumi("stack", "export", stack=stack).out)["deployment"]
    return {it["urn"]: it.get("id", "") for it in deployment["resources"]}
