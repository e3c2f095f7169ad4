"""What a spec names of a company's own: said in the plan, refused where it can't be, the same words on each cloud."""

from __future__ import annotations

from typing import Any, Final

import pytest

from gpucluster.components.cluster.cloud import CLOUDS, cloud_of
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.errors import InvalidSpec
from tests.components.told import refused

SUBSCRIPTION: Final = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/office/providers"
VNET: Final = f"{SUBSCRIPTION}/Microsoft.Network/virtualNetworks/office"
NETWORKS: Final[dict[str, dict[str, Any]]] = {
    "aws": {
        "id": "vpc-0123456789abcdef0",
        "cidr": "10.20.0.0/16",
        "nodes": "subnet-0123456789abcdef0",
        "others": ["subnet-0123456789abcdef1", "subnet-0123456789abcdef2"],
    },
    "gcp": {
        "id": "projects/my-project/global/networks/office",
        "cidr": "10.20.0.0/20",
        "nodes": "projects/my-project/regions/us-central1/subnetworks/office",
        "storage": "10.30.0.0/20",
        "pods": "office-pods",
        "services": "office-services",
    },
    "azure": {
        "id": VNET,
        "cidr": "10.20.0.0/16",
        "nodes": f"{VNET}/subnets/nodes",
        "storage": f"{VNET}/subnets/storage",
    },
}
FILES: Final = {
    "aws": {"id": "fs-0123456789abcdef0", "mount": "fs-0123456789abcdef0.fsx.us-east-1.amazonaws.com@tcp:/abcdefgh"},
    "gcp": {"id": "projects/my-project/locations/us-central1-b/instances/office", "mount": "10.30.0.4@tcp:/shared"},
    "azure": {
        "id": f"{SUBSCRIPTION}/Microsoft.StorageCache/amlFilesystems/office",
        "mount": "10.20.64.4@tcp:/lustrefs",
    },
}


def _problems(cloud: str, spec: ClusterSpec) -> list[str]:
    known = cloud_of(cloud)
    location, wrong = known.locate(known.keys)
    assert wrong == []
    return refused(cloud, spec, location)


def _notes(cloud: str, spec: ClusterSpec) -> list[str]:
    known = cloud_of(cloud)
    location, _ = known.locate(known.keys)
    return list(known.plan_cluster(spec, location, "dev", None, None).facts.registered()["notes"])


def _spec(trial: dict[str, Any], **changes: Any) -> ClusterSpec:
    return ClusterSpec.model_validate({**trial, **changes})


@pytest.mark.parametrize("storage", ["999.1.1.1/99", "10.30.0.0", "10.30.0.1/20"])
def test_a_range_of_private_services_access_that_is_none_is_refused(trial: dict[str, Any], storage: str) -> None:
    spec = _spec(trial, network={"existing": {**NETWORKS["gcp"], "storage": storage}})
    assert _problems("gcp", spec) == [f"network.existing.storage is {storage!r}; write a range such as 10.30.0.0/20"]


@pytest.mark.parametrize("cloud", CLOUDS)
def test_a_plan_says_what_a_network_of_the_users_has_to_have(trial: dict[str, Any], cloud: str) -> None:
    spec = _spec(trial, network={"existing": NETWORKS[cloud]})
    assert _problems(cloud, spec) == []
    said = [note for note in _notes(cloud, spec) if note.startswith("network:")]
    found = {
        "aws": [
            "network: vpc-0123456789abcdef0 is your network: the cluster adds security groups and interfaces, and "
            "destroy removes only these",
            "network: subnet-0123456789abcdef0 must be private, in us-east-1a, with 85 free addresses for 5 GPU "
            "nodes; subnet-0123456789abcdef1 private in us-east-1a, subnet-0123456789abcdef2 in us-east-1b",
            "network: vpc-0123456789abcdef0 must have DNS resolution and DNS hostnames enabled, the addresses of "
            "10.20.0.0/16, a gateway endpoint for S3 (without it, S3 traffic is billed by the NAT gateway), and a "
            "route to the internet, such as a NAT gateway: nodes cannot use a proxy",
        ],
        "gcp": [
            "network: projects/my-project/global/networks/office is your network: the cluster adds firewall rules, "
            "and destroy removes only these; it must have an MTU of 8,244, as the GPU networks, which the cluster "
            "creates",
            "network: projects/my-project/regions/us-central1/subnetworks/office must have addresses of 10.20.0.0/20, "
            "Private Google Access, the secondary ranges office-pods and office-services, and Cloud NAT or your "
            "proxy, and private services access (servicenetworking.googleapis.com) with 10.30.0.0/20",
        ],
        "azure": [
            f"network: {VNET} is your network: the cluster's identity becomes Network Contributor on it; destroy "
            "removes this role only",
            f"network: {VNET}/subnets/nodes must have addresses of 10.20.0.0/16 for 16 nodes, a NAT gateway, and the "
            "service endpoint Microsoft.Storage, without which what jobs read from Blob passes the NAT gateway, too",
            "network: access.cidrs must contain the address of that NAT gateway, or no node reaches the API",
            f"network: {VNET}/subnets/storage must be /24 or wider, unused except by Azure Managed Lustre, with ports "
            "988 and 1019 to 1023 open to the nodes, and 443 to AzureCloud",
        ],
    }[cloud]
    assert sorted(found) == sorted(said)


@pytest.mark.parametrize("cloud", CLOUDS)
def test_ids_of_another_cloud_are_refused_by_name(trial: dict[str, Any], cloud: str) -> None:
    other = {"aws": "gcp", "gcp": "azure", "azure": "aws"}[cloud]
    shared = {"usable_tib": 2, "existing": FILES[other]}
    network = {"existing": {**NETWORKS[other], "egress": "routes"}}
    spec = _spec(trial, network=network, storage={"shared": shared}, secrets_key="mine")
    fields = {text.partition(" ")[0] for text in _problems(cloud, spec)}
    assert {"storage.shared.existing.id", "secrets_key", "network.existing.id", "network.existing.nodes"} <= fields
    assert ("network.existing.egress" in fields) == (cloud != "azure")


def test_a_network_elsewhere_is_refused(trial: dict[str, Any]) -> None:
    shared_vpc = {**NETWORKS["gcp"], "id": "projects/host-project/global/networks/office"}
    far = {**NETWORKS["gcp"], "nodes": "projects/my-project/regions/europe-west4/subnetworks/office"}
    assert _problems("gcp", _spec(trial, network={"existing": shared_vpc})) == [
        "project is 'my-project', but network.existing.id of the spec is in host-project: a Shared VPC is not "
        "supported; write a network of this project"
    ]
    assert _problems("gcp", _spec(trial, network={"existing": far})) == [
        "region is 'us-central1', but network.existing.nodes of the spec is in europe-west4; use one"
    ]
    key = "arn:aws:kms:us-west-2:123456789012:key/01234567-89ab-cdef-0123-456789abcdef"
    assert _problems("aws", _spec(trial, secrets_key=key)) == [
        "region is 'us-east-1', but secrets_key of the spec is in us-west-2; use one"
    ]


@pytest.mark.parametrize("cloud", CLOUDS)
def test_ranges_of_choice_that_overlap_are_refused(trial: dict[str, Any], cloud: str) -> None:
    apart = {"network": "10.20.0.0/16", "pods": "10.64.0.0/14", "services": "10.21.0.0/20", "fabric": "10.22.0.0/16"}
    assert _problems(cloud, _spec(trial, network={"ranges": apart})) == []
    over = _problems(cloud, _spec(trial, network={"ranges": {**apart, "services": "10.20.0.0/20"}}))
    assert [text.endswith("which overlap; write others") for text in over] == [True]


@pytest.mark.parametrize("cloud", CLOUDS)
def test_peers_that_overlap_ranges_of_choice_are_refused(trial: dict[str, Any], cloud: str) -> None:
    access = {"kind": "private", "via": "vpn", "cidrs": ["10.21.0.0/16"]}
    found = _problems(cloud, _spec(trial, access=access, network={"ranges": {"services": "10.21.0.0/20"}}))
    assert found == [
        "access.cidrs has 10.21.0.0/16, which overlaps the cluster's services (10.21.0.0/20): traffic cannot be "
        "routed to both; write ranges outside of it"
    ]


def test_a_small_network_holds_fewer_nodes(trial: dict[str, Any]) -> None:
    spec = _spec(trial, training={"nodes": 200}, network={"ranges": {"network": "10.20.0.0/20"}})
    assert _problems("aws", spec) == [
        "training.nodes and training.spares make 200 nodes; the GPU subnet has addresses for at most 120: request fewer"
    ]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"network": {"ranges": {"network": "10.20.0.0/16"}, "existing": NETWORKS["aws"]}},
            "has both existing and ranges.network, which is for a new network",
        ),
        ({"network": {"ranges": {"network": "10.20.0.0/24"}}}, "is not between /16 and /20"),
        ({"network": {"ranges": {"pods": "8.0.0.0/14"}}}, "is not private"),
        ({"network": {"ranges": {"pods": "10.0.0.1/14"}}}, "is not an IPv4 range"),
        (
            {"storage": {"shared": {"usable_tib": 2, "gb_per_s": 3, "existing": FILES["aws"]}}},
            "has both existing and gb_per_s, which are for a new file system; remove them",
        ),
    ],
)
def test_what_contradicts_itself_is_refused_by_the_spec(
    trial: dict[str, Any], changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(InvalidSpec, match=said):
        _spec(trial, **changes)


@pytest.mark.parametrize("cloud", CLOUDS)
def test_files_of_the_users_are_mounted_and_promise_nothing(trial: dict[str, Any], cloud: str) -> None:
    spec = _spec(trial, storage={"shared": {"usable_tib": 2, "existing": FILES[cloud]}})
    known = cloud_of(cloud)
    location, _ = known.locate(known.keys)
    assert _problems(cloud, spec) == []
    plan = known.plan_cluster(spec, location, "dev", None, None)
    facts = plan.facts.registered()
    assert dict(known.parts(plan))["storage"] == f"yours, {FILES[cloud]['id']}, for 2,048 GiB of data"
    assert (facts["equivalence"]["storageGib"], "storageGbPerS" in facts["equivalence"]) == (2048, False)
    assert "storageAsked" not in facts


def test_a_peer_is_azures_alone_and_no_network_of_the_users(trial: dict[str, Any]) -> None:
    access = {"kind": "private", "via": "vpn", "cidrs": ["10.50.0.0/16"], "peer": VNET}
    only = "access.peer is set, but is supported on Azure only; remove it, and peer the network after the first step "
    for cloud in ("aws", "gcp"):
        assert _problems(cloud, _spec(trial, access=access)) == [f"{only}of `up` (docs/run/access.md)"]
    assert _problems("azure", _spec(trial, access=access)) == []
    assert _problems("azure", _spec(trial, access=access, network={"existing": NETWORKS["azure"]})) == [
        "access.peer is set together with network.existing; remove it, and peer your network yourself"
    ]
