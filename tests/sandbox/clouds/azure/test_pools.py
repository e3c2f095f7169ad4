"""Rules of node pools, and what they answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gpucluster.sandbox.clouds.azure.cloud import AzureAccount
from gpucluster.sandbox.clouds.azure.sizes import has_mig, is_rdma
from gpucluster.sandbox.clouds.cloud import CloudError, Resource
from gpucluster.sandbox.clouds.validate import Failure

Stage = Any

ELSEWHERE = "/subscriptions/another/resourceGroups/g/providers/Microsoft.Compute"
PLACED = {"proximityPlacementGroupID": f"{ELSEWHERE}/proximityPlacementGroups/p"}
RESERVED = {"capacityReservationGroupID": f"{ELSEWHERE}/capacityReservationGroups/r"}
SPOT = {"scaleSetPriority": "Spot"}
SCALES = {"enableAutoScaling": True, "minCount": 1, "maxCount": 4}


def test_a_pool_says_what_it_is(stage: Stage) -> None:
    outputs = stage.pool(type="VirtualMachineScaleSets").outputs
    names = ("type", "count", "maxPods", "osDiskSizeGB", "osSKU", "currentOrchestratorVersion", "nodeImageVersion")
    assert {name: outputs[name] for name in names} == {
        "type": "Microsoft.ContainerService/managedClusters/agentPools",
        "count": 2,
        "maxPods": 250,
        "osDiskSizeGB": 128,
        "osSKU": "Ubuntu",
        "currentOrchestratorVersion": "1.32.9",
        "nodeImageVersion": "AKSUbuntu-2204gen2containerd-202511.07.0",
    }


@pytest.mark.parametrize(
    "size",
    [
        *("standard_nd96isr_h100_v5", "Standard_NC24ads_A100_v4", "Standard_ND128isr_GB300_v6", "Standard_NV6"),
        *("Standard_D4s_v5", "Standard_E4-2ads_v6", "Standard_M416s_8_v2", "Standard_D8s_v9"),
    ],
)
def test_a_size_that_is_listed_or_of_no_accelerator_is_taken(stage: Stage, size: str) -> None:
    assert stage.pool(vmSize=size, orchestratorVersion="1.32").outputs["vmSize"] == size


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        *(
            ({"vmSize": size}, r'Code="BadRequest" Message="The VM size of AgentPoolProfile:\w+ is not allowed in your')
            for size in ("Standard_ND96isr_H100_v55", "Standard_D4s_v55")
        ),
        ({"orchestratorVersion": "9.99"}, 'Code="AgentPoolK8sVersionNotSupported" Message="Version 9.99 is not supp'),
        ({"count": None}, r"Required parameter properties.count is missing \(null\)"),
        ({"count": 0, "mode": "System"}, "agentPoolProfile.count was 0"),
        ({"minCount": 1}, "minCount and maxCount need enableAutoScaling"),
        ({"enableAutoScaling": True}, "enableAutoScaling needs minCount and maxCount"),
        ({**SCALES, "count": 5}, "count was 5. It must be greater or equal to minCount:1 and less than or equal to"),
        ({"count": 301}, "301 x Standard_ND96isr_H100_v5; a scale set with InfiniBand"),
        ({"upgradeSettings": {"maxSurge": "0"}}, "maxSurge and maxUnavailable cannot both be 0"),
        ({"upgradeSettings": {"maxSurge": "0%", "maxUnavailable": "0"}}, "cannot both be 0"),
        ({"upgradeSettings": {"maxUnavailable": "1"}}, "maxUnavailable 1 needs maxSurge 0"),
        (
            {"mode": "System", "upgradeSettings": {"maxSurge": "0", "maxUnavailable": "1"}},
            "a system pool takes no maxUnavailable",
        ),
        (
            {"osDiskType": "Ephemeral", "osDiskSizeGB": 2048},
            'Code="VMCacheSizeTooSmall" .*has a cache size of 1099511627776 bytes, but the OS disk requires 2199023',
        ),
        ({"gpuInstanceProfile": "MIG1g", "vmSize": "Standard_NC4as_T4_v3"}, "MIG1g is not supported by VM size"),
        (
            {"gpuInstanceProfile": "MIG1g", "gpuProfile": {"driver": "None"}},
            "the sandbox does not make AgentPool .* without AKS's driver nothing puts MIG1g on the GPUs of training",
        ),
        ({"availabilityZones": ["4"]}, "availability zone 4 does not exist"),
        ({"nodeLabels": {"kubernetes.azure.com/x": "y"}}, "has the reserved prefix kubernetes.azure.com"),
        ({"vnetSubnetID": "/no/subnet"}, "the subnet '/no/subnet' was not found"),
        ({**PLACED, "availabilityZones": ["1", "2"]}, "takes one availability zone"),
        ({**PLACED, **RESERVED}, "capacity reservations cannot be used together with a proximity placement group"),
        ({**RESERVED, **SPOT}, "capacity reservations cannot be used with Spot"),
        ({**SPOT, "mode": "System"}, "a system pool cannot be Spot"),
        ({**SPOT, "upgradeSettings": {"maxSurge": "1"}}, "Spot pools can't set max surge"),
    ],
)
def test_a_node_pool_that_aks_does_not_allow_is_refused(stage: Stage, inputs: dict[str, Any], message: str) -> None:
    with pytest.raises(CloudError, match=message):
        stage.pool(**inputs)


@pytest.mark.parametrize(
    "inputs",
    [
        {"count": 300},
        {"count": 500, "vmSize": "Standard_D4s_v5"},
        {"count": 0},
        {**SCALES, "count": 1},
        {"upgradeSettings": {"maxSurge": "0", "maxUnavailable": "1"}},
        {"osDiskType": "Ephemeral", "osDiskSizeGB": 1024},
        {"gpuInstanceProfile": "MIG1g", "vmSize": "Standard_NC40ads_H100_v5"},
        PLACED,
        RESERVED,
        SPOT,
    ],
)
def test_node_pools_within_the_limits_of_aks_are_made(stage: Stage, inputs: dict[str, Any]) -> None:
    assert stage.pool(**inputs).name == "training"


def test_reserved_machines_need_a_user_assigned_identity(make_stage: Callable[..., Stage]) -> None:
    stage = make_stage(identity={"type": "SystemAssigned"})
    with pytest.raises(CloudError, match="needs a cluster with a user-assigned identity"):
        stage.pool(**RESERVED)


def test_beside_node_auto_provisioning_no_pool_scales(make_stage: Callable[..., Stage]) -> None:
    stage = make_stage(nodeProvisioningProfile={"mode": "Auto"})
    assert stage.pool().name == "training"
    with pytest.raises(CloudError, match=r"cannot be true while nodeProvisioningProfile.mode is Auto"):
        stage.pool("other", **SCALES, count=1)


@pytest.mark.parametrize("name", ["Training", "training-nodes", "1st", "thirteenchars"])
def test_the_name_of_a_pool_is_short_and_plain(
    account: AzureAccount, azure: Callable[..., Resource], name: str
) -> None:
    asked = azure("containerservice:AgentPool", resourceGroupName="g", resourceName="c", agentPoolName=name)
    reason = "'agentPoolName' does not match expression '^[a-z][a-z0-9]{0,11}$'"
    assert account.failures(asked) == [Failure("agentPoolName", reason)]


def test_a_logical_name_that_cannot_be_a_pools_name_is_refused(
    account: AzureAccount, azure: Callable[..., Resource]
) -> None:
    asked = azure("containerservice:AgentPool", "trial-training-nodes", resourceGroupName="g", resourceName="c")
    assert [it.path for it in account.failures(asked)] == ["agentPoolName"]


@pytest.mark.parametrize(
    ("before", "change", "refused"),
    [
        ({"osDiskSizeGB": 128}, {"osDiskSizeGB": 512}, "osDiskSizeGB"),
        ({}, {"availabilityZones": ["2"]}, "availabilityZones"),
        ({}, {"gpuProfile": {"driver": "None"}}, "gpuProfile"),
        ({}, {"scaleSetPriority": "Spot"}, "scaleSetPriority"),
        ({}, {"osDiskSizeGB": 128}, ""),
        ({"type": "VirtualMachineScaleSets"}, {"count": 4}, ""),
        ({}, {"nodeLabels": {"a": "b"}, "tags": {"a": "b"}}, ""),
    ],
)
def test_what_is_fixed_is_refused_and_not_replaced(
    account: AzureAccount,
    azure: Callable[..., Resource],
    stage: Stage,
    before: dict[str, Any],
    change: dict[str, Any],
    refused: str,
) -> None:
    there = stage.pool(**before)
    asked = azure("containerservice:AgentPool", "training", **{**there.inputs, **change})
    update = replace(asked, old_inputs=there.inputs, outputs=there.outputs, id=there.id)
    if not refused:
        assert account.update(update).id == there.id
        return
    with pytest.raises(CloudError, match=f"Changing property 'properties.{refused}' is not allowed."):
        account.update(update)


@pytest.mark.parametrize(
    ("size", "rdma", "mig"),
    [
        ("Standard_ND96isr_H100_v5", True, True),
        ("standard_nd96isr_h200_v5", True, True),
        ("Standard_ND96is_H100_v5", False, True),
        ("Standard_ND96asr_v4", True, True),
        ("Standard_NC80adis_H100_v5", False, True),
        ("Standard_NC4as_T4_v3", False, False),
        ("Standard_D4s_v5", False, False),
    ],
)
def test_the_name_of_a_size_says_what_it_has(size: str, rdma: bool, mig: bool) -> None:
    assert (is_rdma(size), has_mig(size)) == (rdma, mig)
