"""What a cluster on Google Cloud registers in its project, for each machine and each kind of purchase and storage.

Every expectation is typed by hand from Google's documentation and blueprints (GoogleCloudPlatform/cluster-toolkit
v1.95.0, examples/gke-a3-highgpu, gke-a3-megagpu, gke-a3-ultragpu and modules/compute/gke-node-pool), never written by
the program. What stands inside the cluster is in the tests of its own modules.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.plan import plan_cluster
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.file import read_spec

ROOT = Path(__file__).parents[3]
HERE = Location(project="my-project", region="us-central1", zone="us-central1-b")
SPEC_LABELS = {
    "team": "research",
    "project": "foundation-model",
    "cost-center": "cc-1234",
    "environment": "trial",
    "owner": "ml-platform",
}
NODE_LABELS = {**SPEC_LABELS, "pulumi-project": "project", "pulumi-stack": "gcp-trial"}
NODES = "-node-cd10@my-project.iam.gserviceaccount.com"

Registered = list[tuple[str, str, dict[str, Any]]]
Declare = Callable[..., Registered]
Registering = Callable[[Callable[[], object]], Registered]


@pytest.fixture
def declared(registered: Registering) -> Declare:
    """Gives what an example spec registers in the project, by name; `changes` are those of its fields."""

    def run(example: str, **changes: Any) -> Registered:
        from gpucluster.components.gcp.cluster import TrainingCluster

        path = ROOT / (f"examples/specs/gcp/{example}.yaml" if example != "trial" else "stacks/specs/trial.yaml")
        spec = ClusterSpec.model_validate({**yaml.safe_load(path.read_text()), **changes})
        plan = plan_cluster(spec, HERE, stack="gcp-trial")
        found = registered(lambda: TrainingCluster(plan.name, plan))
        return sorted((item for item in found if item[0].startswith("gcp:")), key=lambda item: item[1])

    return run


def labels(name: str) -> dict[str, str]:
    own = {"name": name, "pulumi-project": "project", "pulumi-stack": "gcp-trial", "managed-by": "pulumi"}
    return {**SPEC_LABELS, **own}


def service(name: str, api: str) -> tuple[str, str, dict[str, Any]]:
    inputs = {"service": f"{api}.googleapis.com", "disableOnDestroy": False}
    return "gcp:projects/service:Service", f"{name}-api-{api}", inputs


def services(name: str, *apis: str) -> Registered:
    return [service(name, api) for api in ("artifactregistry", "cloudkms", "compute", "container", "dns", "iam", *apis)]


def identity(name: str) -> Registered:
    roles = {
        "artifactregistry-reader": "roles/artifactregistry.reader",
        "logging-logwriter": "roles/logging.logWriter",
        "monitoring-metricwriter": "roles/monitoring.metricWriter",
        "monitoring-viewer": "roles/monitoring.viewer",
        "stackdriver-resourcemetadata-writer": "roles/stackdriver.resourceMetadata.writer",
        "storage-objectviewer": "roles/storage.objectViewer",
    }
    account = f"{name}-identity-account"
    made = {
        "accountId": f"{name}-node-cd10",
        "displayName": f"GKE nodes of {name}-identity",
        "project": "my-project",
    }
    return [
        ("gcp:serviceaccount/account:Account", account, made),
        *(
            (
                "gcp:projects/iAMMember:IAMMember",
                f"{account}-{suffix}",
                {"project": "my-project", "role": role, "member": f"serviceAccount:{name}{NODES}"},
            )
            for suffix, role in roles.items()
        ),
    ]


def images(name: str) -> Registered:
    def repository(suffix: str, **inputs: Any) -> tuple[str, str, dict[str, Any]]:
        full = f"{name}-registry-{suffix}"
        place = {"project": "my-project", "location": "us-central1", "repositoryId": f"{name}-gcp-trial-{suffix}"}
        return (
            "gcp:artifactregistry/repository:Repository",
            full,
            {**place, "format": "DOCKER", "labels": labels(full), **inputs},
        )

    def cache(suffix: str, upstream: str) -> tuple[str, str, dict[str, Any]]:
        old = {"id": "old", "action": "DELETE", "condition": {"tagState": "ANY", "olderThan": "2592000s"}}
        remote = {"commonRepository": {"uri": f"https://{upstream}"}}
        return repository(suffix, mode="REMOTE_REPOSITORY", remoteRepositoryConfig=remote, cleanupPolicies=[old])

    return [
        repository("jobs", dockerConfig={"immutableTags": True}),
        cache("ecr", "public.ecr.aws"),
        cache("k8s", "registry.k8s.io"),
        cache("quay", "quay.io"),
    ]


def main_network(name: str, mtu: int) -> Registered:
    network = f"{name}-network"
    return [
        (
            "gcp:compute/network:Network",
            f"{network}-vpc",
            {"autoCreateSubnetworks": False, "mtu": mtu, "routingMode": "REGIONAL"},
        ),
        (
            "gcp:compute/subnetwork:Subnetwork",
            f"{network}-nodes",
            {
                "network": f"{network}-vpc",
                "region": "us-central1",
                "ipCidrRange": "10.0.0.0/20",
                "privateIpGoogleAccess": True,
                "secondaryIpRanges": [
                    {"rangeName": "pods", "ipCidrRange": "10.4.0.0/14"},
                    {"rangeName": "services", "ipCidrRange": "10.0.32.0/20"},
                ],
                "logConfig": {
                    "aggregationInterval": "INTERVAL_10_MIN",
                    "flowSampling": 0.5,
                    "metadata": "INCLUDE_ALL_METADATA",
                },
            },
        ),
    ]


def way_out(name: str) -> Registered:
    network = f"{name}-network"
    return [
        ("gcp:compute/router:Router", f"{network}-router", {"network": f"{network}-vpc", "region": "us-central1"}),
        (
            "gcp:compute/routerNat:RouterNat",
            f"{network}-nat",
            {
                "router": f"{network}-router",
                "region": "us-central1",
                "natIpAllocateOption": "AUTO_ONLY",
                "enableDynamicPortAllocation": True,
                "enableEndpointIndependentMapping": False,
                "minPortsPerVm": 64,
                "maxPortsPerVm": 4096,
                "sourceSubnetworkIpRangesToNat": "LIST_OF_SUBNETWORKS",
                "subnetworks": [{"name": f"{network}-nodes", "sourceIpRangesToNats": ["ALL_IP_RANGES"]}],
            },
        ),
    ]


def private_services(name: str) -> Registered:
    network = f"{name}-network"
    return [
        (
            "gcp:compute/globalAddress:GlobalAddress",
            f"{network}-private-range",
            {
                "purpose": "VPC_PEERING",
                "addressType": "INTERNAL",
                "address": "10.0.64.0",
                "prefixLength": 20,
                "network": f"{network}-vpc",
                "labels": labels(f"{network}-private-range"),
            },
        ),
        (
            "gcp:servicenetworking/connection:Connection",
            f"{network}-private-services",
            {
                "network": f"{network}-vpc",
                "service": "servicenetworking.googleapis.com",
                "reservedPeeringRanges": [f"{network}-private-range"],
                "deletionPolicy": "REMOVE_PEERING",
            },
        ),
    ]


def tcp_network(name: str, index: int, cidr: str, mtu: int) -> Registered:
    full = f"{name}-network-gpu-{index}"
    return [
        (
            "gcp:compute/network:Network",
            full,
            {"autoCreateSubnetworks": False, "mtu": mtu, "routingMode": "REGIONAL"},
        ),
        (
            "gcp:compute/firewall:Firewall",
            f"{full}-inside",
            {
                "network": full,
                "description": "GPU traffic between the nodes",
                "sourceRanges": [cidr],
                "allows": [{"protocol": "tcp"}, {"protocol": "udp"}, {"protocol": "icmp"}],
            },
        ),
        (
            "gcp:compute/subnetwork:Subnetwork",
            f"{full}-subnet",
            {"network": full, "region": "us-central1", "ipCidrRange": cidr},
        ),
    ]


def roce_networks(name: str) -> Registered:
    roce = f"{name}-network-gpu-roce"
    cidrs = {
        1: "10.8.16.0/20",
        2: "10.8.32.0/20",
        3: "10.8.48.0/20",
        4: "10.8.64.0/20",
        5: "10.8.80.0/20",
        6: "10.8.96.0/20",
        7: "10.8.112.0/20",
        8: "10.8.128.0/20",
    }
    return [
        (
            "gcp:compute/network:Network",
            roce,
            {
                "autoCreateSubnetworks": False,
                "mtu": 8896,
                "routingMode": "REGIONAL",
                "networkProfile": "projects/my-project/global/networkProfiles/us-central1-b-vpc-roce",
            },
        ),
        *(
            (
                "gcp:compute/subnetwork:Subnetwork",
                f"{name}-network-gpu-{index}-subnet",
                {"network": roce, "region": "us-central1", "ipCidrRange": cidr},
            )
            for index, cidr in cidrs.items()
        ),
    ]


def tcp_networks(name: str, *cidrs: str) -> Registered:
    return [item for index, cidr in enumerate(cidrs) for item in tcp_network(name, index, cidr, 8244)]


FOUR = ("10.8.0.0/20", "10.8.16.0/20", "10.8.32.0/20", "10.8.48.0/20")
EIGHT = (*FOUR, "10.8.64.0/20", "10.8.80.0/20", "10.8.96.0/20", "10.8.112.0/20")


OF_40_GPUS = "57"
"""Million samples in 43800 minutes, of 14 counters twice a minute and 4 recordings once for each GPU, rounded up."""


def control_plane(
    name: str,
    addons: dict[str, Any],
    *,
    clients: list[str],
    private: bool = False,
    samples: str = OF_40_GPUS,
    **more: Any,
) -> Registered:
    full = f"{name}-control-plane"
    gke = "serviceAccount:service-123456789@container-engine-robot.iam.gserviceaccount.com"
    return [
        ("gcp:kms/keyRing:KeyRing", f"{full}-secrets-ring", {"location": "us-central1"}),
        (
            "gcp:kms/cryptoKey:CryptoKey",
            f"{full}-secrets",
            {
                "keyRing": f"{full}-secrets-ring",
                "purpose": "ENCRYPT_DECRYPT",
                "rotationPeriod": "7776000s",
                "destroyScheduledDuration": "2592000s",
                "labels": labels(f"{full}-secrets"),
            },
        ),
        (
            "gcp:projects/serviceIdentity:ServiceIdentity",
            f"{full}-secrets-gke",
            {"project": "my-project", "service": "container.googleapis.com"},
        ),
        (
            "gcp:kms/cryptoKeyIAMMember:CryptoKeyIAMMember",
            f"{full}-secrets-use",
            {
                "cryptoKeyId": f"{full}-secrets",
                "role": "roles/cloudkms.cryptoKeyEncrypterDecrypter",
                "member": gke,
            },
        ),
        (
            "gcp:container/cluster:Cluster",
            f"{full}-cluster",
            {
                "name": f"{name}-gcp-trial",
                "location": "us-central1",
                "nodeLocations": ["us-central1-a", "us-central1-b", "us-central1-c"],
                "network": f"{name}-network-vpc",
                "subnetwork": f"{name}-network-nodes",
                "networkingMode": "VPC_NATIVE",
                "ipAllocationPolicy": {"clusterSecondaryRangeName": "pods", "servicesSecondaryRangeName": "services"},
                "datapathProvider": "ADVANCED_DATAPATH",
                "enableMultiNetworking": True,
                "removeDefaultNodePool": True,
                "initialNodeCount": 1,
                "nodeConfig": {"serviceAccount": f"{name}{NODES}"},
                "deletionProtection": False,
                "minMasterVersion": "1.35",
                "releaseChannel": {"channel": "REGULAR"},
                "maintenancePolicy": {
                    "dailyMaintenanceWindow": {"startTime": "03:00"},
                    "maintenanceExclusions": [
                        {
                            "exclusionName": "no-minor-or-node-upgrades",
                            "startTime": "2026-01-01T00:00:00Z",
                            "exclusionOptions": {
                                "scope": "NO_MINOR_OR_NODE_UPGRADES",
                                "endTimeBehavior": "UNTIL_END_OF_SUPPORT",
                            },
                        }
                    ],
                },
                "privateClusterConfig": {"enablePrivateNodes": True, "enablePrivateEndpoint": private},
                "masterAuthorizedNetworksConfig": {
                    "cidrBlocks": [{"cidrBlock": cidr} for cidr in clients],
                    "gcpPublicCidrsAccessEnabled": False,
                },
                "controlPlaneEndpointsConfig": {"dnsEndpointConfig": {"allowExternalTraffic": False}},
                "dnsConfig": {"clusterDns": "CLOUD_DNS", "clusterDnsScope": "CLUSTER_SCOPE"},
                "workloadIdentityConfig": {"workloadPool": "my-project.svc.id.goog"},
                "databaseEncryption": {"state": "ENCRYPTED", "keyName": f"{full}-secrets"},
                "enableShieldedNodes": True,
                "loggingConfig": {"enableComponents": ["SYSTEM_COMPONENTS", "WORKLOADS", "APISERVER"]},
                "monitoringConfig": {
                    "enableComponents": [
                        "SYSTEM_COMPONENTS",
                        "POD",
                        "DAEMONSET",
                        "DEPLOYMENT",
                        "STATEFULSET",
                        "STORAGE",
                        "HPA",
                        "CADVISOR",
                        "KUBELET",
                        "JOBSET",
                    ],
                    "managedPrometheus": {"enabled": True},
                },
                "addonsConfig": {"gcePersistentDiskCsiDriverConfig": {"enabled": True}, **addons},
                "resourceLabels": {**labels(f"{full}-cluster"), "gpucluster-expected-million-samples": samples},
                **more,
            },
        ),
    ]


LUSTRE_DRIVER = {"lustreCsiDriverConfig": {"enabled": True, "disableMultiNic": True}}
OFFICE = ["203.0.113.0/24"]


def nodes(name: str, logical: str, pool: str, machine: str, disk: tuple[str, int], **more: Any) -> dict[str, Any]:
    """Configuration of nodes that every pool has."""
    return {
        "machineType": machine,
        "imageType": "COS_CONTAINERD",
        "diskType": disk[0],
        "diskSizeGb": disk[1],
        "serviceAccount": f"{name}{NODES}",
        "oauthScopes": ["https://www.googleapis.com/auth/cloud-platform"],
        "labels": {**NODE_LABELS, "gpucluster/pool": pool, **more.pop("labels", {})},
        "resourceLabels": labels(logical),
        "workloadMetadataConfig": {"mode": "GKE_METADATA"},
        "metadata": {"disable-legacy-endpoints": "true"},
        "shieldedInstanceConfig": {"enableSecureBoot": True, "enableIntegrityMonitoring": True},
        "gvnic": {"enabled": True},
        "kubeletConfig": {"insecureKubeletReadonlyPortEnabled": "FALSE"},
        **more,
    }


def gpu_nodes(
    name: str, logical: str, pool: str, machine: str, accelerator: tuple[str, int], disks: int, **more: Any
) -> dict[str, Any]:
    kind, count = accelerator
    gpus: dict[str, Any] = {
        "type": kind,
        "count": count,
        "gpuDriverInstallationConfig": {"gpuDriverVersion": "DEFAULT"},
        **({"gpuPartitionSize": more.pop("partition")} if "partition" in more else {}),
    }
    return nodes(
        name,
        logical,
        pool,
        machine,
        ("hyperdisk-balanced", 200),
        labels={"nvidia.com/gpu.present": "true", **more.pop("labels", {})},
        guestAccelerators=[gpus],
        taints=[{"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}, *more.pop("taints", [])],
        ephemeralStorageLocalSsdConfig={"localSsdCount": disks},
        linuxNodeConfig={
            "sysctls": {
                "net.ipv4.tcp_rmem": "4096 87380 16777216",
                "net.ipv4.tcp_wmem": "4096 16384 16777216",
            }
        },
        **more,
    )


def system(name: str) -> Registered:
    logical = f"{name}-system-nodes"
    return [
        (
            "gcp:container/nodePool:NodePool",
            logical,
            {
                "name": "system",
                "cluster": f"{name}-gcp-trial",
                "location": "us-central1",
                "nodeLocations": ["us-central1-a", "us-central1-b", "us-central1-c"],
                "nodeCount": 1,
                "autoscaling": {"totalMinNodeCount": 3, "totalMaxNodeCount": 6, "locationPolicy": "BALANCED"},
                "management": {"autoRepair": True, "autoUpgrade": True},
                "upgradeSettings": {"maxSurge": 1, "maxUnavailable": 0},
                "networkConfig": {"enablePrivateNodes": True},
                "nodeConfig": nodes(name, logical, "system", "e2-standard-4", ("pd-balanced", 100)),
            },
        )
    ]


def gpu_pool(
    name: str, pool: str, config: dict[str, Any], *, part: str | None = None, repair: bool = True, **more: Any
) -> Registered:
    return [
        (
            "gcp:container/nodePool:NodePool",
            f"{name}-{part or pool}-nodes",
            {
                "name": pool,
                "cluster": f"{name}-gcp-trial",
                "location": "us-central1",
                "nodeLocations": ["us-central1-b"],
                "management": {"autoRepair": repair, "autoUpgrade": True},
                "upgradeSettings": {"strategy": "SURGE", "maxSurge": 0, "maxUnavailable": 1},
                "networkConfig": {"enablePrivateNodes": True},
                "nodeConfig": config,
                **more,
            },
        )
    ]


def interfaces(name: str, *pairs: tuple[str, str]) -> dict[str, Any]:
    network = f"{name}-network-gpu"
    return {
        "networkConfig": {
            "enablePrivateNodes": True,
            "additionalNodeNetworkConfigs": [
                {"network": f"{network}-{vpc}", "subnetwork": f"{network}-{subnet}-subnet"} for vpc, subnet in pairs
            ],
        }
    }


def own_network_each(name: str, count: int) -> dict[str, Any]:
    return interfaces(name, *((str(index), str(index)) for index in range(count)))


def placement(name: str) -> Registered:
    inputs = {"region": "us-central1", "groupPlacementPolicy": {"collocation": "COLLOCATED"}}
    return [("gcp:compute/resourcePolicy:ResourcePolicy", f"{name}-training-placement", inputs)]


def compact(name: str) -> dict[str, Any]:
    return {"placementPolicy": {"type": "COMPACT", "policyName": f"{name}-training-placement"}}


def lustre(name: str) -> Registered:
    """The tier of least capacity, because these tests know no prices."""
    return [
        (
            "gcp:compute/firewall:Firewall",
            f"{name}-storage-lustre",
            {
                "network": f"{name}-network-vpc",
                "description": "Lustre file servers to their clients",
                "sourceRanges": ["10.0.64.0/20"],
                "allows": [{"protocol": "tcp", "ports": ["988"]}],
            },
        ),
        (
            "gcp:lustre/instance:Instance",
            f"{name}-storage-shared",
            {
                "instanceId": f"{name}-gcp-trial",
                "location": "us-central1-b",
                "filesystem": "shared",
                "capacityGib": "27000",
                "perUnitStorageThroughput": "1000",
                "network": f"projects/my-project/global/networks/{name}-network-vpc",
                "labels": labels(f"{name}-storage-shared"),
            },
        ),
    ]


def whole(name: str, mtu: int, *parts: Registered, **cluster: Any) -> Registered:
    """A cluster on Lustre with an API on the internet, as all of these but the special ones are.

    cluster: further inputs of the GKE cluster.
    """
    return by_name(
        services(name, "lustre", "servicenetworking"),
        identity(name),
        images(name),
        main_network(name, mtu),
        way_out(name),
        private_services(name),
        control_plane(name, LUSTRE_DRIVER, clients=OFFICE, **cluster),
        system(name),
        lustre(name),
        *parts,
    )


def by_name(*parts: Registered) -> Registered:
    return sorted((item for part in parts for item in part), key=lambda item: item[1])


MEGA = ("a3-megagpu-8g", ("nvidia-h100-mega-80gb", 8), 16)
HIGH = ("a3-highgpu-8g", ("nvidia-h100-80gb", 8), 16)
ULTRA = ("a3-ultragpu-8g", ("nvidia-h200-141gb", 8), 32)


def training_nodes(name: str, machine: tuple[str, tuple[str, int], int], **more: Any) -> dict[str, Any]:
    return gpu_nodes(name, f"{name}-training-nodes", "training", *machine, **more)


def reserved(reservation: str) -> dict[str, Any]:
    return {
        "reservationAffinity": {
            "consumeReservationType": "SPECIFIC_RESERVATION",
            "key": "compute.googleapis.com/reservation-name",
            "values": [reservation],
        }
    }


# Four nodes for jobs and a spare.
SPARED = {"bestEffortProvisioning": {"enabled": True, "minProvisionNodes": 4}}
FLEX = {"flexStart": True, "reservationAffinity": {"consumeReservationType": "NO_RESERVATION"}}


def test_a3_mega_on_demand(declared: Declare) -> None:
    assert declared("mega-on-demand") == whole(
        "mega",
        8244,
        tcp_networks("mega", *EIGHT),
        placement("mega"),
        gpu_pool(
            "mega",
            "training",
            training_nodes("mega", MEGA),
            nodeCount=5,
            **SPARED,
            maxPodsPerNode=32,
            **own_network_each("mega", 8),
            **compact("mega"),
        ),
    )


def test_a3_high_on_demand(declared: Declare) -> None:
    assert declared("a3-high") == whole(
        "high",
        8244,
        tcp_networks("high", *FOUR),
        placement("high"),
        gpu_pool(
            "high",
            "training",
            training_nodes("high", HIGH),
            nodeCount=5,
            **SPARED,
            maxPodsPerNode=32,
            **own_network_each("high", 4),
            **compact("high"),
        ),
    )


def test_a3_ultra_in_a_block_of_a_reservation(declared: Declare) -> None:
    first = ("0", "0")
    cards = [("roce", str(index)) for index in range(1, 9)]
    assert declared("ultra") == whole(
        "ultra",
        8896,
        tcp_network("ultra", 0, "10.8.0.0/20", 8896),
        roce_networks("ultra"),
        gpu_pool(
            "ultra",
            "training",
            training_nodes(
                "ultra", ULTRA, **reserved("projects/my-project/reservations/ultra/reservationBlocks/block-1")
            ),
            nodeCount=5,
            **SPARED,
            maxPodsPerNode=32,
            **interfaces("ultra", first, *cards),
        ),
    )


def test_a_reservation_made_with_a_policy_gets_that_policy(declared: Declare) -> None:
    assert declared("reservation") == whole(
        "reserved",
        8244,
        tcp_networks("reserved", *EIGHT),
        gpu_pool(
            "reserved",
            "training",
            training_nodes("reserved", MEGA, **reserved("projects/my-project/reservations/h100-mega")),
            nodeCount=5,
            **SPARED,
            maxPodsPerNode=32,
            placementPolicy={"type": "COMPACT", "policyName": "h100-mega-placement"},
            **own_network_each("reserved", 8),
        ),
    )


@pytest.mark.parametrize(("active", "count"), [(False, 0), (True, 5)])
def test_a_calendar_reservation_has_nodes_once_it_is_delivered(declared: Declare, active: bool, count: int) -> None:
    assert declared("calendar", purchase={"kind": "capacity-block", "active": active}) == whole(
        "calendar",
        8244,
        tcp_networks("calendar", *EIGHT),
        gpu_pool(
            "calendar",
            "training",
            training_nodes(
                "calendar",
                MEGA,
                **reserved("projects/my-project/reservations/calendar-mega"),
                # Says what the reservation holds, whether it is delivered or not.
                resourceLabels={**labels("calendar-training-nodes"), "gpucluster-calendar-nodes": "5"},
            ),
            nodeCount=count,
            **(SPARED if active else {}),
            maxPodsPerNode=32,
            **own_network_each("calendar", 8),
        ),
    )


def test_flex_start_nodes_of_a_job_come_at_once_and_are_neither_repaired_nor_placed(declared: Declare) -> None:
    assert declared("flex-start") == whole(
        "flex",
        8244,
        tcp_networks("flex", *EIGHT),
        gpu_pool(
            "flex",
            "training",
            training_nodes("flex", MEGA, maxRunDuration="432000s", **FLEX),
            repair=False,
            autoscaling={"totalMinNodeCount": 0, "totalMaxNodeCount": 4, "locationPolicy": "ANY"},
            queuedProvisioning={"enabled": True},
            maxPodsPerNode=32,
            **own_network_each("flex", 8),
        ),
        samples="45",
    )


def test_jobs_of_several_flex_start_nodes_ask_for_all_of_them_at_once(registered: Registering) -> None:
    from gpucluster.components.gcp.cluster import TrainingCluster

    plan = plan_cluster(read_spec(ROOT / "examples/specs/gcp/flex-start.yaml"), HERE, stack="gcp-trial")
    found = {name: inputs for _, name, inputs in registered(lambda: TrainingCluster(plan.name, plan))}
    assert found["flex-jobs-training-provisioning"]["spec"] == {
        "provisioningClassName": "queued-provisioning.gke.io",
        "managedResources": ["nvidia.com/gpu"],
    }
    checks = found["flex-jobs-training-cluster-queue"]["spec"]["admissionChecksStrategy"]["admissionChecks"]
    assert checks == [{"name": "training", "onFlavors": ["training"]}]
    queued = {"key": "cloud.google.com/gke-queued", "operator": "Exists", "effect": "NoSchedule"}
    assert queued in found["flex-monitoring-gpus-dcgm"]["values"]["tolerations"]
    assert json.dumps(found["flex-jobs-training-runtime"]).count(queued["key"]) >= 1


def test_a_single_flex_start_node_comes_by_itself() -> None:
    spec = yaml.safe_load((ROOT / "examples/specs/gcp/flex-start.yaml").read_text())
    one = {**spec, "training": {**spec["training"], "nodes": 1}, "placement": {"kind": "none"}}
    assert not plan_cluster(ClusterSpec.model_validate(one), HERE, stack="gcp-trial").training.queued


def test_a_mig_pool_has_slices_and_no_gpu_networks(declared: Declare) -> None:
    assert declared("mig") == whole(
        "slices",
        8244,
        tcp_networks("slices", *EIGHT),
        placement("slices"),
        gpu_pool(
            "slices",
            "training",
            training_nodes("slices", MEGA),
            nodeCount=5,
            **SPARED,
            maxPodsPerNode=32,
            **own_network_each("slices", 8),
            **compact("slices"),
        ),
        gpu_pool(
            "slices",
            "mig",
            gpu_nodes("slices", "slices-mig-nodes", "mig", *HIGH, partition="1g.10gb", spot=True),
            nodeCount=2,
        ),
        samples="79",
    )


def test_a_native_elastic_pool_belongs_to_its_class_and_never_to_training(declared: Declare) -> None:
    def elastic_nodes(pool: str, **bought: Any) -> dict[str, Any]:
        return gpu_nodes(
            "native",
            f"native-elastic-{pool}-nodes",
            pool,
            "a3-highgpu-1g",
            ("nvidia-h100-80gb", 1),
            2,
            labels={"cloud.google.com/compute-class": pool},
            taints=[{"key": "cloud.google.com/compute-class", "value": pool, "effect": "NO_SCHEDULE"}],
            **bought,
        )

    assert declared("elastic-native") == whole(
        "native",
        8244,
        tcp_networks("native", *EIGHT),
        placement("native"),
        gpu_pool(
            "native",
            "training",
            training_nodes("native", MEGA),
            nodeCount=5,
            **SPARED,
            maxPodsPerNode=32,
            **own_network_each("native", 8),
            **compact("native"),
        ),
        gpu_pool(
            "native",
            "dev",
            elastic_nodes("dev", maxRunDuration="604800s", **FLEX),
            part="elastic-dev",
            repair=False,
            autoscaling={"totalMinNodeCount": 0, "totalMaxNodeCount": 8, "locationPolicy": "ANY"},
        ),
        gpu_pool(
            "native",
            "fine-tuning",
            elastic_nodes("fine-tuning", spot=True),
            part="elastic-fine-tuning",
            autoscaling={"totalMinNodeCount": 0, "totalMaxNodeCount": 16, "locationPolicy": "ANY"},
        ),
        clusterAutoscaling={
            "enabled": True,
            # Up to 6 x e2-standard-4, 5 x a3-megagpu-8g, and 24 x a3-highgpu-1g in whatever pools.
            "resourceLimits": [
                {"resourceType": "cpu", "minimum": 0, "maximum": 6 * 4 + 5 * 208 + 24 * 26},
                {"resourceType": "memory", "minimum": 0, "maximum": 6 * 16 + 5 * 1872 + 24 * 234},
                {"resourceType": "nvidia-h100-80gb", "minimum": 0, "maximum": 24},
            ],
            "autoProvisioningDefaults": {
                "serviceAccount": f"native{NODES}",
                "oauthScopes": ["https://www.googleapis.com/auth/cloud-platform"],
                "imageType": "COS_CONTAINERD",
                "management": {"autoRepair": True, "autoUpgrade": True},
                "shieldedInstanceConfig": {"enableSecureBoot": True, "enableIntegrityMonitoring": True},
            },
        },
        samples="65",
    )


def test_a_bucket_with_home_folders(declared: Declare) -> None:
    drivers = {"gcsFuseCsiDriverConfig": {"enabled": True}, "gcpFilestoreCsiDriverConfig": {"enabled": True}}
    pods = (
        "principalSet://iam.googleapis.com/projects/123456789/locations/global/workloadIdentityPools/"
        "my-project.svc.id.goog/namespace/training"
    )
    storage: Registered = [
        (
            "gcp:storage/bucket:Bucket",
            "bucket-storage-shared",
            {
                "location": "US-CENTRAL1",
                "uniformBucketLevelAccess": True,
                "publicAccessPrevention": "enforced",
                "hierarchicalNamespace": {"enabled": True},
                "forceDestroy": True,
                "labels": {**labels("bucket-storage-shared"), "gpucluster-expected-gib": "20480"},
            },
        ),
        (
            "gcp:storage/bucketIAMMember:BucketIAMMember",
            "bucket-storage-use",
            {"bucket": "bucket-storage-shared", "role": "roles/storage.objectUser", "member": pods},
        ),
        (
            "gcp:filestore/instance:Instance",
            "bucket-home-files",
            {
                "tier": "ZONAL",
                "location": "us-central1-b",
                "protocol": "NFS_V3",
                "fileShares": {"name": "home", "capacityGb": 1024},
                "networks": [
                    {
                        "network": "bucket-network-vpc",
                        "modes": ["MODE_IPV4"],
                        "connectMode": "PRIVATE_SERVICE_ACCESS",
                        "reservedIpRange": "bucket-network-private-range",
                    }
                ],
                "labels": labels("bucket-home-files"),
            },
        ),
    ]
    assert declared("bucket") == by_name(
        services("bucket", "file", "servicenetworking", "storage"),
        identity("bucket"),
        images("bucket"),
        main_network("bucket", 8244),
        way_out("bucket"),
        private_services("bucket"),
        control_plane("bucket", drivers, clients=OFFICE),
        system("bucket"),
        storage,
        tcp_networks("bucket", *EIGHT),
        placement("bucket"),
        gpu_pool(
            "bucket",
            "training",
            training_nodes("bucket", MEGA),
            nodeCount=5,
            **SPARED,
            maxPodsPerNode=32,
            **own_network_each("bucket", 8),
            **compact("bucket"),
        ),
    )


def test_a_closed_cluster_has_no_way_out_and_no_address_on_the_internet(declared: Declare) -> None:
    access = {
        "kind": "private",
        "via": "vpn",
        "cidrs": ["172.16.0.0/16"],
        "egress": "none",
        "registry": "us-central1-docker.pkg.dev/my-project/mirror",
    }
    found = {name: (typ, inputs) for typ, name, inputs in declared("mega-on-demand", access=access)}
    [cluster] = [
        item
        for item in control_plane("mega", LUSTRE_DRIVER, clients=["172.16.0.0/16"], private=True)
        if item[1].endswith("cluster")
    ]
    assert found["mega-control-plane-cluster"] == (cluster[0], cluster[2])
    assert [name for name, (typ, _) in found.items() if "router" in typ.lower()] == []


def test_by_its_dns_name_the_api_needs_no_address_and_admins_may_connect_to_it(registered: Registering) -> None:
    from gpucluster.components.gcp.cluster import TrainingCluster

    access = {"kind": "private", "via": "dns", "admins": ["user:ada@example.com"]}
    raw = yaml.safe_load((ROOT / "examples/specs/gcp/mega-on-demand.yaml").read_text())
    plan = plan_cluster(ClusterSpec.model_validate({**raw, "access": access}), HERE, stack="gcp-trial")
    assert plan.access.summary == (
        "by its DNS name only, from anywhere with the IAM permission container.clusters.connect; admins: "
        "identities with roles/container.admin in the project, user:ada@example.com; internet by NAT"
    )
    found = {name: inputs for _, name, inputs in registered(lambda: TrainingCluster(plan.name, plan))}
    cluster = found["mega-control-plane-cluster"]
    assert cluster["privateClusterConfig"]["enablePrivateEndpoint"] is True
    assert cluster["controlPlaneEndpointsConfig"] == {"dnsEndpointConfig": {"allowExternalTraffic": True}}
    config = json.loads(found["mega-kubernetes"]["kubeconfig"])
    assert config["clusters"][0]["cluster"] == {"server": "https://gke-abc.us-central1.gke.goog"}
    assert found["mega-admins-connect"]["permissions"] == ["container.clusters.connect"]
    assert found["mega-admins-ada-example-com-connect"]["member"] == "user:ada@example.com"


def test_admins_find_the_cluster_by_iam_and_no_other(declared: Declare) -> None:
    access = {"kind": "public", "cidrs": OFFICE, "admins": ["user:ada@example.com"]}
    found = [item for item in declared("mega-on-demand", access=access) if item[1].startswith("mega-admins")]
    assert found == [
        (
            "gcp:projects/iAMMember:IAMMember",
            "mega-admins-ada-example-com",
            {"project": "my-project", "role": "roles/container.clusterViewer", "member": "user:ada@example.com"},
        )
    ]


@pytest.mark.parametrize(("project", "grants"), [("my-project", 0), ("images-of-all", 1)])
def test_nodes_are_let_into_an_existing_repository_of_another_project(
    declared: Declare, project: str, grants: int
) -> None:
    path = f"europe-west4-docker.pkg.dev/{project}/training"
    seen = declared("mega-on-demand", registry={"kind": "existing", "id": path})
    grant = (
        "gcp:artifactregistry/repositoryIamMember:RepositoryIamMember",
        "mega-registry-pull",
        {
            "project": project,
            "location": "europe-west4",
            "repository": "training",
            "role": "roles/artifactregistry.reader",
            "member": f"serviceAccount:mega{NODES}",
        },
    )
    assert [item for item in seen if item[1].startswith("mega-registry")] == [grant] * grants


@pytest.mark.parametrize(("nodes", "most"), [(4, 6), (128, 8), (400, 16)])
def test_the_system_pool_grows_with_the_gpu_nodes(nodes: int, most: int) -> None:
    spec = yaml.safe_load((ROOT / "examples/specs/gcp/mega-on-demand.yaml").read_text())
    planned = ClusterSpec.model_validate({**spec, "training": {**spec["training"], "nodes": nodes}})
    system = plan_cluster(planned, HERE, stack="gcp-trial").system
    assert (system.nodes, system.most) == (3, most)


def test_what_is_left_of_kube_dns_counts_nodes_and_not_the_vcpus_of_gpu_nodes(registered: Registering) -> None:
    from gpucluster.components.gcp.cluster import TrainingCluster

    plan = plan_cluster(read_spec(ROOT / "stacks/specs/trial.yaml"), HERE, stack="gcp-trial")
    found = registered(lambda: TrainingCluster(plan.name, plan))
    [patch] = [inputs for type_, _, inputs in found if type_ == "kubernetes:core/v1:ConfigMapPatch"]
    assert patch["metadata"] == {
        "name": "kube-dns-autoscaler",
        "namespace": "kube-system",
        "annotations": {"pulumi.com/patchForce": "true"},
    }
    assert json.loads(patch["data"]["linear"]) == {
        "nodesPerReplica": 16,
        "preventSinglePointFailure": True,
        "includeUnschedulableNodes": True,
    }


def test_charts_install_karpenter_what_runs_jobs_and_what_tells_of_gpus_and_no_driver(registered: Registering) -> None:
    from gpucluster.components.gcp.cluster import TrainingCluster

    plan = plan_cluster(read_spec(ROOT / "stacks/specs/trial.yaml"), HERE, stack="gcp-trial")
    found = registered(lambda: TrainingCluster(plan.name, plan))
    charts = [inputs["chart"] for type_, _, inputs in found if type_ == "kubernetes:helm.sh/v3:Release"]
    assert sorted(chart.rsplit("/", 1)[-1] for chart in charts) == [
        "dcgm-exporter",
        "jobset",
        "karpenter",
        "karpenter-crd",
        "kubeflow-trainer",
        "kueue",
    ]


def test_the_kubeconfig_holds_no_credential() -> None:
    from gpucluster.components.gcp.kubeconfig import kubeconfig

    assert json.loads(kubeconfig("trial", "192.0.2.1", "Y2VydA==")) == {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "trial",
        "clusters": [
            {
                "name": "trial",
                "cluster": {"server": "https://192.0.2.1", "certificate-authority-data": "Y2VydA=="},
            }
        ],
        "contexts": [{"name": "trial", "context": {"cluster": "trial", "user": "trial"}}],
        "users": [
            {
                "name": "trial",
                "user": {
                    "exec": {
                        "apiVersion": "client.authentication.k8s.io/v1beta1",
                        "command": "gke-gcloud-auth-plugin",
                        "provideClusterInfo": True,
                        "interactiveMode": "Never",
                    }
                },
            }
        ],
    }


def test_versions_that_the_spec_names_reach_control_plane_and_nodes(declared: Declare) -> None:
    newer, older = "1.36.3-gke.1640000", "1.35.2-gke.1842000"
    chosen = {"kubernetes": "1.36", "system": newer, "nodes": older, "support": "extended"}
    found = {name: inputs for _, name, inputs in declared("trial", versions=chosen)}
    plane = found["trial-control-plane-cluster"]
    assert (plane["minMasterVersion"], plane["releaseChannel"]) == ("1.36", {"channel": "EXTENDED"})
    assert (found["trial-system-nodes"]["version"], found["trial-training-nodes"]["version"]) == (newer, older)
