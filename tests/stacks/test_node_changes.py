"""What an edit of a stack that stands does to its training nodes, edit by edit, as the clouds' documents say.

The stacks are those of `standing/`; `node_changes/` has the edits with what is typed from the documents. Each goes the
ways that a user's does: as a plan file through what `guardrails check` and the check of a pull request read, and
through the hook that the engine calls, which `test_rolls.py` shows on the engine for a few.
"""

from __future__ import annotations

import copy
import gzip
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pulumi
import pytest
import yaml

from gpucluster.components.resources.node_replacement import RollGuard
from gpucluster.components.shared.training import TrainingNodes
from gpucluster.core.catalog.machines import machines
from gpucluster.core.program.readers.files import read_file
from gpucluster.policies.clouds.node_impacts import NodeImpact, node_impacts
from gpucluster.policies.engine.rule import Accepted, Changes, Violation
from gpucluster.policies.rules.no_loss_of_training_pool import check

HERE: Final = Path(__file__).parent
CLOUDS: Final = ("aws", "gcp", "azure")
NODES: Final = "trial-training-nodes"
EDITS: Final = {
    f"{cloud}: {edit['says']}": (cloud, edit)
    for cloud in CLOUDS
    for edit in yaml.load((HERE / f"node_changes/{cloud}.yaml").read_text(), yaml.CSafeLoader)
}
STANDING: Final = {
    cloud: json.loads(gzip.decompress((HERE / f"standing/{cloud}-trial.json.gz").read_bytes())) for cloud in CLOUDS
}
HARMLESS: Final = ("nothing", "fewer")
TOLD: Final = {
    "drain": "drains 5 x ",
    "reboot": "reboots 5 x ",
    "rolling": ", one at a time; jobs on them end",
    "refused": "needs a new pool for 5 x ",
    "loss": ", all at once; jobs on them end",
}


def test_every_cloud_has_twenty_edits_and_each_names_its_document() -> None:
    assert {cloud: sum(one == cloud for one, _ in EDITS.values()) >= 20 for cloud in CLOUDS} == dict.fromkeys(
        CLOUDS, True
    )
    assert [edit for _, edit in EDITS.values() if not edit["document"]] == []


@pytest.mark.parametrize("name", EDITS)
def test_a_plan_says_what_becomes_of_the_nodes_as_the_documents_do(name: str) -> None:
    cloud, edit = EDITS[name]
    if edit["nodes"] == "nothing" and "of" in edit:
        assert _told(cloud, edit) == ()  # the pool is not touched
        return
    [found] = _told(cloud, edit)
    assert (found.impact.effect, found.impact.gone) == (edit["nodes"], edit.get("gone", found.impact.gone))
    stake = {"nothing": 0, "fewer": 8 * edit.get("gone", 0)}.get(edit["nodes"], 40)
    assert found.impact.gpus == stake
    assert (found.usd is not None) == (edit["nodes"] != "nothing")


@pytest.mark.parametrize("name", [name for name, (_, edit) in EDITS.items() if edit["nodes"] == "loss"])
def test_a_plan_that_replaces_the_pool_says_the_same(name: str) -> None:
    cloud, edit = EDITS[name]
    if "of" not in edit:
        [found] = _told(cloud, edit, replaces=True)
        assert (found.impact.effect, found.impact.because) == ("loss", (edit["at"],))


@pytest.mark.parametrize(
    ("cloud", "size", "label"),
    [
        ("aws", "scalingConfig.desiredSize", "5 nodes of p5.48xlarge"),
        ("gcp", "nodeCount", "5 nodes of a3-megagpu-8g"),
        ("azure", "count", "5 nodes of Standard_ND96isr_H100_v5"),
    ],
)
def test_nodes_that_all_go_are_a_finding_unless_the_cluster_is_paused(cloud: str, size: str, label: str) -> None:
    edit = {"at": size, "write": 0, "nodes": "nothing"}
    [found] = check(_changes(cloud, edit))
    assert isinstance(found, Violation)
    assert found.what.startswith(f"{label} are scaled to 0 by `{size}`; jobs on them end; at stake ")
    assert re.search(r": 40 GPU-hours, \$[0-9]+\.[0-9]{2}$", found.what)
    [accepted] = check(_changes(cloud, edit, paused=True))
    assert isinstance(accepted, Accepted)
    assert (accepted.what, accepted.reason) == (found.what, "`trial` is paused")


@pytest.mark.parametrize("name", EDITS)
def test_the_hook_of_the_engine_stops_what_ends_jobs_and_tells_of_the_rest(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cloud, edit = EDITS[name]
    said: list[str] = []
    for level in ("info", "warn"):
        monkeypatch.setattr(pulumi.log, level, said.append)
    stands, edited = _pair(cloud, edit)
    hook = SimpleNamespace(type=stands["type"], name=_name(stands), old_inputs=stands["inputs"], new_inputs=edited)
    machine = "p5.48xlarge" if cloud == "aws" else "a3-megagpu-8g" if cloud == "gcp" else "Standard_ND96isr_H100_v5"
    plan = TrainingNodes(shape=machines()[machine], nodes=4, spares=1)
    guard = RollGuard("a:b:C", "trial-training", (), plan, field="training.roll")
    if edit["nodes"] in HARMLESS:
        guard._check(hook)  # pyright: ignore[reportArgumentType, reportPrivateUsage]
        stays = (
            f"nodes removed: {edit['gone']}; jobs on them end" if edit["nodes"] == "fewer" else "nodes and jobs stay"
        )
        assert stays in said[0]
        return
    with pytest.raises(RuntimeError) as refused:
        guard._check(hook)  # pyright: ignore[reportArgumentType, reportPrivateUsage]
    assert TOLD[edit["nodes"]] in str(refused.value)
    assert "at stake are 40 GPU-hours for each hour since the last checkpoint" in str(refused.value)


def _pair(cloud: str, edit: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """A resource as it stands, and its inputs after the edit."""
    stands = next(it for it in STANDING[cloud] if _name(it) == edit.get("of", NODES))
    inputs = copy.deepcopy(stands["inputs"])
    at, path = inputs, edit["at"].split(".")
    while len(path) > 1:
        # Keys of labels and settings of the kernel have dots.
        if path[0] in ("nodeLabels", "sysctls"):
            path = [path[0], ".".join(path[1:])]
        at, path = at.setdefault(path[0], {}), path[1:]
    at[path[0]] = edit["write"]
    return stands, inputs


def _told(cloud: str, edit: dict[str, Any], *, replaces: bool = False) -> tuple[NodeImpact, ...]:
    return node_impacts(_changes(cloud, edit, replaces=replaces))


def _changes(cloud: str, edit: dict[str, Any], *, replaces: bool = False, paused: bool = False) -> Changes:
    """A plan of the edit, in the engine's form. paused: whether the cluster's component registers that."""
    stands, inputs = _pair(cloud, edit)
    steps: list[dict[str, Any]] = []
    for it in STANDING[cloud]:
        op, new = "same", it
        if it is stands:
            op, new = "replace" if replaces else "update", {**it, "inputs": inputs}
        elif _name(it) == NODES and cloud == "aws" and edit["nodes"] != "nothing":
            # As the engine does: another template has a version that is not known before it is made.
            launch = {**it["inputs"]["launchTemplate"], "version": "04da6b54-80e4-46f7-96ec-b56ff0331ba9"}
            op, new = "update", {**it, "inputs": {**it["inputs"], "launchTemplate": launch}}
        if paused and "requiredLabels" in it.get("outputs", {}):
            new = {**it, "outputs": {**it["outputs"], "paused": True}}
        step = {"op": op, "urn": it["urn"], "oldState": it, "newState": new}
        steps.append({**step, "replaceReasons": [edit["at"]]} if op == "replace" else step)
    read = read_file(json.dumps({"steps": steps}), cloud)
    return Changes(ended=read.ended, before=read.existing(), after=read.resources)


def _name(resource: dict[str, Any]) -> str:
    return resource["urn"].rpartition("::")[2]
