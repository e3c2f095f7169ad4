"""Resources that stay failed, as a preview and an update report them."""

from __future__ import annotations

from typing import Any, cast

import pulumi
import pytest
from pulumi_aws.ec2 import NatGateway
from pulumi_aws.eks import NodeGroup
from pulumi_azure_native.containerservice import AgentPool
from pulumi_gcp.container import NodePool, NodePoolBestEffortProvisioningArgs, NodePoolNodeConfigArgs

from gpucluster.components.resources import failures
from gpucluster.components.resources.failures import Failures
from gpucluster.core.catalog.resource_types import failed_states

GROUPS = ["https://www.googleapis.com/compute/v1/projects/p/zones/z/instanceGroups/g"]
SIZE = {"desired_size": 4, "min_size": 4, "max_size": 4}
EKS = {"cluster_name": "c", "node_role_arn": "r", "subnet_ids": ["s"], "scaling_config": SIZE}
AKS = {"resource_group_name": "g", "resource_name_": "c"}
GKE = {"cluster": "c", "node_count": 4, "node_config": NodePoolNodeConfigArgs(machine_type="a3-megagpu-8g")}
SPOT = {**GKE, "node_config": NodePoolNodeConfigArgs(spot=True)}
BEST = {**GKE, "best_effort_provisioning": NodePoolBestEffortProvisioningArgs(enabled=True, min_provision_nodes=3)}
SPOT_IN_A_DICT = {**GKE, "node_config": {"spot": True}}
LEAST_IN_A_DICT = {**GKE, "best_effort_provisioning": {"enabled": True, "min_provision_nodes": 3}}
FIRST, TWO = {"managedInstanceGroupUrls": GROUPS}, {"managedInstanceGroupUrls": GROUPS * 2}


@pytest.mark.parametrize("preview", [True, False])
@pytest.mark.parametrize(
    ("kind", "given", "outputs", "told"),
    [
        (NodeGroup, EKS, {"status": "ACTIVE"}, ""),
        (NodeGroup, EKS, {"status": "DEGRADED"}, ""),
        (NodeGroup, EKS, {"status": "CREATE_FAILED"}, "pool is CREATE_FAILED: EKS neither repairs nor updates it, and"),
        (NodeGroup, EKS, {}, ""),
        (AgentPool, AKS, {"provisioningState": "Succeeded"}, ""),
        (AgentPool, AKS, {"provisioningState": "Failed"}, "pool is Failed: its last request failed; nodes that run"),
        (NatGateway, {"subnet_id": "s"}, {"found": {"state": "available"}}, ""),
        (NatGateway, {"subnet_id": "s"}, {"found": {"state": "failed"}}, "pool is failed: AWS does not repair it, and"),
        (NatGateway, {"subnet_id": "s"}, {"found": {}}, ""),
        (NatGateway, {"subnet_id": "s"}, {}, "pool: its state is unknown: "),
        (NodePool, GKE, {**FIRST, "size": 4}, ""),
        (NodePool, GKE, {**FIRST, "size": 0}, "pool has 0 of 4 machines: GKE keeps looking"),
        (NodePool, GKE, {**TWO, "size": 3}, "pool has 6 of 8 machines: GKE keeps looking"),
        (NodePool, BEST, {**FIRST, "size": 3}, ""),
        (NodePool, GKE, FIRST, "pool: the number of its machines is unknown: "),
        (NodePool, {**GKE, "node_count": None}, {**FIRST, "size": 0}, ""),
        (NodePool, SPOT, {**FIRST, "size": 0}, ""),
        (NodePool, SPOT_IN_A_DICT, {**FIRST, "size": 0}, ""),
        (NodePool, LEAST_IN_A_DICT, {**FIRST, "size": 3}, ""),
    ],
)
def test_a_preview_warns_of_what_stays_failed_and_an_update_ends_with_it(
    kind: Any, given: Any, outputs: dict[str, Any], told: str, preview: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Cloud(pulumi.runtime.Mocks):
        def new_resource(self, args: pulumi.runtime.MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
            return "id", {**args.inputs, **outputs}

        def call(self, args: pulumi.runtime.MockCallArgs) -> Any:
            if args.token == "aws:ec2/getNatGateway:getNatGateway":
                assert args.args == {"id": "id"}
                return (outputs["found"], []) if "found" in outputs else ({}, [("id", "not found")])
            assert args.args == {"project": "p", "zone": "z", "name": "g"}
            found = {"size": outputs.get("size"), "targetSize": 4}
            return (found, []) if "size" in outputs else ({}, [("name", "not found")])

    warned: list[str] = []
    monkeypatch.setattr(pulumi.log, "warn", warned.append)
    pulumi.runtime.set_mocks(Cloud(), preview=preview)
    program: Any = pulumi.runtime.test(lambda: kind("pool", **given, opts=Failures().of(None)) and None)
    try:
        program()
    except pulumi.RunError as error:
        assert (preview, warned) == (False, [])
        warned.append(str(error))
    else:
        assert preview or not told or "unknown" in told
    assert [text[: len(told)] for text in warned] == ([told] if told else [])


@pytest.mark.parametrize("preview", [True, False])
@pytest.mark.parametrize(
    ("kind", "outputs", "told"),
    [
        (
            "aws:eks/addon:Addon",
            {"addonName": "a"},
            "made: its creation did not succeed, and no output shows its state",
        ),
        ("aws:eks/addon:Addon", {"arn": "a"}, ""),
        ("gcp:container/cluster:Cluster", {"selfLink": None}, "made: its creation did not succeed, and no output"),
        ("gcp:container/cluster:Cluster", {"selfLink": "https://c"}, ""),
    ],
)
def test_an_update_is_refused_where_it_would_hide_that_the_creation_failed(
    kind: str, outputs: dict[str, Any], told: str, preview: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    warned: list[str] = []
    monkeypatch.setattr(pulumi.log, "warn", warned.append)
    monkeypatch.setattr(pulumi.runtime, "is_dry_run", lambda: preview)
    monkeypatch.setattr(pulumi, "ResourceHook", lambda _name, refuse, _opts: refuse)
    resource: Any = None
    made = pulumi.ResourceTransformationArgs(resource, kind, "made", {}, pulumi.ResourceOptions())
    (hook,) = cast(Any, failures)._refusal(made, failed_states()[kind]).before_update
    args = pulumi.ResourceHookArgs("urn", "id", "made", kind, old_outputs=outputs)
    try:
        hook(args)
    except RuntimeError as error:
        assert not preview
        warned.append(str(error))
    assert [text[: len(told)] for text in warned] == ([told] if told else [])
