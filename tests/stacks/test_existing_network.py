"""A network, and a file system, that a program of the user's own brings: a cluster is built in it, and leaves it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

pytestmark = [pytest.mark.engine, pytest.mark.slow]

_AWS: Final = """
import pulumi
import pulumi_aws as aws

vpc = aws.ec2.Vpc("office", cidr_block="10.20.0.0/16", enable_dns_hostnames=True)
subnets = [
    aws.ec2.Subnet(f"office-{at}", vpc_id=vpc.id, cidr_block=f"10.20.{64 * at}.0/18", availability_zone=zone)
    for at, zone in enumerate(("us-east-1a", "us-east-1a", "us-east-1b"))
]
files = aws.fsx.LustreFileSystem(
    "office-files",
    deployment_type="PERSISTENT_2",
    storage_type="SSD",
    storage_capacity=2400,
    per_unit_storage_throughput=125,
    subnet_ids=subnets[0].id,
)
key = aws.kms.Key("office-key")
pulumi.export("network", {"id": vpc.id, "nodes": subnets[0].id, "others": [subnets[1].id, subnets[2].id]})
pulumi.export("files", {"id": files.id, "mount": pulumi.Output.concat(files.dns_name, "@tcp:/", files.mount_name)})
pulumi.export("key", key.arn)
"""
_GCP: Final = """
import pulumi
import pulumi_gcp as gcp

Range = gcp.compute.SubnetworkSecondaryIpRangeArgs
vpc = gcp.compute.Network("office", auto_create_subnetworks=False, mtu=8244)
subnet = gcp.compute.Subnetwork(
    "office-nodes",
    network=vpc.id,
    region="us-central1",
    ip_cidr_range="10.20.0.0/20",
    private_ip_google_access=True,
    secondary_ip_ranges=[
        Range(range_name="office-pods", ip_cidr_range="10.32.0.0/14"),
        Range(range_name="office-services", ip_cidr_range="10.21.0.0/20"),
    ],
)
services = gcp.compute.GlobalAddress(
    "office-range",
    purpose="VPC_PEERING",
    address_type="INTERNAL",
    address="10.30.0.0",
    prefix_length=20,
    network=vpc.id,
)
connection = gcp.servicenetworking.Connection(
    "office-services",
    network=vpc.id,
    service="servicenetworking.googleapis.com",
    reserved_peering_ranges=[services.name],
)
ring = gcp.kms.KeyRing("office-ring", location="us-central1")
key = gcp.kms.CryptoKey("office-key", key_ring=ring.id)
names = {"pods": "office-pods", "services": "office-services", "storage": "10.30.0.0/20"}
pulumi.export("network", {"id": vpc.id, "nodes": subnet.id, **names})
pulumi.export("key", key.id)
"""
_AZURE: Final = """
import pulumi
from pulumi_azure_native import network, resources

group = resources.ResourceGroup("office", location="eastus")
vnet = network.VirtualNetwork(
    "office-vnet",
    resource_group_name=group.name,
    location="eastus",
    address_space=network.AddressSpaceArgs(address_prefixes=["10.20.0.0/16"]),
    opts=pulumi.ResourceOptions(ignore_changes=["subnets"]),
)
firewall = network.RouteArgs(
    name="out", address_prefix="0.0.0.0/0", next_hop_type="VirtualAppliance", next_hop_ip_address="10.50.0.4"
)
routes = network.RouteTable("office-routes", resource_group_name=group.name, location="eastus", routes=[firewall])
subnets = []
for at, name in enumerate(("nodes", "storage")):
    subnets.append(
        network.Subnet(
            f"office-{name}",
            resource_group_name=group.name,
            virtual_network_name=vnet.name,
            address_prefix=f"10.20.{64 * at}.0/20",
            route_table=network.RouteTableArgs(id=routes.id),
            opts=pulumi.ResourceOptions(depends_on=subnets),
        )
    )
pulumi.export("network", {"id": vnet.id, "nodes": subnets[0].id, "storage": subnets[1].id, "egress": "routes"})
"""


@dataclass(frozen=True)
class Case:
    """theirs: the program that brings the network. config: of its stack. made: types of which the cluster makes
    none.
    """

    theirs: str
    config: Mapping[str, str]
    cidr: str
    made: frozenset[str]


CASES: Final = {
    "aws": Case(
        theirs=_AWS,
        config={"aws:region": "us-east-1"},
        cidr="10.20.0.0/16",
        made=frozenset(
            {
                "aws:ec2/vpc:Vpc",
                "aws:ec2/subnet:Subnet",
                "aws:ec2/natGateway:NatGateway",
                "aws:ec2/vpcEndpoint:VpcEndpoint",
                "aws:fsx/lustreFileSystem:LustreFileSystem",
                "aws:kms/key:Key",
            }
        ),
    ),
    "gcp": Case(
        theirs=_GCP,
        config={"gcp:project": "my-project"},
        cidr="10.20.0.0/20",
        made=frozenset(
            {
                "gcp:compute/router:Router",
                "gcp:compute/globalAddress:GlobalAddress",
                "gcp:servicenetworking/connection:Connection",
                "gcp:kms/keyRing:KeyRing",
                "gcp:kms/cryptoKey:CryptoKey",
            }
        ),
    ),
    "azure": Case(
        theirs=_AZURE,
        config={"azure-native:subscriptionId": "00000000-0000-0000-0000-000000000000"},
        cidr="10.20.0.0/16",
        made=frozenset(
            {
                "azure-native:network:VirtualNetwork",
                "azure-native:network:Subnet",
                "azure-native:network:NatGateway",
                "azure-native:network:PublicIPAddress",
            }
        ),
    ),
}


STAYS: Final = ("gcp:kms/keyRing:KeyRing", "gcp:kms/cryptoKeyIAMMember:CryptoKeyIAMMember")
"""Key rings can't be deleted; the user's key keeps GKE's permission."""


@pytest.mark.usefixtures("full_output")
@pytest.mark.parametrize("cloud", CASES)
def test_a_cluster_is_built_in_a_network_of_the_users_and_leaves_it(project: Any, cloud: str) -> None:
    case, program = CASES[cloud], project.path / "stacks/__main__.py"
    ours = program.read_text()
    program.write_text(case.theirs)
    (project.path / "stacks/Pulumi.office.yaml").write_text(yaml.safe_dump({"config": dict(case.config)}))
    brought = project.pulumi("up", "--yes", "--skip-preview", stack="office")
    assert brought.code == 0, brought.text
    theirs = json.loads(project.pulumi("stack", "output", "--json", stack="office").out)
    before = project.ledger()

    program.write_text(ours)
    _name_what_stands(project.path / "stacks/specs/trial.yaml", theirs, case.cidr)
    stack = f"{cloud}-trial"
    done = project.pulumi("up", "--yes", "--skip-preview", stack=stack)
    assert done.code == 0, done.text
    assert "is your network" in done.out
    there = {item["id"] for item in before}
    added = {item["type"] for item in project.ledger() if item["id"] not in there}
    assert added & case.made == set()
    again = project.pulumi("preview", "--expect-no-changes", stack=stack)
    assert again.code == 0, again.text

    gone = project.pulumi("destroy", "--yes", "--skip-preview", stack=stack)
    assert gone.code == 0, gone.text
    assert [item["id"] for item in project.ledger() if item["type"] not in STAYS] == [
        item["id"] for item in before if item["type"] not in STAYS
    ]


def _name_what_stands(file: Path, theirs: Mapping[str, Any], cidr: str) -> None:
    spec = yaml.safe_load(file.read_text())
    spec["network"] = {"existing": {**theirs["network"], "cidr": cidr}}
    if "files" in theirs:
        spec["storage"] = {"shared": {"usable_tib": 2, "existing": theirs["files"]}}
    if "key" in theirs:
        spec["secrets_key"] = theirs["key"]
    file.write_text(yaml.safe_dump(spec))


_HUB: Final = """
import pulumi
from pulumi_azure_native import network, resources

group = resources.ResourceGroup("hub", location="eastus")
vnet = network.VirtualNetwork(
    "hub-vnet",
    resource_group_name=group.name,
    location="eastus",
    address_space=network.AddressSpaceArgs(address_prefixes=["10.50.0.0/16"]),
    opts=pulumi.ResourceOptions(ignore_changes=["subnets", "virtualNetworkPeerings"]),
)
subnet = network.Subnet(
    "hub-gateways",
    resource_group_name=group.name,
    virtual_network_name=vnet.name,
    subnet_name="GatewaySubnet",
    address_prefix="10.50.0.0/24",
)
network.VirtualNetworkGateway(
    "hub-vpn",
    resource_group_name=group.name,
    location="eastus",
    gateway_type="Vpn",
    ip_configurations=[
        network.VirtualNetworkGatewayIPConfigurationArgs(name="one", subnet=network.SubResourceArgs(id=subnet.id))
    ],
)
pulumi.export("id", vnet.id)
"""


def test_a_private_cluster_is_peered_with_the_users_network_before_anything_inside_is_made(project: Any) -> None:
    program = project.path / "stacks/__main__.py"
    ours = program.read_text()
    program.write_text(_HUB)
    config = {"config": {"azure-native:subscriptionId": "00000000-0000-0000-0000-00000000000c"}}
    (project.path / "stacks/Pulumi.office.yaml").write_text(yaml.safe_dump(config))
    brought = project.pulumi("up", "--yes", "--skip-preview", stack="office")
    assert brought.code == 0, brought.text
    hub = json.loads(project.pulumi("stack", "output", "--json", stack="office").out)["id"]
    before = [item["id"] for item in project.ledger()]

    program.write_text(ours)
    file = project.path / "stacks/specs/trial.yaml"
    spec = yaml.safe_load(file.read_text())
    spec["access"] = {"kind": "private", "via": "vpn", "cidrs": ["10.50.0.0/16"], "peer": hub, "peer_gateway": True}
    spec["network"] = {"ranges": {"network": "10.20.0.0/18", "pods": "10.64.0.0/14", "services": "10.21.0.0/20"}}
    file.write_text(yaml.safe_dump(spec))
    done = project.pulumi("up", "--yes", "--skip-preview", "--policy-pack", "policies", stack="azure-trial")
    assert done.code == 0, done.text
    exported = json.loads(project.pulumi("stack", "export", stack="azure-trial").out)["deployment"]["resources"]
    made = {item["urn"].rpartition("::")[2]: item for item in exported}
    network = made["trial-network-vnet"]
    assert made["trial-network-peer-there"]["inputs"]["remoteVirtualNetwork"]["id"] == hub
    assert made["trial-network-peer-back"]["inputs"]["remoteVirtualNetwork"]["id"] == network["id"]
    assert made["trial-network-peer-there"]["outputs"]["peeringState"] == "Connected"
    assert "00000000000c" in made["trial-network-peer-subscription"]["inputs"]["subscriptionId"]
    assert network["inputs"]["addressSpace"]["addressPrefixes"] == ["10.20.0.0/18"]
    again = project.pulumi("preview", "--expect-no-changes", stack="azure-trial")
    assert again.code == 0, again.text

    gone = project.pulumi("destroy", "--yes", "--skip-preview", stack="azure-trial")
    assert gone.code == 0, gone.text
    assert [item["id"] for item in project.ledger()] == before
