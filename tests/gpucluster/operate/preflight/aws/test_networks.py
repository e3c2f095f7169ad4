"""The user's network, on moto's server: subnets, routes, DNS, endpoints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import boto3
import pytest

from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.aws.caller import Caller
from gpucluster.operate.preflight.answers import Answer
from gpucluster.operate.preflight.aws.networks import network_asker
from tests.gpucluster.operate.preflight.aws.asked import question, said

RANGE = "10.20.0.0/16"


@dataclass(frozen=True, kw_only=True)
class Mine:
    """A network with a private subnet, whose routes are in `table`."""

    caller: Caller
    ec2: Any
    vpc: str
    subnet: str
    table: str

    def ask(self, *questions: Question) -> list[Answer]:
        return list(network_asker(self.caller)(questions))

    def network(self, out: str = "nat", cidr: str = RANGE, services: str = "") -> Answer:
        details = {"subnet": self.subnet, "out": out, "services": services}
        return self.ask(question("network", self.vpc, cidr, details=details))[0]

    def of_subnet(self, needed: int | str = "private", zone: str = "us-east-1a", vpc: str | None = None) -> Answer:
        return self.ask(question("subnet", self.subnet, needed, place=zone, details={"network": vpc or self.vpc}))[0]

    def route(self, target: str, id_: str, to: str = "0.0.0.0/0") -> None:
        self.ec2.create_route(RouteTableId=self.table, DestinationCidrBlock=to, **{target: id_})

    def endpoint(self, service: str, kind: str) -> None:
        tables = {"RouteTableIds": [self.table]} if kind == "Gateway" else {"PrivateDnsEnabled": True}
        name = f"com.amazonaws.us-east-1.{service}"
        self.ec2.create_vpc_endpoint(VpcId=self.vpc, ServiceName=name, VpcEndpointType=kind, **tables)

    def complete(self) -> None:
        """With DNS, a NAT gateway and an endpoint of S3."""
        self.ec2.modify_vpc_attribute(VpcId=self.vpc, EnableDnsHostnames={"Value": True})
        self.endpoint("s3", "Gateway")
        gateway = self.ec2.create_nat_gateway(SubnetId=self.subnet, ConnectivityType="private")
        self.route("NatGatewayId", gateway["NatGateway"]["NatGatewayId"])


@pytest.fixture
def mine(moto: Caller) -> Iterator[Mine]:
    ec2: Any = boto3.client("ec2", "us-east-1")
    vpc = ec2.create_vpc(CidrBlock=RANGE)["Vpc"]["VpcId"]
    made = ec2.create_subnet(VpcId=vpc, CidrBlock="10.20.0.0/24", AvailabilityZone="us-east-1a")
    subnet = made["Subnet"]["SubnetId"]
    table = ec2.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"]
    ec2.associate_route_table(RouteTableId=table, SubnetId=subnet)
    yield Mine(caller=moto, ec2=ec2, vpc=vpc, subnet=subnet, table=table)
    ec2.delete_subnet(SubnetId=subnet)  # the network stays: others count the quota by the names of theirs


def test_a_network_that_has_everything_is_fine(mine: Mine) -> None:
    mine.complete()
    assert said(mine.network(services="172.20.0.0/16")) == ("fine", f"{RANGE}, DNS, S3 endpoint, way out")


def test_a_bare_network_names_all_that_it_lacks(mine: Mine) -> None:
    answer = mine.network()
    assert said(answer) == (
        "stops up",
        f"{RANGE}; no DNS hostnames; no gateway endpoint for S3; no way out of {mine.subnet}",
    )
    assert f"aws ec2 modify-vpc-attribute --vpc-id {mine.vpc} --enable-dns-hostnames" in answer.fix


def test_a_missing_endpoint_of_s3_only_costs_where_there_is_another_way(mine: Mine) -> None:
    mine.complete()
    [endpoint] = mine.ec2.describe_vpc_endpoints(Filters=[{"Name": "vpc-id", "Values": [mine.vpc]}])["VpcEndpoints"]
    mine.ec2.delete_vpc_endpoints(VpcEndpointIds=[endpoint["VpcEndpointId"]])
    assert said(mine.network()) == ("warns", f"{RANGE}; no gateway endpoint for S3")


def test_without_a_way_out_every_service_needs_an_endpoint(mine: Mine) -> None:
    mine.complete()
    mine.endpoint("ec2", "Interface")
    assert said(mine.network("ec2")) == ("fine", f"{RANGE}, DNS, S3 endpoint, way out")
    assert said(mine.network("ec2 sts")) == ("stops up", f"{RANGE}; no endpoint for sts")


@pytest.mark.parametrize(
    ("cidr", "services", "found"),
    [
        ("10.21.0.0/16", "", "10.21.0.0/16 is not in it"),
        (RANGE, "10.20.128.0/20", f"10.20.128.0/20 overlaps the network's {RANGE}"),
    ],
)
def test_ranges_have_to_fit(cidr: str, services: str, found: str, mine: Mine) -> None:
    mine.complete()
    assert said(mine.network(cidr=cidr, services=services)) == ("stops up", f"{RANGE}; {found}")


def test_services_may_not_have_addresses_behind_a_peering(mine: Mine) -> None:
    mine.complete()
    other = mine.ec2.create_vpc(CidrBlock="172.20.0.0/16")["Vpc"]["VpcId"]
    made = mine.ec2.create_vpc_peering_connection(VpcId=mine.vpc, PeerVpcId=other)
    mine.route("VpcPeeringConnectionId", made["VpcPeeringConnection"]["VpcPeeringConnectionId"], "172.20.0.0/16")
    found = said(mine.network(services="172.20.64.0/20"))
    mine.ec2.delete_vpc(VpcId=other)
    assert found == ("stops up", f"{RANGE}; 172.20.64.0/20 overlaps the route to 172.20.0.0/16")


def test_a_private_subnet_with_room_is_fine(mine: Mine) -> None:
    assert said(mine.of_subnet(85)) == ("fine", "in us-east-1a, 251 free addresses, private")


def test_a_subnet_that_does_not_fit_stops(mine: Mine) -> None:
    assert said(mine.of_subnet(272)) == ("stops up", "in us-east-1a, 251 free addresses, private")
    assert said(mine.of_subnet(zone="us-east-1b")) == ("stops up", "in us-east-1a, 251 free addresses")
    assert said(mine.of_subnet(vpc="vpc-other")) == ("stops up", f"in {mine.vpc}, not in vpc-other")
    gateway = mine.ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    mine.ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=mine.vpc)
    mine.route("GatewayId", gateway)
    assert said(mine.of_subnet(85)) == ("stops up", "in us-east-1a, 251 free addresses, public")
    assert said(mine.network())[1].endswith(f"no way out of {mine.subnet}")


def test_what_the_account_lacks_stops(mine: Mine) -> None:
    details = {"network": "vpc-00000000", "subnet": "subnet-00000000", "out": "nat", "services": ""}
    found = mine.ask(
        question("subnet", "subnet-00000000", details=details), question("network", "vpc-00000000", details=details)
    )
    assert [said(answer) for answer in found] == [("stops up", "not in this account and region")] * 2


def test_a_network_is_described_once_for_all_its_subnets(mine: Mine, calls: list[str]) -> None:
    details = {"network": mine.vpc, "subnet": mine.subnet, "out": "nat", "services": ""}
    mine.ask(
        *[question("subnet", mine.subnet, details=details)] * 3, question("network", mine.vpc, RANGE, details=details)
    )
    assert (calls.count("DescribeSubnets"), calls.count("DescribeRouteTables")) == (1, 1)
