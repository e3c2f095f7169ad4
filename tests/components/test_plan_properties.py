"""The properties of plans that a cluster is chosen for, in every recorded spec: a recording may be written anew, these
may not.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

import pytest

from gpucluster.core.catalog.clouds import clouds
from gpucluster.core.catalog.workloads import tolerates, workloads
from gpucluster.sandbox.clouds.kubernetes.chart_values import recorded, unknown_configuration, unknown_values
from gpucluster.sandbox.clouds.kubernetes.definitions import known_chart
from tests.components.recorded import Recorded, plan_of, spec_names

GPU_TAINTS = (
    {"key": "nvidia.com/gpu", "value": "true", "effect": "NO_SCHEDULE"},
    {"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"},
    "nvidia.com/gpu=true:NoSchedule",
)


def plans(cloud: str) -> dict[str, Recorded]:
    return {name: plan_of(cloud, name) for name in spec_names(cloud)}


def found(cloud: str, *kinds: str) -> dict[tuple[str, str], Any]:
    """(spec, name) -> inputs, of all plans of a cloud."""
    return {(spec, name): item for spec, plan in plans(cloud).items() for name, item in plan.of(*kinds).items()}


def below(value: Any, key: str) -> list[Any]:
    """The values of a key at any depth."""
    if isinstance(value, list):
        return [one for item in value for one in below(item, key)]
    if not isinstance(value, dict):
        return []
    return [one for name, item in value.items() for one in ([item] if name == key else below(item, key))]


@pytest.mark.parametrize("cloud", [*clouds()])
def test_every_chart_has_a_version_and_is_undone_where_it_fails(cloud: str) -> None:
    charts = found(cloud, "Release")
    assert len(charts) > 50
    assert [where for where, chart in charts.items() if not (chart.get("version") and chart["atomic"])] == []


@pytest.mark.parametrize("cloud", [*clouds()])
def test_an_address_that_is_a_secret_is_one_wherever_it_is_sent(cloud: str) -> None:
    plan = next(plan for name, plan in plans(cloud).items() if name.endswith("telemetry"))

    def open_(value: Any) -> bool:
        if isinstance(value, dict):
            return [*value] != ["secret"] and any(map(open_, value.values()))
        return any(map(open_, value)) if isinstance(value, list) else "s3cret" in str(value)

    assert [name for name, item in plan.inputs.items() if open_(item)] == []
    assert [name for name, item in plan.inputs.items() if "s3cret" in str(item)] != []


@pytest.mark.parametrize(("cloud", "kinds"), [("aws", "NodeGroup"), ("gcp", "NodePool"), ("azure", "AgentPool")])
def test_every_pool_of_gpus_keeps_other_pods_away_and_says_what_it_is(cloud: str, kinds: str) -> None:
    for where, pool in found(cloud, kinds).items():
        labels = pool.get("nodeLabels") or pool.get("labels") or pool.get("nodeConfig", {}).get("labels")
        if labels is None or labels["gpucluster/pool"] == "system":
            continue
        taints = pool.get("nodeTaints") or pool.get("taints") or pool["nodeConfig"].get("taints", [])
        gke = any("guestAccelerators" in config for config in [pool.get("nodeConfig", {})])  # which taints these itself
        assert gke or any(taint in GPU_TAINTS for taint in taints), where
        assert labels["nvidia.com/gpu.present"] == "true", where
        assert labels["team"] == "research", where


@pytest.mark.parametrize("cloud", [*clouds()])
def test_files_are_protected_from_deletion_unless_the_spec_says_otherwise(cloud: str) -> None:
    holding = ("LustreFileSystem", "AmlFilesystem", "Instance", "FileSystem", "FileShare", "StorageAccount", "Bucket")
    kept: dict[bool, set[str]] = {True: set(), False: set()}
    for plan in plans(cloud).values():
        for name in plan.of(*holding):
            kept[bool(plan.registered[f"trial-{name}"].get("protect"))].add(name)
    assert "storage-shared" in kept[False]
    assert "storage-shared" in kept[True]
    assert "protect" not in plan_of(cloud, "trial").registered["trial-storage-shared"]


# AWS.


@pytest.mark.parametrize(
    ("spec", "machine", "cards"),
    [
        ("trial", "p5.48xlarge", 32),
        ("h200", "p5en.48xlarge", 16),
        ("h200-p5e", "p5e.48xlarge", 32),
        ("a100", "p4de.24xlarge", 4),
        ("a100-40gb", "p4d.24xlarge", 4),
        ("machine-of-one-gpu", "p5.4xlarge", 1),
    ],
)
def test_a_node_has_an_interface_for_each_network_card_and_one_address(spec: str, machine: str, cards: int) -> None:
    """EC2 user guide: the first interface of card 0 carries IP; EFA-only ones have no address."""
    template = plan_of("aws", spec).inputs["training-template"]
    assert template["instanceType"] == machine
    places = [
        (one["networkCardIndex"], one["deviceIndex"], one["interfaceType"]) for one in template["networkInterfaces"]
    ]
    assert places == [(0, 0, "interface"), (0, 1, "efa-only"), *((card, 0, "efa-only") for card in range(1, cards))]
    assert {"trial-training-efa-id"} <= set(template["networkInterfaces"][0]["securityGroups"])


@pytest.mark.parametrize(
    ("spec", "group", "reserved", "market"),
    [
        ("trial", "trial-training-group", None, None),
        ("single-node", None, None, None),
        ("reservation-in-group", "research-h100", "cr-0123456789abcdef0", None),
        ("capacity-block", None, "cr-0123456789abcdef0", "capacity-block"),
        ("capacity-block-active", None, "cr-0123456789abcdef0", "capacity-block"),
    ],
)
def test_training_nodes_are_in_one_group_or_where_they_are_reserved(
    spec: str, group: str | None, reserved: str | None, market: str | None
) -> None:
    plan = plan_of("aws", spec)
    template = plan.inputs["training-template"]
    assert template.get("placement", {}).get("groupName") == group
    assert below(template, "capacityReservationId") == ([reserved] if reserved else [])
    assert below(template, "marketType") == ([market] if market else [])
    assert ("training-group" in plan.inputs) == (group == "trial-training-group")
    assert len(plan.inputs["training-nodes"]["subnetIds"]) == 1


@pytest.mark.parametrize(
    ("spec", "layers"),
    [("trial", 3), ("h200", 3), ("h200-p5e", 3), ("a100", 3), ("a100-40gb", 3), ("machine-of-one-gpu", 0)],
)
def test_jobs_are_placed_by_the_labels_that_ec2_gives_to_the_machines(spec: str, layers: int) -> None:
    """EC2 user guide: none for p5.4xlarge. Kueue places no job on a node that lacks a label of its topology."""
    [topology] = plan_of("aws", spec).of("Topology").values()
    assert [level["nodeLabel"] for level in topology["spec"]["levels"]] == [
        *(f"topology.k8s.aws/network-node-layer-{layer}" for layer in range(1, layers + 1)),
        "kubernetes.io/hostname",
    ]


@pytest.mark.parametrize("cloud", [*clouds()])
def test_every_value_is_one_that_its_chart_knows(cloud: str) -> None:
    charts = found(cloud, "Release")
    assert [one.path for chart in charts.values() for one in unknown_values(chart)] == []
    assert {known_chart(one) for one in charts.values()} - {*recorded()} <= {"karpenter-provider-gcp/karpenter-crd"}
    addons = found(cloud, "Addon").values()
    assert [one.path for addon in addons for one in unknown_configuration(addon)] == []
    typo = [{**chart, "values": {"toleration": []}} for chart in charts.values() if known_chart(chart) in recorded()]
    assert [chart["chart"] for chart in typo if not [*unknown_values(chart)]] == []


def packages(plan: Recorded) -> Iterator[tuple[str, Any]]:
    """Package -> what its workloads are made from, as the table names both; what the cloud installs has nothing."""
    yield from ((cloud, {}) for cloud in ("gke", "aks"))
    for item in plan.of("Release").values():
        yield known_chart(item), item["values"]
    for item in plan.of("Addon").values():
        yield item["addonName"], json.loads(item.get("configurationValues") or "{}")
    for item in plan.of("DaemonSet", "Deployment", "StatefulSet", "NicClusterPolicy").values():
        yield f"{item['kind']}/{item['metadata']['name']}", item


# Of our pools, of spot machines, queues and classes, and of broken nodes, which evicts pods.
TAINTED = (
    *("nvidia.com/gpu", "kubernetes.azure.com/scalesetpriority", "cloud.google.com/gke-queued"),
    *("cloud.google.com/compute-class", "gpucluster/broken"),
)
TAINTS = [{"key": key, "value": "a", "effect": effect} for key in TAINTED for effect in ("NoSchedule", "NoExecute")]


@pytest.mark.parametrize("cloud", [*clouds()])
def test_workloads_run_on_gpu_nodes_or_stay_off_them_as_the_table_has_it(cloud: str) -> None:
    """An operator needs plugins and counters on a broken node above all."""
    given = [found for plan in plans(cloud).values() for found in packages(plan) if "-crd" not in found[0]]
    assert {package for package, _ in given} - {one.package for one in workloads()} == set()
    for one, values in ((one, values) for package, values in given for one in workloads() if one.package == package):
        must = one.gpu_nodes == "must"
        tolerated = one.tolerated(values)
        stays = all(any(tolerates(mine, taint) for mine in tolerated) for taint in (TAINTS if must else TAINTS[:1]))
        assert not one.is_there(values) or stays == must, one.workload
    pools = found(cloud, "NodeGroup", "NodePool").values()
    assert {taint["key"] for taints in below([*pools], "taints") for taint in taints} <= {*TAINTED}


def test_eks_repairs_one_node_at_a_time_and_none_where_more_than_one_in_five_is_broken() -> None:
    groups = {where: group for where, group in found("aws", "NodeGroup").items() if "nodeRepairConfig" in group}
    assert groups
    for where, group in groups.items():
        repair, nodes = group["nodeRepairConfig"], group["scalingConfig"]["maxSize"]
        if repair["enabled"]:
            limits = (repair["maxUnhealthyNodeThresholdCount"], repair["maxParallelNodesRepairedCount"])
            assert limits == (max(1, nodes // 5), 1), where


def test_disks_and_file_systems_are_encrypted_and_instances_ask_for_tokens() -> None:
    for template in found("aws", "LaunchTemplate").values():
        assert below(template, "encrypted") == ["true"]
        assert template["metadataOptions"]["httpTokens"] == "required"
    for node_class in found("aws", "EC2NodeClass").values():
        assert below(node_class, "encrypted") == [True]
        assert node_class["spec"]["amiSelectorTerms"] == [{"alias": "al2023@v20260714"}]
    assert {files["encrypted"] for files in found("aws", "FileSystem").values()} == {True}
    assert all("encryptionConfig" in cluster for cluster in found("aws", "Cluster").values())


def test_no_node_has_a_public_address_and_a_closed_network_has_no_way_out() -> None:
    assert {subnet["mapPublicIpOnLaunch"] for subnet in found("aws", "Subnet").values()} == {False}
    closed = plan_of("aws", "closed")
    assert closed.of("NatGateway", "InternetGateway", "Eip", "Route") == {}
    services = [item["serviceName"] for item in closed.of("VpcEndpoint").values()]
    assert sorted(item.removeprefix("com.amazonaws.us-east-1.") for item in services) == [
        "aps-workspaces", "ec2", "ec2messages", "ecr.api", "ecr.dkr", "eks", "eks-auth", "logs", "monitoring", "s3",
        "sqs", "ssm", "ssmmessages", "sts",
    ]  # fmt: skip
    config = closed.inputs["control-plane-cluster"]["vpcConfig"]
    assert (config["endpointPublicAccess"], config.get("publicAccessCidrs")) == (False, None)


def test_every_gpu_node_of_aws_installs_the_lustre_client() -> None:
    given = {where: pool["spec"]["userData"] for where, pool in found("aws", "EC2NodeClass").items()}
    for (spec, name), template in found("aws", "LaunchTemplate").items():
        if name in {"training-template", "mig-template"}:
            given[spec, name] = base64.b64decode(template["userData"]).decode()
    assert {name for _, name in given} == {"training-template", "mig-template", "elastic-class"}
    assert [where for where, script in given.items() if "dnf install -y lustre-client" not in script] == []


def test_a_job_has_no_right_but_to_its_buckets() -> None:
    policy = plan_of("aws", "teams-and-buckets").inputs["job-data-policy"]["policy"]
    assert "arn:aws:s3:::corpora/*" in policy and "arn:aws:s3:::trial-bucket-data/*" in policy
    assert '"*"' not in policy


# Google Cloud.


@pytest.mark.parametrize(
    ("spec", "machine", "networks"),
    [
        ("trial", "a3-megagpu-8g", 8),
        ("a3-high", "a3-highgpu-8g", 4),
        ("h200-block", "a3-ultragpu-8g", 9),
        ("a100-80gb", "a2-ultragpu-8g", 0),
    ],
)
def test_a_node_has_the_networks_of_its_fabric_and_no_public_address(spec: str, machine: str, networks: int) -> None:
    pool = plan_of("gcp", spec).inputs["training-nodes"]
    assert pool["nodeConfig"]["machineType"] == machine
    config = pool.get("networkConfig", {})
    assert len(config.get("additionalNodeNetworkConfigs", [])) == networks
    for cluster in found("gcp", "Cluster").values():
        assert cluster["privateClusterConfig"]["enablePrivateNodes"] is True
        assert cluster["databaseEncryption"]["state"] == "ENCRYPTED"


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        ("trial", [f"vpc{number}" for number in range(1, 9)]),
        ("a3-high", [f"vpc{number}" for number in range(1, 5)]),
        ("h200-block", ["gvnic-1", *(f"rdma-{number}" for number in range(8))]),
    ],
)
def test_networks_of_gpus_have_the_names_of_googles_manifests(spec: str, names: list[str]) -> None:
    networks = plan_of("gcp", spec).of("Network", "GKENetworkParamSet").values()
    objects = [item["metadata"]["name"] for item in networks if "metadata" in item]
    assert sorted(objects) == sorted([*names, *names])


@pytest.mark.parametrize(
    ("spec", "policy", "reserved"),
    [
        ("trial", "trial-training-placement", None),
        ("reservation-in-group", "close", "projects/my-project/reservations/mega"),
        ("calendar", None, "projects/my-project/reservations/mega"),
        ("flex-start", None, None),
        ("single-node", None, None),
    ],
)
def test_nodes_are_placed_compactly_or_where_they_are_reserved(
    spec: str, policy: str | None, reserved: str | None
) -> None:
    pool = plan_of("gcp", spec).inputs["training-nodes"]
    assert pool.get("placementPolicy", {}).get("policyName") == policy
    assert below(pool["nodeConfig"], "values") == ([[reserved]] if reserved else [])


def test_a_closed_cluster_answers_inside_and_has_no_nat_and_buckets_are_private() -> None:
    closed = plan_of("gcp", "closed")
    assert closed.inputs["control-plane-cluster"]["privateClusterConfig"]["enablePrivateEndpoint"] is True
    assert closed.of("Router", "RouterNat") == {}
    assert {bucket["publicAccessPrevention"] for bucket in found("gcp", "Bucket").values()} == {"enforced"}


def test_nodes_are_let_into_an_existing_repository_of_another_project_alone() -> None:
    assert plan_of("gcp", "closed").of("RepositoryIamMember") == {}
    [grant] = plan_of("gcp", "dns-own-network").of("RepositoryIamMember").values()
    assert (grant["project"], grant["role"]) == ("images-of-all", "roles/artifactregistry.reader")


def test_gke_sets_the_upgrades_of_flex_start_pools_alone() -> None:
    flexible = [
        ("upgradeSettings" in pool, pool["nodeConfig"].get("flexStart", False))
        for plan in plans("gcp").values()
        for pool in plan.of("NodePool").values()
        if "nodeConfig" in pool
    ]
    assert {*flexible} == {(True, False), (False, True)}


# Azure.


def test_the_number_of_samples_is_said_by_the_rule_that_collects_them_and_not_by_the_cluster() -> None:
    """A changed tag of the cluster is a request to AKS, which takes minutes and locks the pools."""
    tag, made = "gpucluster-expected-million-samples", plan_of("azure", "trial").inputs
    assert [name for name, inputs in made.items() if tag in (inputs.get("tags") or {})] == ["monitoring-rule"]


def test_a_pool_in_a_capacity_block_says_how_many_machines_are_bought() -> None:
    tags = {name: plan.inputs["training-nodes"].get("tags") or {} for name, plan in plans("azure").items()}
    assert {
        name: found["gpucluster-block-nodes"] for name, found in tags.items() if "gpucluster-block-nodes" in found
    } == {"capacity-block": "8", "capacity-block-active": "8"}


def test_training_nodes_are_one_scale_set_in_one_zone_that_never_scales() -> None:
    for name, plan in plans("azure").items():
        pool = plan.inputs["training-nodes"]
        zones = None if name == "no-zones" else ["1"]
        assert (pool["type"], pool.get("availabilityZones")) == ("VirtualMachineScaleSets", zones)
        assert pool["enableAutoScaling"] is False
        assert pool["upgradeSettings"]["maxSurge"] == "0"


@pytest.mark.parametrize(
    ("spec", "group", "count"),
    [
        ("trial", None, 5),
        ("reservation", "h100", 5),
        ("capacity-block", "h100", 0),
        ("capacity-block-active", "h100", 5),
    ],
)
def test_a_pool_is_bought_from_the_reservation_that_is_named(spec: str, group: str | None, count: int) -> None:
    pool = plan_of("azure", spec).inputs["training-nodes"]
    found = pool.get("capacityReservationGroupID")
    assert (found and found.rpartition("/")[2], pool["count"]) == (group, count)


def test_one_owner_has_the_drivers_of_all_gpu_nodes() -> None:
    for name, plan in plans("azure").items():
        written = "Install" if name == "driver-of-aks" else "None"
        assert {pool["gpuProfile"]["driver"] for pool in plan.of("AgentPool").values()} == {written}
        for node_class in plan.of("AKSNodeClass").values():
            assert node_class["spec"]["gpu"]["mode"] == ("Driver" if written == "Install" else "None")


def test_clusters_take_no_local_account_and_storage_no_anonymous_or_open_access() -> None:
    for cluster in found("azure", "ManagedCluster").values():
        assert (cluster["disableLocalAccounts"], cluster["enableRBAC"]) == (True, True)
        assert cluster["autoUpgradeProfile"] == {"upgradeChannel": "none", "nodeOSUpgradeChannel": "None"}
        assert cluster["nodeProvisioningProfile"]["defaultNodePools"] == "None"
    assert (
        plan_of("azure", "private").inputs["control-plane-cluster"]["apiServerAccessProfile"]["enablePrivateCluster"]
        is True
    )
    for account in found("azure", "StorageAccount").values():
        assert (account["allowBlobPublicAccess"], account["minimumTlsVersion"]) == (False, "TLS1_2")
    assert {registry["adminUserEnabled"] for registry in found("azure", "Registry").values()} == {False}
