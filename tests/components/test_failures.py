"""Resources that stay failed, as a preview and an update report them."""

from __future__ import annotations

from typing import Any

import pulumi
import pytest
from pulumi_aws.eks import NodeGroup
from pulumi_azure_native.containerservice import AgentPool
from pulumi_gcp.container import NodePool, NodePoolBestEffortProvisioningArgs, NodePoolNodeConfigArgs

from gpucluster.components.failures import Failures

GROUPS = ["https://www.googleapis.com/compute/v1/projects/p/zones/z/instanceGroups/g"]
FIXED: dict[str, Any] = {"node_count": 4, "node_config": NodePoolNodeConfigArgs(machine_type="a3-megagpu-8g")}
BEST = {"best_effort_provisioning": NodePoolBestEffortProvisioningArgs(enabled=True, min_provision_nodes=3)}


def _eks(opts: pulumi.ResourceOptions) -> None:
    NodeGroup(
        "pool",
        cluster_name="c",
        node_role_arn="r",
        subnet_ids=["s"],
        scaling_config={"desired_size": 4, "min_size": 4, "max_size": 4},
        opts=opts,
    )


def _aks(opts: pulumi.ResourceOptions) -> None:
    AgentPool("pool", resource_group_name="g", resource_name_="c", opts=opts)


def _gke(**arguments: Any) -> Any:
    return lambda opts: NodePool("pool", cluster="c", **{**FIXED, **arguments}, opts=opts)


@pytest.mark.parametrize(
    ("make", "outputs", "told"),
    [
        (_eks, {"status": "ACTIVE"}, ""),
        (_eks, {"status": "DEGRADED"}, ""),
        (_eks, {"status": "CREATE_FAILED"}, "pool is CREATE_FAILED: EKS neither repairs nor updates it, and bills"),
        (_eks, {}, ""),
        (_aks, {"provisioningState": "Succeeded"}, ""),
        (_aks, {"provisioningState": "Failed"}, "pool is Failed: its last request failed; nodes that run keep running"),
        (_gke(), {"managedInstanceGroupUrls": GROUPS, "size": 4}, ""),
        (_gke(), {"managedInstanceGroupUrls": GROUPS, "size": 0}, "pool has 0 of 4 machines: GKE keeps looking"),
        (_gke(), {"managedInstanceGroupUrls": GROUPS * 2, "size": 3}, "pool has 6 of 8 machines: GKE keeps looking"),
        (_gke(**BEST), {"managedInstanceGroupUrls": GROUPS, "size": 3}, ""),
        (_gke(), {"managedInstanceGroupUrls": GROUPS}, "pool: the number of its machines is unknown: "),
        (_gke(node_count=None), {"managedInstanceGroupUrls": GROUPS, "size": 0}, ""),
        (_gke(node_config=NodePoolNodeConfigArgs(spot=True)), {"managedInstanceGroupUrls": GROUPS, "size": 0}, ""),
    ],
)
@pytest.mark.parametrize("preview", [True, False])
def test_a_preview_warns_of_what_stays_failed_and_an_update_ends_with_it(
    make: Any, outputs: dict[str, Any], told: str, preview: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Cloud(pulumi.runtime.Mocks):
        def new_resource(self, args: pulumi.runtime.MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
            return "id", {**args.inputs, **outputs}

        def call(self, args: pulumi.runtime.MockCallArgs) -> Any:
            assert args.args == {"selfLink": GROUPS[0]}
            return ({"size": outputs["size"]}, []) if "size" in outputs else ({}, [("selfLink", "not found")])

    warned: list[str] = []
    monkeypatch.setattr(pulumi.log, "warn", warned.append)
    pulumi.runtime.set_mocks(Cloud(), preview=preview)

    @pulumi.runtime.test
    def program() -> None:
        make(Failures().of(None))

    if told and not preview and "unknown" not in told:
        with pytest.raises(pulumi.RunError) as error:
            program()
        warned.append(str(error.value))
    else:
        program()
    assert [text[: len(told)] for text in warned] == ([told] if told else [])
