"""One minor version up on the real engine, by the steps and commands that `gpucluster upgrade --plan` prints, with its
canary beside the cluster.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from click.testing import CliRunner

from gpucluster.operate.versions.upgrade import upgrade

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.timeout(1200)]

CLUSTER: Final = "trial-control-plane-cluster"
NODES: Final = "trial-training-nodes"
REFUSALS: Final = {
    "aws": "Unsupported Kubernetes minor version update from 1.34 to 1.36",
    "gcp": "cannot upgrade the master more than a minor version at a time.",
    "azure": "Upgrading Kubernetes version 1.34.0 to 1.36 is not allowed. Available upgrades: [1.35].",
}
NODES_OF: Final = {
    "1.34": {"aws": "1.34", "gcp": "1.34.1-gke.1829001", "azure": "1.34"},
    "1.35": {"aws": "1.35", "gcp": "1.35.2-gke.1842000", "azure": "1.35"},
    "1.36": {"aws": "1.36", "gcp": "1.36.2-gke.1498000", "azure": "1.36"},
}
SNAPSHOT: Final = "azure-native:containerservice:Snapshot"
UPGRADED_BY_AZ: Final = {
    "type": "azure-native:containerservice:ManagedCluster",
    "name": "trial-azure-trial",
    "set": {"agentPoolProfiles[0].currentOrchestratorVersion": "1.36.0"},
}
"""What `az aks nodepool upgrade` changes."""


@pytest.mark.parametrize("cloud", REFUSALS)
def test_a_skipped_version_is_refused_and_the_next_goes_plane_first_then_system_then_gpu_nodes(
    cloud: str, tmp_path: Path, copy: Callable[[Path], Any]
) -> None:
    stack, project, image = f"{cloud}-trial", copy(tmp_path), dict[str, str]()
    spec = project.path / "stacks/specs/trial.yaml"
    trial = yaml.safe_load(spec.read_text())

    def write(kubernetes: str, version: str, *, system: str = "", file: Path = spec, **training: Any) -> None:
        versions = {
            "kubernetes": kubernetes,
            "nodes": version,
            **({} if cloud == "azure" else {"system": system or version}),
            **image,
        }
        changed = {**trial, "training": {**trial["training"], **training}, "versions": versions}
        file.write_text(yaml.safe_dump(changed))

    def up() -> None:
        done = project.pulumi("up", "--yes", "--skip-preview", stack=stack)
        assert done.code == 0, done.text

    def changed() -> dict[str, str]:
        done = project.pulumi("preview", "--json", "--show-sames", stack=stack)
        assert done.code == 0, done.text
        return {
            step["urn"].split("::")[-1]: step["op"] for step in json.loads(done.out)["steps"] if step["op"] != "same"
        }

    def state() -> dict[str, Any]:
        return json.loads(project.pulumi("stack", "export", stack=stack).out)

    def told() -> str:
        arguments = ["--plan", "--stack", stack, "--state", "-"]
        return CliRunner().invoke(upgrade, arguments, input=json.dumps(state())).output

    def run(step: int) -> None:
        """The commands of a step that concern the cloud."""
        [part] = re.findall(rf"(?ms)^{step}\. .*?(?=^\d\. |\Z)", plan)
        for command in re.findall(r"(?m)^   \$ (pulumi .*|az aks nodepool .*)$", part):
            if command.startswith("az"):
                az(command)
            elif (words := shlex.split(command, comments=True)[1:])[:2] == ["config", "set"]:
                config = yaml.safe_load((project.path / f"stacks/Pulumi.{stack}.yaml").read_text())
                config["config"][words[2]] = words[3]  # the sandbox writes no file of a stack
                (project.path / f"stacks/Pulumi.{words[5]}.yaml").write_text(yaml.safe_dump(config))
            else:
                agreed = ["--yes", "--skip-preview"] if words[0] in ("up", "destroy") else []
                done = project.run("sandbox", "pulumi", *words, *agreed)
                assert done.code == 0, done.text

    def az(command: str) -> None:
        """What it does in the simulated cloud."""
        output = r"\$\(pulumi stack output (\w+) --stack ([\w-]+)\)"
        command = re.sub(output, lambda found: project.outputs(found[2])[found[1]], command)
        given = dict(re.findall(r"--([\w-]+) (\S+)", command))
        group, name = given["resource-group"], given["name"]
        if "snapshot create" in command:
            pool = given["nodepool-id"]
            inputs = {"resourceGroupName": group, "resourceName": name, "creationData": {"sourceResourceId": pool}}
            there = [{"type": SNAPSHOT, "inputs": inputs}]
            scenario = {"exists": [{"provider": {"subscriptionId": pool.split("/")[2]}, "resources": there}]}
            of_group = pool.split("/resourceGroups/")[0] + f"/resourceGroups/{group}"
            image["image"] = f"{of_group}/providers/Microsoft.ContainerService/snapshots/{name}"
        else:
            assert (name, given["cluster-name"], given["kubernetes-version"]) == ("system", "trial-azure-trial", "1.36")
            scenario = {"drift": [UPGRADED_BY_AZ]}
        (project.path / "az.yaml").write_text(yaml.safe_dump(scenario))
        done = project.run("sandbox", "--scenario", "az.yaml", "pulumi", "stack", "ls")
        assert done.code == 0, done.text

    if cloud == "azure":  # 24.04 starts with 1.35
        project.change("stacks/Pulumi.azure-trial.yaml", '  gpucluster:ubuntu: "24.04"\n', "")
    older, old, new = (NODES_OF[minor][cloud] for minor in NODES_OF)
    write("1.34", older)
    up()
    if cloud == "azure":  # as earlier releases created it
        standing = state()
        [cluster] = [it for it in standing["deployment"]["resources"] if it["urn"].endswith(f"::{CLUSTER}")]
        cluster["inputs"]["agentPoolProfiles"][0]["orchestratorVersion"] = "1.34"
        (project.path / "state.json").write_text(json.dumps(standing))
        assert project.pulumi("stack", "import", "--file", "state.json", stack=stack).code == 0

    write("1.36", older)
    skipped = project.pulumi("up", "--yes", "--skip-preview", stack=stack)
    assert skipped.code != 0
    assert REFUSALS[cloud] in skipped.text, skipped.text

    write("1.35", old, roll=True)
    up()
    plan = told()
    assert "Upgrade to 1.36 in this order" in plan

    write("1.36", old)
    assert changed()[CLUSTER] == "update"
    assert NODES not in changed()
    run(1)
    assert f"{NODES}: GPU nodes, 1.35" in told()
    assert ", 1 minor version behind" in told()

    write("1.36", old, system=new)
    if cloud != "azure":
        assert changed().get("trial-system-nodes") == "update"
        assert NODES not in changed()
    run(2)

    write("1.36", new, file=spec.with_name("canary.yaml"), nodes=1, spares=0)
    run(3)
    assert changed() == {}

    write("1.36", new)  # GPU nodes: not without a word
    refused = project.pulumi("preview", stack=stack)
    assert refused.code != 0
    assert "trial-training: replaces 5 x " in refused.text
    assert "at stake are 40 GPU-hours ($" in refused.text
    write("1.36", new, roll=True)
    up()
    [nodes] = [it["outputs"] for it in state()["deployment"]["resources"] if it["urn"].endswith(f"::{NODES}")]
    assert str(nodes.get("version") or nodes.get("currentOrchestratorVersion")).startswith("1.36")
    assert cloud != "azure" or nodes["creationData"] == {"sourceResourceId": image["image"]}
