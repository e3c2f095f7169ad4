"""VPC and what is in it: ids, ARNs and addresses. Addresses are from the documentation ranges of RFC 5737."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from gpucluster.sandbox.clouds.aws.identity import ACCOUNT, hex_id, zone_of
from gpucluster.sandbox.clouds.aws.model import Thing, models
from gpucluster.sandbox.type_guards import items

__all__: list[str] = []

_SUBNET = "aws:ec2/subnet:Subnet"
_VPC = "aws:ec2/vpc:Vpc"


@models(_VPC, id="vpc", defaults={"instanceTenancy": "default", "enableDnsSupport": True})
def vpc(thing: Thing) -> Mapping[str, Any]:
    route_table = thing.keep("mainRouteTableId", lambda: hex_id("rtb"))
    return {
        "arn": thing.arn("ec2", f"vpc/{thing.id}"),
        "defaultNetworkAclId": thing.keep("defaultNetworkAclId", lambda: hex_id("acl")),
        "defaultRouteTableId": route_table,
        "mainRouteTableId": route_table,
        "defaultSecurityGroupId": thing.keep("defaultSecurityGroupId", lambda: hex_id("sg")),
        "dhcpOptionsId": thing.keep("dhcpOptionsId", lambda: hex_id("dopt")),
        "ownerId": ACCOUNT,
    }


@models(_SUBNET, id="subnet", defaults={"privateDnsHostnameTypeOnLaunch": "ip-name"})
def subnet(thing: Thing) -> Mapping[str, Any]:
    zone, zone_id = zone_of(thing.region, thing.inputs.get("availabilityZone"), thing.inputs.get("availabilityZoneId"))
    return {
        "arn": thing.arn("ec2", f"subnet/{thing.id}"),
        "availabilityZone": zone,
        "availabilityZoneId": zone_id,
        "ownerId": ACCOUNT,
    }


@models("aws:ec2/internetGateway:InternetGateway", id="igw")
def internet_gateway(thing: Thing) -> Mapping[str, Any]:
    return {"arn": thing.arn("ec2", f"internet-gateway/{thing.id}"), "ownerId": ACCOUNT}


@models("aws:ec2/eip:Eip", id="eipalloc", defaults={"domain": "vpc", "publicIpv4Pool": "amazon"})
def eip(thing: Thing) -> Mapping[str, Any]:
    address = _documentation_address(thing.id)
    return {
        "allocationId": thing.id,
        "arn": thing.arn("ec2", f"elastic-ip/{thing.id}"),
        "networkBorderGroup": thing.inputs.get("networkBorderGroup") or thing.region,
        "publicDns": f"ec2-{address.replace('.', '-')}.{thing.region}.compute.sandbox.invalid",
        "publicIp": address,
    }


@models("aws:ec2/natGateway:NatGateway", id="nat", defaults={"availabilityMode": "zonal", "connectivityType": "public"})
def nat_gateway(thing: Thing) -> Mapping[str, Any]:
    address = thing.other("aws:ec2/eip:Eip", thing.inputs.get("allocationId"))
    subnet_entry = thing.other(_SUBNET, thing.inputs.get("subnetId"))
    return {
        "associationId": thing.keep("associationId", lambda: hex_id("eipassoc")),
        "networkInterfaceId": thing.keep("networkInterfaceId", lambda: hex_id("eni")),
        "privateIp": thing.inputs.get("privateIp") or "192.0.2.10",
        "publicIp": address.outputs["publicIp"] if address else "",
        "vpcId": thing.inputs.get("vpcId") or (subnet_entry.outputs["vpcId"] if subnet_entry else ""),
    }


@models("aws:ec2/routeTable:RouteTable", id="rtb")
def route_table(thing: Thing) -> Mapping[str, Any]:
    return {"arn": thing.arn("ec2", f"route-table/{thing.id}"), "ownerId": ACCOUNT}


def _route_id(thing: Thing) -> str:
    """`r-<table><hash of the destination>`, as the provider builds it."""
    keys = ("destinationCidrBlock", "destinationIpv6CidrBlock", "destinationPrefixListId")
    destination = next((thing.inputs[key] for key in keys if thing.inputs.get(key)), "")
    digest = int(hashlib.sha256(str(destination).encode()).hexdigest()[:8], 16)
    return f"r-{thing.inputs.get('routeTableId')}{digest}"


@models("aws:ec2/route:Route", id=_route_id, defaults={"origin": "CreateRoute", "state": "active"})
def route(_: Thing) -> Mapping[str, Any]:
    return {}


@models("aws:ec2/routeTableAssociation:RouteTableAssociation", id="rtbassoc")
def route_table_association(_: Thing) -> Mapping[str, Any]:
    return {}


@models("aws:ec2/vpcEndpoint:VpcEndpoint", id="vpce", defaults={"vpcEndpointType": "Gateway", "state": "available"})
def vpc_endpoint(thing: Thing) -> Mapping[str, Any]:
    kind = thing.inputs.get("vpcEndpointType") or "Gateway"
    computed: dict[str, Any] = {
        "arn": thing.arn("ec2", f"vpc-endpoint/{thing.id}"),
        "ownerId": ACCOUNT,
        "policy": thing.inputs.get("policy")
        or '{"Statement":[{"Action":"*","Effect":"Allow","Principal":"*","Resource":"*"}]}',
        "serviceRegion": thing.inputs.get("serviceRegion") or thing.region,
    }
    if kind == "Gateway":
        computed["prefixListId"] = thing.keep("prefixListId", lambda: hex_id("pl"))
        computed["cidrBlocks"] = ["198.51.100.0/24"]
    else:
        subnets = items(thing.inputs.get("subnetIds"))
        computed["networkInterfaceIds"] = thing.keep("networkInterfaceIds", lambda: [hex_id("eni") for _ in subnets])
        computed["ipAddressType"] = thing.inputs.get("ipAddressType") or "ipv4"
    return computed


@models("aws:ec2/securityGroup:SecurityGroup", id="sg")
def security_group(thing: Thing) -> Mapping[str, Any]:
    return {"arn": thing.arn("ec2", f"security-group/{thing.id}"), "ownerId": ACCOUNT}


@models("aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", id="sgr")
def security_group_ingress_rule(thing: Thing) -> Mapping[str, Any]:
    return _security_group_rule(thing)


@models("aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule", id="sgr")
def security_group_egress_rule(thing: Thing) -> Mapping[str, Any]:
    return _security_group_rule(thing)


def _security_group_rule(thing: Thing) -> Mapping[str, Any]:
    return {"arn": thing.arn("ec2", f"security-group-rule/{thing.id}"), "securityGroupRuleId": thing.id}


@models(
    "aws:ec2/flowLog:FlowLog",
    id="fl",
    defaults={"logDestinationType": "cloud-watch-logs", "maxAggregationInterval": 600},
)
def flow_log(thing: Thing) -> Mapping[str, Any]:
    return {"arn": thing.arn("ec2", f"vpc-flow-log/{thing.id}")}


def _documentation_address(seed: str) -> str:
    """An address of 203.0.113.0/24 that no host has."""
    return f"203.0.113.{int(hashlib.sha256(seed.encode()).hexdigest()[:8], 16) % 254 + 1}"
