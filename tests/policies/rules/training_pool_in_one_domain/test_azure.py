"""training-pool-in-one-domain on Azure: one mutation of the compliant program per case."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from gpucluster.policies.rules.training_pool_in_one_domain import RULE
from tests.says import Says

POOL = "azure-native:containerservice:AgentPool"
KARPENTER = "kubernetes:karpenter.sh/v1:NodePool"
FIVE = "5 nodes of Standard_ND96isr_H100_v5"


def _second_pool(program, name="spares", **changed):
    pool = {**copy.deepcopy(program["train"]), "agentPoolName": name, **changed}
    program.add(POOL, name, pool, **program.declared["train"].dependencies)


def test_the_fix_is_that_of_azure(nd, messages):
    nd["train"]["vmSize"] = "Standard_ND96is_H100_v5"
    [text] = messages(RULE, nd)
    assert text == Says("AgentPool", "VirtualMachineScaleSets")
    assert "placement_policy" not in text


def test_two_pools_never_share_a_fabric(nd, found):
    nd["train"]["count"] = 4.0
    _second_pool(nd, count=1.0)
    assert found(RULE, nd) == [("spares", Says(f"{FIVE}", "spares", "train", "2", "InfiniBand"))]


@pytest.mark.parametrize("label", ["gpucluster/pool", "agentpool", "kubernetes.azure.com/agentpool"])
def test_pools_that_workloads_tell_apart_are_two(nd, found, label):
    _second_pool(nd)
    if label == "gpucluster/pool":
        nd["spares"]["nodeLabels"][label] = "evaluation"
    else:
        spec = {"nodeLabels": {label: "training"}}
        nd.add("kubernetes:kueue.x-k8s.io/v1beta2:ResourceFlavor", "flavor", {"metadata": {}, "spec": spec})
    assert found(RULE, nd) == []


def test_pools_of_two_clusters_without_component_are_two(nd, found):
    nd.add("azure-native:containerservice:ManagedCluster", "other", copy.deepcopy(nd["cluster"]))
    _second_pool(nd, "elsewhere")
    nd.depends("elsewhere", "resourceName", "other")
    nd.outside = {"train", "elsewhere"}
    assert found(RULE, nd) == []
    nd.depends("elsewhere", "resourceName", "cluster")
    assert [name for name, _ in found(RULE, nd)] == ["elsewhere"]


def _karpenter(program, *requirements, labels=None, group: str = "karpenter.azure.com", **spec: Any) -> Any:
    listed = [{"key": key, "operator": operator, "values": list(values)} for key, operator, *values in requirements]
    template = {
        "metadata": {"labels": {**program.labels, **(labels or {})}},
        "spec": {"nodeClassRef": {"group": group, "kind": "AKSNodeClass", "name": "gpu"}, "requirements": listed},
    }
    properties = {"metadata": {"name": "elastic"}, "spec": {"template": template, **spec}}
    program.add(KARPENTER, "elastic", properties)
    return template


SKU = "karpenter.azure.com/sku-"
TYPE = "node.kubernetes.io/instance-type"
EVERY = "Standard_ND96isr_H100_v5, Standard_ND96isr_H200_v5, Standard_ND96amsr_A100_v4, Standard_ND96asr_v4"


@pytest.mark.parametrize(
    ("requirements", "admitted"),
    [
        ([(SKU + "name", "In", "Standard_NC40ads_H100_v5", "Standard_ND96isr_H100_v5")], "Standard_ND96isr_H100_v5"),
        ([(TYPE, "In", "standard_nd96isr_h100_v5")], "Standard_ND96isr_H100_v5"),
        ([(TYPE, "In", "Standard_ND128isr_NDR_GB200_v6")], "Standard_ND128isr_NDR_GB200_v6"),
        ([(SKU + "family", "In", "N")], EVERY),
        ([(SKU + "gpu-count", "Gt", "0")], EVERY),
        ([(SKU + "gpu-name", "In", "H100")], "Standard_ND96isr_H100_v5"),
        (
            [(SKU + "gpu-name", "In", "H100", "A100"), (SKU + "version", "NotIn", "5")],
            "Standard_ND96amsr_A100_v4, Standard_ND96asr_v4",
        ),
        ([(SKU + "gpu-manufacturer", "Exists"), (SKU + "name", "NotIn", *EVERY.split(", ")[1:])], EVERY.split(",")[0]),
        ([(SKU + "family", "In", "N"), ("karpenter.sh/capacity-type", "In", "spot")], EVERY),
    ],
)
def test_karpenter_starts_machines_outside_of_any_scale_set(nd, found, requirements, admitted):
    _karpenter(nd, *requirements)
    assert found(RULE, nd) == [("elastic", Says(admitted, "no", "InfiniBand"))]


def test_karpenter_knows_no_infiniband_devices(nd, found):
    _karpenter(nd, (SKU + "gpu-name", "In", "T4"), limits={"rdma/ib": "8", "nvidia.com/gpu": "8"})
    assert found(RULE, nd) == [("elastic", Says("rdma/ib", "no", "Karpenter", "Azure"))]
