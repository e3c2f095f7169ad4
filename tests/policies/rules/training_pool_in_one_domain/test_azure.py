"""training-pool-in-one-domain on Azure: one mutation of the compliant program per case."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from gpucluster.policies.rules.training_pool_in_one_domain import RULE

POOL = "azure-native:containerservice:AgentPool"
KARPENTER = "kubernetes:karpenter.sh/v1:NodePool"
FIVE = "5 nodes of Standard_ND96isr_H100_v5"


def _second_pool(program, name="spares", **changed):
    pool = {**copy.deepcopy(program["train"]), "agentPoolName": name, **changed}
    program.add(POOL, name, pool, **program.declared["train"].dependencies)


def test_a_proximity_placement_group_is_no_domain_and_needs_none(nd, found, unknown):
    nd["train"]["proximityPlacementGroupID"] = nd.unknown
    assert (found(RULE, nd), unknown(RULE, nd)) == ([], [])
    nd["train"]["vmSize"] = "Standard_ND96is_H100_v5"
    assert [name for name, _ in found(RULE, nd)] == ["train"]


@pytest.mark.parametrize(
    "machine", ["Standard_NC40ads_H100_v5", "Standard_NC80adis_H100_v5", "Standard_ND96is_H100_v5"]
)
def test_sizes_without_infiniband_do_not_train_together(nd, found, machine):
    nd["train"]["vmSize"] = machine
    assert found(RULE, nd) == [("train", f"5 nodes of {machine}, which has no InfiniBand (no r in its name)")]


@pytest.mark.parametrize(
    "machine",
    ["Standard_ND96isr_H100_v5", "standard_nd96isr_h100_v5", "Standard_ND96isr_H200_v5", "Standard_ND96asr_v4"],
)
def test_sizes_with_infiniband_do(nd, found, unknown, machine):
    nd["train"]["vmSize"] = machine
    assert (found(RULE, nd), unknown(RULE, nd)) == ([], [])


def test_the_fix_is_that_of_azure(nd, messages):
    nd["train"]["vmSize"] = "Standard_ND96is_H100_v5"
    [text] = messages(RULE, nd)
    assert "fix: Use one AgentPool of type VirtualMachineScaleSets" in text
    assert "placement_policy" not in text


@pytest.mark.parametrize("label", [{"gpucluster/pool": "elastic"}, {}])
def test_pcie_nodes_that_do_not_say_they_train_together_need_no_infiniband(nd, found, label):
    nd["train"].update(vmSize="Standard_NC40ads_H100_v5", nodeLabels={**nd.labels, **label})
    assert found(RULE, nd) == []


def test_nodes_for_single_node_jobs_need_no_infiniband(nd, found):
    nd["train"]["vmSize"] = "Standard_ND96is_H100_v5"
    nd["train"]["nodeLabels"]["gpucluster/single-node"] = "true"
    assert found(RULE, nd) == []
    nd["train"]["nodeLabels"]["gpucluster/single-node"] = "false"
    assert [name for name, _ in found(RULE, nd)] == ["train"]


def test_one_node_without_infiniband_trains_alone(nd, found):
    nd["train"].update(vmSize="Standard_NC40ads_H100_v5", count=1.0)
    assert found(RULE, nd) == []


@pytest.mark.parametrize("count", [1.0, 5.0])
def test_single_machines_have_no_scale_set(nd, found, count):
    del nd["train"]["vmSize"], nd["train"]["count"]
    manual = [{"size": "Standard_D4s_v5", "count": 1.0}, {"size": "Standard_ND96isr_H100_v5", "count": count}]
    nd["train"].update(type="VirtualMachines", virtualMachinesProfile={"scale": {"manual": manual}})
    of = f"{count:.0f} node{'s' if count > 1 else ''} of Standard_ND96isr_H100_v5"
    assert found(RULE, nd) == [
        ("train", f"{of} of type VirtualMachines, which is not a scale set and has no InfiniBand domain")
    ]


def test_single_machines_without_infiniband_are_free(nd, found):
    manual = [{"size": "Standard_NC40ads_H100_v5", "count": 4.0}]
    nd["train"].update(type="VirtualMachines", virtualMachinesProfile={"scale": {"manual": manual}})
    nd["train"]["nodeLabels"]["gpucluster/pool"] = "elastic"
    assert found(RULE, nd) == []


@pytest.mark.parametrize(("given", "said"), [(None, "is not given"), ("later", "is not known yet")])
def test_a_type_that_nothing_says_is_said(nd, found, unknown, given, said):
    nd["train"]["type"] = nd.unknown if given else None
    assert found(RULE, nd) == []
    assert unknown(RULE, nd) == [("train", f"{FIVE}: the type of the node pool {said}")]


def test_two_pools_never_share_a_fabric(nd, found):
    nd["train"]["count"] = 4.0
    _second_pool(nd, count=1.0)
    assert found(RULE, nd) == [
        ("spares", f"{FIVE} (`spares`, `train`) in 2 node pools: each is a scale set with its own InfiniBand domain")
    ]


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


def test_one_scale_set_holds_100(nd, found):
    nd["train"]["count"] = 100.0
    assert found(RULE, nd) == []
    nd["train"]["count"] = 101.0
    assert found(RULE, nd) == [
        (
            "train",
            "101 nodes of Standard_ND96isr_H100_v5 in one scale set, which holds at most 100 with InfiniBand; support "
            "raises 100 to 300",
        )
    ]


@pytest.mark.parametrize("how", ["fact", "setting"])
def test_a_raised_limit_is_300(nd, found, how):
    config = {"scaleSetLimit": 300} if how == "setting" else None
    if how == "fact":
        nd["trial"]["scaleSetLimit"] = 300.0
    nd["train"]["count"] = 300.0
    assert found(RULE, nd, config) == []
    nd["train"]["count"] = 301.0
    assert found(RULE, nd, config) == [
        ("train", "301 nodes of Standard_ND96isr_H100_v5 in one scale set, which holds at most 300 with InfiniBand")
    ]


def test_no_statement_raises_it_beyond_300(nd, found):
    nd["trial"]["scaleSetLimit"] = 1000.0
    nd["train"]["count"] = 301.0
    assert [name for name, _ in found(RULE, nd)] == ["train"]


def test_a_limit_not_known_yet_is_said(nd, found, unknown):
    nd["trial"]["scaleSetLimit"] = nd.unknown
    assert found(RULE, nd) == []
    assert unknown(RULE, nd) == [("train", "scaleSetLimit is not known yet")]


def test_an_autoscaled_pool_is_held_to_its_maximum(nd, found):
    nd["train"].update(count=1.0, enableAutoScaling=True, minCount=0.0, maxCount=101.0)
    assert [name for name, _ in found(RULE, nd)] == ["train"]
    nd["train"]["enableAutoScaling"] = False
    assert found(RULE, nd) == []


def test_an_unknown_number_of_nodes_decides_nothing(nd, found, unknown):
    nd["train"].update(vmSize="Standard_ND96is_H100_v5", count=nd.unknown)
    assert found(RULE, nd) == []
    assert unknown(RULE, nd) == [
        (
            "train",
            "nodes of Standard_ND96is_H100_v5, which has no InfiniBand (no r in its name); its number of nodes is not "
            "known yet",
        )
    ]


def test_an_unknown_size_decides_nothing(nd, found, unknown):
    nd["train"]["vmSize"] = nd.unknown
    assert found(RULE, nd) == []
    assert unknown(RULE, nd) == [("train", "whether its VM size has InfiniBand is not known yet")]


@pytest.mark.parametrize("how", ["profile", "label"])
def test_sliced_gpus_do_not_train_together(nd, found, unknown, how):
    nd["train"]["vmSize"] = "Standard_ND96is_H100_v5"
    if how == "profile":
        nd["train"]["gpuInstanceProfile"] = "MIG1g"
    else:
        nd["train"]["nodeLabels"]["nvidia.com/mig.config"] = "all-1g.10gb"
    assert (found(RULE, nd), unknown(RULE, nd)) == ([], [])


def test_a_pool_written_inside_its_cluster_is_looked_at(nd, found):
    pool = {**nd["train"], "name": "training", "vmSize": "Standard_ND96is_H100_v5"}
    nd.remove("train")
    nd["cluster"]["agentPoolProfiles"].append(pool)
    assert found(RULE, nd) == [
        ("cluster", "5 nodes of Standard_ND96is_H100_v5, which has no InfiniBand (no r in its name)")
    ]


def test_pools_of_a_cluster_that_are_not_known_yet_are_said(nd, found, unknown):
    nd["cluster"]["agentPoolProfiles"] = nd.unknown
    assert found(RULE, nd) == []
    assert unknown(RULE, nd) == [("cluster", "whether its VM size has InfiniBand is not known yet")]


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
    assert found(RULE, nd) == [
        (
            "elastic",
            f"it allows {admitted}: Karpenter starts single machines outside of scale sets, which share no InfiniBand",
        )
    ]


@pytest.mark.parametrize(
    "requirements",
    [
        [(SKU + "name", "In", "Standard_NC40ads_H100_v5", "Standard_NC80adis_H100_v5")],
        [(SKU + "name", "In", "Standard_ND96is_H100_v5")],
        [(SKU + "family", "In", "N"), (SKU + "gpu-count", "Lt", "8")],
        [(SKU + "family", "In", "N"), (SKU + "gpu-count", "In", "1", "2")],
        [(SKU + "family", "In", "N"), (SKU + "cpu", "Lt", "96")],
        [(SKU + "gpu-name", "In", "H100"), (SKU + "name", "NotIn", "Standard_ND96isr_H100_v5")],
        [(SKU + "gpu-name", "In", "T4")],
        [(SKU + "gpu-name", "DoesNotExist")],
        [(SKU + "gpu-count", "In", "0")],
        [(SKU + "gpu-count", "Lt", "1")],
        [(SKU + "family", "In", "D", "E")],
        [("kubernetes.io/arch", "In", "amd64")],
    ],
)
def test_pools_of_karpenter_without_such_sizes_are_free(nd, found, unknown, requirements):
    _karpenter(nd, *requirements)
    assert (found(RULE, nd), unknown(RULE, nd)) == ([], [])


@pytest.mark.parametrize("how", ["limit", "taint"])
def test_a_pool_without_requirements_is_for_gpus_by_its_limit_or_taint(nd, found, how):
    limits: dict[str, Any] = {"limits": {"nvidia.com/gpu": "16"}} if how == "limit" else {}
    template = _karpenter(nd, **limits)
    if how == "taint":
        template["spec"]["taints"] = [{"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}]
    assert [name for name, _ in found(RULE, nd)] == ["elastic"]


def test_a_pool_of_karpenter_for_single_nodes_may_start_them(nd, found, unknown):
    _karpenter(nd, (SKU + "family", "In", "N"), labels={"gpucluster/single-node": "true"})
    assert (found(RULE, nd), unknown(RULE, nd)) == ([], [])


def test_pools_of_karpenter_on_other_clouds_are_not_asked(nd, found, unknown):
    _karpenter(nd, (TYPE, "In", "Standard_ND96isr_H100_v5"), group="karpenter.k8s.aws")
    assert (found(RULE, nd), unknown(RULE, nd)) == ([], [])


@pytest.mark.parametrize("what", ["requirements", "values", "value", "labels"])
def test_what_is_not_known_yet_of_karpenter_is_said(nd, found, unknown, what):
    template = _karpenter(nd, (SKU + "gpu-count", "Gt", "0"), (SKU + "name", "In", nd.unknown))
    if what == "requirements":
        template["spec"]["requirements"] = nd.unknown
    elif what == "values":
        template["spec"]["requirements"][1]["values"] = nd.unknown
    elif what == "labels":
        template["spec"]["requirements"].pop()
        template["metadata"]["labels"] = nd.unknown
    assert found(RULE, nd) == []
    assert unknown(RULE, nd) == [
        ("elastic", "whether it allows sizes with InfiniBand for multi-node jobs is not known yet")
    ]


def test_karpenter_knows_no_infiniband_devices(nd, found):
    _karpenter(nd, (SKU + "gpu-name", "In", "T4"), limits={"rdma/ib": "8", "nvidia.com/gpu": "8"})
    assert found(RULE, nd) == [("elastic", "a limit on rdma/ib, which no Karpenter machine on Azure has")]
