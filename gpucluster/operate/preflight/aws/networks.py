"""The user's network: its subnets, routes, DNS and endpoints, and ranges that overlap.

Sources: Amazon EKS user guide, network-reqs and private-clusters; Amazon VPC user guide, "Route tables".
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.components.aws.location import is_zone_id
from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.aws.caller import Caller
from gpucluster.operate.preflight.answers import Answer, Asker, Verdict, fine, refused
from gpucluster.operate.preflight.aws.requests import one_by_one

_ANYWHERE: Final = "0.0.0.0/0"
_TARGETS: Final = ("NatGatewayId", "TransitGatewayId", "NetworkInterfaceId", "VpcPeeringConnectionId", "InstanceId")


@dataclass(frozen=True, kw_only=True)
class _Network:
    """As EC2 describes it. tables: its route tables. endpoints: in it."""

    vpc: Any
    tables: Sequence[Any]
    endpoints: Sequence[Any]

    def table(self, subnet: str) -> Any:
        """The route table of a subnet: its own, else the main one."""
        links = [(link, table) for table in self.tables for link in table.get("Associations", [])]
        own = (table for link, table in links if link.get("SubnetId") == subnet)
        main = (table for link, table in links if link.get("Main"))
        none: Any = {"Routes": []}
        return next(own, None) or next(main, none)

    def out(self, subnet: str) -> Any:
        """Its route to the internet; None without one that works."""
        return next(
            (
                route
                for route in self.table(subnet)["Routes"]
                if route.get("DestinationCidrBlock") == _ANYWHERE and route.get("State") == "active"
            ),
            None,
        )

    def ranges(self) -> Iterator[tuple[str, ipaddress.IPv4Network]]:
        """(whose, range) of all addresses that it reaches, except the internet."""
        for block in self.vpc.get("CidrBlockAssociationSet", []):
            yield f"the network's {block['CidrBlock']}", ipaddress.IPv4Network(block["CidrBlock"])
        for table in self.tables:
            for route in table["Routes"]:
                to = route.get("DestinationCidrBlock")
                if to and to != _ANYWHERE and route.get("GatewayId") != "local":
                    yield f"the route to {to}", ipaddress.IPv4Network(to)


def network_asker(caller: Caller) -> Asker:
    """Answers the questions about subnets and about their network; each network is described once."""

    def ask(questions: Sequence[Question]) -> Sequence[Answer]:
        ids = {one.subject if one.about == "network" else one.details["network"] for one in questions}
        networks = {id_: found for id_ in ids if (found := _described(caller, id_))}
        wanted = [one.subject for one in questions if one.about == "subnet"]
        filters = [{"Name": "subnet-id", "Values": wanted}]
        subnets = {
            one["SubnetId"]: one
            for one in (caller.pages("ec2", "describe_subnets", "Subnets", Filters=filters) if wanted else ())
        }

        def one(question: Question) -> Answer:
            if question.about == "subnet":
                return _subnet(question, subnets.get(question.subject), networks)
            return _network(caller, question, networks.get(question.subject))

        return one_by_one(one)(questions)

    return ask


def _described(caller: Caller, id_: str) -> _Network | None:
    filters = [{"Name": "vpc-id", "Values": [id_]}]
    found = list(caller.pages("ec2", "describe_vpcs", "Vpcs", Filters=filters))
    if not found:
        return None
    return _Network(
        vpc=found[0],
        tables=list(caller.pages("ec2", "describe_route_tables", "RouteTables", Filters=filters)),
        endpoints=list(caller.pages("ec2", "describe_vpc_endpoints", "VpcEndpoints", Filters=filters)),
    )


def _subnet(question: Question, subnet: Any, networks: Mapping[str, _Network]) -> Answer:
    if subnet is None:
        return refused(question, "not in this account and region", "write the id of a subnet that it has")
    id_, vpc = question.subject, question.details["network"]
    zone = subnet["AvailabilityZoneId"] if is_zone_id(question.place) else subnet["AvailabilityZone"]
    free = subnet["AvailableIpAddressCount"]
    text = f"in {zone}, {free:,} free addresses"
    if subnet["VpcId"] != vpc or vpc not in networks:
        return refused(question, f"in {subnet['VpcId']}, not in {vpc}", "write a subnet of that network")
    if zone != question.place:
        return refused(question, text, f"write a subnet in {question.place}, or choose that zone")
    out = networks[vpc].out(id_)
    if out and out.get("GatewayId", "").startswith("igw-"):
        return refused(question, f"{text}, public", "write a subnet whose route to the internet is a NAT gateway")
    if isinstance(question.needed, int) and free < question.needed:
        return refused(question, f"{text}, private", "write a larger subnet, or request fewer nodes")
    return fine(question, f"{text}, private")


def _network(caller: Caller, question: Question, network: _Network | None) -> Answer:
    if network is None:
        return refused(question, "not in this account and region", "write the id of a network that it has")
    faults = list(_faults(caller, question, network))
    text = ", ".join(block["CidrBlock"] for block in network.vpc.get("CidrBlockAssociationSet", []))
    if not faults:
        return fine(question, f"{text}, DNS, S3 endpoint, way out")
    worst = [fault for fault in faults if fault.stops] or faults
    return Answer(
        question=question,
        verdict=Verdict.STOPS if worst[0].stops else Verdict.WARNS,
        found=f"{text}; " + "; ".join(fault.found for fault in faults),
        fix="; ".join(fault.fix for fault in faults),
    )


@dataclass(frozen=True, kw_only=True)
class _Fault:
    found: str
    fix: str
    stops: bool = True


def _faults(caller: Caller, question: Question, network: _Network) -> Iterator[_Fault]:
    vpc, subnet = question.subject, question.details["subnet"]
    attribute = caller.client("ec2").describe_vpc_attribute
    for name, title in (("enableDnsSupport", "DNS resolution"), ("enableDnsHostnames", "DNS hostnames")):
        if not attribute(VpcId=vpc, Attribute=name)[name[0].upper() + name[1:]]["Value"]:
            command = f"aws ec2 modify-vpc-attribute --vpc-id {vpc} --{_dashed(name)}"
            yield _Fault(found=f"no {title}", fix=f"enable it: {command}")
    cidr = ipaddress.IPv4Network(str(question.needed))
    blocks = [ipaddress.IPv4Network(one["CidrBlock"]) for one in network.vpc.get("CidrBlockAssociationSet", [])]
    if not any(cidr.subnet_of(block) for block in blocks):
        yield _Fault(found=f"{cidr} is not in it", fix="write its range as network.existing.cidr")
    if services := question.details["services"]:
        inside = ipaddress.IPv4Network(services)
        for whose, other in network.ranges():
            if inside.overlaps(other):
                yield _Fault(found=f"{services} overlaps {whose}", fix="choose another network.ranges.services")
    yield from _ways(question.details["out"], subnet, network)


def _dashed(name: str) -> str:
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name)


def _ways(out: str, subnet: str, network: _Network) -> Iterator[_Fault]:
    """out: `nat`, or the services that need an endpoint because there is no other way."""
    table = network.table(subnet).get("RouteTableId")
    usable = [one for one in network.endpoints if one.get("State", "available").lower() == "available"]
    to_s3 = any(
        one["VpcEndpointType"] == "Gateway" and one["ServiceName"].endswith(".s3") and table in one["RouteTableIds"]
        for one in usable
    )
    if not to_s3:
        fix = f"create a gateway endpoint for S3 in {table}"
        yield _Fault(found="no gateway endpoint for S3", fix=fix, stops=out != "nat")
    if out == "nat":
        route = network.out(subnet)
        if route is None or not any(route.get(target) for target in _TARGETS):
            yield _Fault(found=f"no way out of {subnet}", fix="route 0.0.0.0/0 to a NAT gateway")
        return
    private = [one["ServiceName"] for one in usable if one.get("PrivateDnsEnabled")]
    missing = [service for service in out.split() if not any(name.endswith(f".{service}") for name in private)]
    if missing:
        fix = "create interface endpoints with private DNS for them"
        yield _Fault(found=f"no endpoint for {', '.join(missing)}", fix=fix)
