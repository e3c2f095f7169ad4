"""VPCs and their resources: ids, ARNs and addresses. Addresses are from the documentation ranges of RFC 5737."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from gpucluster.core.text.type_guards import items
from gpucluster.sandbox.clouds.aws.model import ManagedResource, models
from gpucluster.sandbox.clouds.aws.names import ACCOUNT, hex_id, zone_of

_SUBNET = "aws:ec2/subnet:Subnet"
_VPC = "aws:ec2/vpc:Vpc"


@models(_VPC, id="vpc", defaults={"instanceTenancy": "default", "enableDnsSupport": True})
def vpc(managed: ManagedResource) -> Mapping[str, Any]:
    route_table = managed.keep("mainRouteTableId", lambda: hex_id("rtb"))
    return {
        "arn": managed.arn("ec2", f"vpc/{managed.id}"),
        "defaultNetworkAclId": managed.keep("defaultNetworkAclId", lambda: hex_id("acl")),
        "defaultRouteTableId": route_table,
        "mainRouteTableId": route_table,
        "defaultSecurityGroupId": managed.keep("defaultSecurityGroupId", lambda: hex_id("sg")),
        "dhcpOptionsId": managed.keep("dhcpOptionsId", lambda: hex_id("dopt")),
        "ownerId": ACCOUNT,
    }


@models(_SUBNET, id="subnet", defaults={"privateDnsHostnameTypeOnLaunch": "ip-name"})
def subnet(managed: ManagedResource) -> Mapping[str, Any]:
    zone, zone_id = zone_of(
        managed.region, managed.inputs.get("availabilityZone"), managed.inputs.get("availabilityZoneId")
    )
    return {
        "arn": managed.arn("ec2", f"subnet/{managed.id}"),
        "availabilityZone": zone,
        "availabilityZoneId": zone_id,
        "ownerId": ACCOUNT,
    }


@models("aws:ec2/internetGateway:InternetGateway", id="igw")
def internet_gateway(managed: ManagedResource) -> Mapping[str, Any]:
    return {"arn": managed.arn("ec2", f"internet-gateway/{managed.id}"), "ownerId": ACCOUNT}


@models("aws:ec2/eip:Eip", id="eipalloc", defaults={"domain": "vpc", "publicIpv4Pool": "amazon"})
def eip(managed: ManagedResource) -> Mapping[str, Any]:
    address = _documentation_address(managed.id)
    return {
        "allocationId": managed.id,
        "arn": managed.arn("ec2", f"elastic-ip/{managed.id}"),
        "networkBorderGroup": managed.inputs.get("networkBorderGroup") or managed.region,
        "publicDns": f"ec2-{address.replace('.', '-')}.{managed.region}.compute.sandbox.invalid",
        "publicIp": address,
    }


@models("aws:ec2/natGateway:NatGateway", id="nat", defaults={"availabilityMode": "zonal", "connectivityType": "public"})
def nat_gateway(managed: ManagedResource) -> Mapping[str, Any]:
    address = managed.other("aws:ec2/eip:Eip", managed.inputs.get("allocationId"))
    subnet_entry = managed.other(_SUBNET, managed.inputs.get("subnetId"))
    return {
        "associationId": managed.keep("associationId", lambda: hex_id("eipassoc")),
        "networkInterfaceId": managed.keep("networkInterfaceId", lambda: hex_id("eni")),
        "privateIp": managed.inputs.get("privateIp") or "192.0.2.10",
        "publicIp": address.outputs["publicIp"] if address else "",
        "vpcId": managed.inputs.get("vpcId") or (subnet_entry.outputs["vpcId"] if subnet_entry else ""),
    }


@models("aws:ec2/routeTable:RouteTable", id="rtb")
def route_table(managed: ManagedResource) -> Mapping[str, Any]:
    return {"arn": managed.arn("ec2", f"route-table/{managed.id}"), "ownerId": ACCOUNT}


def _route_id(managed: ManagedResource) -> str:
    """`r-<table><hash of the destination>`, as in the provider."""
    keys = ("destinationCidrBlock", "destinationIpv6CidrBlock", "destinationPrefixListId")
    destination = next((managed.inputs[key] for key in keys if managed.inputs.get(key)), "")
    digest = int(hashlib.sha256(str(destination).encode()).hexdigest()[:8], 16)
    return f"r-{managed.inputs.get('routeTableId')}{digest}"


@models("aws:ec2/route:Route", id=_route_id, defaults={"origin": "CreateRoute", "state": "active"})
def route(_: ManagedResource) -> Mapping[str, Any]:
    return {}


@models("aws:ec2/routeTableAssociation:RouteTableAssociation", id="rtbassoc")
def route_table_association(_: ManagedResource) -> Mapping[str, Any]:
    return {}


@models("aws:ec2/vpcEndpoint:VpcEndpoint", id="vpce", defaults={"vpcEndpointType": "Gateway", "state": "available"})
def vpc_endpoint(managed: ManagedResource) -> Mapping[str, Any]:
    kind = managed.inputs.get("vpcEndpointType") or "Gateway"
    computed: dict[str, Any] = {
        "arn": managed.arn("ec2", f"vpc-endpoint/{managed.id}"),
        "ownerId": ACCOUNT,
        "policy": managed.inputs.get("policy")
        or '{"Statement":[{"Action":"*","Effect":"Allow","Principal":"*","Resource":"*"}]}',
        "serviceRegion": managed.inputs.get("serviceRegion") or managed.region,
    }
    if kind == "Gateway":
        computed["prefixListId"] = managed.keep("prefixListId", lambda: hex_id("pl"))
        computed["cidrBlocks"] = ["198.51.100.0/24"]
    else:
        subnets = items(managed.inputs.get("subnetIds"))
        computed["networkInterfaceIds"] = managed.keep("networkInterfaceIds", lambda: [hex_id("eni") for _ in subnets])
        computed["ipAddressType"] = managed.inputs.get("ipAddressType") or "ipv4"
    return computed


@models("aws:ec2/securityGroup:SecurityGroup", id="sg")
def security_group(managed: ManagedResource) -> Mapping[str, Any]:
    return {"arn": managed.arn("ec2", f"security-group/{managed.id}"), "ownerId": ACCOUNT}


@models("aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", id="sgr")
def security_group_ingress_rule(managed: ManagedResource) -> Mapping[str, Any]:
    return _security_group_rule(managed)


@models("aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule", id="sgr")
def security_group_egress_rule(managed: ManagedResource) -> Mapping[str, Any]:
    return _security_group_rule(managed)


def _security_group_rule(managed: ManagedResource) -> Mapping[str, Any]:
    return {"arn": managed.arn("ec2", f"security-group-rule/{managed.id}"), "securityGroupRuleId": managed.id}


@models(
    "aws:ec2/flowLog:FlowLog",
    id="fl",
    defaults={"logDestinationType": "cloud-watch-logs", "maxAggregationInterval": 600},
)
def flow_log(managed: ManagedResource) -> Mapping[str, Any]:
    return {"arn": managed.arn("ec2", f"vpc-flow-log/{managed.id}")}


def _documentation_address(seed: str) -> str:
    """An address of 203.0.113.0/24, which no host uses."""
    return f"203.0.113.{int(hashlib.sha256(seed.encode()).hexdigest()[:8], 16) % 254 + 1}"
