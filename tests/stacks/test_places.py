"""The trial by the id of a zone, in a Local Zone, in GovCloud and without a zone, on the real engine."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest

from tests.stacks.conftest import Project

pytestmark = [pytest.mark.engine, pytest.mark.slow]

# The longest name that a spec takes, whose event targets would have ids that EventBridge refuses.
NAME = "a-name-of-20-letters"


def stand(project: Project, region: str, zone: str) -> Mapping[str, Mapping[str, Any]]:
    """Inputs by name of the trial built there, after a preview that finds nothing to change."""
    project.change("stacks/Pulumi.aws-trial.yaml", "region: us-east-1", f"region: {region}")
    project.change("stacks/Pulumi.aws-trial.yaml", "zone: us-east-1a", f"zone: {zone}")
    project.change("stacks/specs/trial.yaml", "name: trial", f"name: {NAME}")
    made = project.pulumi("up", "--yes", "--skip-preview", "--policy-pack", "policies")
    assert made.code == 0, made.text
    assert "[mandatory]" not in made.text
    again = project.pulumi("preview", "--expect-no-changes")
    assert again.code == 0, again.text
    state = json.loads(project.pulumi("stack", "export").out)
    inputs = {item["urn"].split("::")[-1]: item.get("inputs", {}) for item in state["deployment"]["resources"]}
    return {name.removeprefix(f"{NAME}-"): found for name, found in inputs.items()}


def zones(inputs: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    found = {name: inputs[f"network-{name}"] for name in ("gpu", "cluster-a", "cluster-b", "public")}
    return {name: one.get("availabilityZoneId") or one["availabilityZone"] for name, one in found.items()}


def test_a_zone_by_id_and_the_longest_name(project: Project) -> None:
    made = stand(project, "us-east-1", "use1-az6")
    assert zones(made) == {"gpu": "use1-az6", "cluster-a": "use1-az6", "cluster-b": "use1-az1", "public": "use1-az6"}
    assert made["elastic-interruption-health-target"]["targetId"] == "karpenter"
    requirements = made["elastic-dev-pool"]["spec"]["template"]["spec"]["requirements"]
    assert {"key": "topology.k8s.aws/zone-id", "operator": "In", "values": ["use1-az6"]} in requirements


@pytest.mark.parametrize("zone", ["us-east-1-atl-2a", "use1-az3"])
def test_nodes_alone_stand_where_eks_puts_no_control_plane(project: Project, zone: str) -> None:
    made = stand(project, "us-east-1", zone)
    assert zones(made) == {"gpu": zone, "cluster-a": "use1-az1", "cluster-b": "use1-az2", "public": "use1-az1"}
    gone = project.pulumi("destroy", "--yes", "--skip-preview")
    assert (gone.code, project.ledger()) == (0, []), gone.text


def test_govcloud_has_its_partition_its_registry_and_a_lustre_that_is_sold_there(project: Project) -> None:
    made = stand(project, "us-gov-west-1", "us-gov-west-1a")
    policies = {one["policyArn"].split(":")[1] for one in made.values() if ":aws:policy/" in one.get("policyArn", "")}
    assert policies == {"aws-us-gov"}
    assert made["devices-efa"]["values"]["image"] == {
        "repository": "013241004608.dkr.ecr.us-gov-west-1.amazonaws.com/eks/aws-efa-k8s-device-plugin"
    }
    shared = made["storage-shared"]
    assert (shared["deploymentType"], shared["perUnitStorageThroughput"]) in {
        ("PERSISTENT_1", 50),
        ("PERSISTENT_1", 200),
    }
    assert "monitoring-scraper" not in made
    # No source tells which versions are there.
    assert {one.get("addonVersion") for one in made.values() if "addonName" in one} == {None}


def test_a_region_without_zones_has_a_cluster_without_any(project: Project) -> None:
    project.change(
        "stacks/Pulumi.azure-trial.yaml",
        'region: eastus\n  gpucluster:zone: "1"',
        "region: westus\n  gpucluster:zone: none",
    )
    project.change("stacks/specs/trial.yaml", "shared:", "shared:\n    kind: bucket")
    project.change("stacks/specs/trial.yaml", "    gb_per_s: 3\n", "")
    project.change("stacks/specs/trial.yaml", "monthly_usd: 420000", "monthly_usd: 900000")
    made = project.pulumi("up", "--yes", "--skip-preview", "--policy-pack", "policies", stack="azure-trial")
    assert (made.code, "[mandatory]" in made.text) == (0, False), made.text
    again = project.pulumi("preview", "--expect-no-changes", stack="azure-trial")
    assert again.code == 0, again.text
    state = project.pulumi("stack", "export", stack="azure-trial").out
    assert "training-nodes" in state
    assert re.findall(r'ones":\s*\["\s]*\d|topology.kubernetes.io/zone', state) == []
    gone = project.pulumi("destroy", "--yes", "--skip-preview", "--exclude-protected", stack="azure-trial")
    assert gone.code == 0, gone.text
