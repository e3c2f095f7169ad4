"""Machines with GPUs have no public address."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.core.program.values import any_of, at, flag
from gpucluster.policies.clouds.aws import pools as aws
from gpucluster.policies.clouds.aws.networks import subnets_of
from gpucluster.policies.clouds.azure import pools as azure
from gpucluster.policies.clouds.gcp import pools as gcp
from gpucluster.policies.clouds.opaque_pools import pool_checks
from gpucluster.policies.clouds.per_cloud import CloudCheck
from gpucluster.policies.engine.rule import CannotTell, Finding, Severity, Stack, StackRule, Violation

_ADDRESSES: Final[Mapping[str, tuple[str, ...]]] = {
    "aws:ec2/eip:Eip": ("instance", "networkInterface"),
    "aws:ec2/eipAssociation:EipAssociation": ("instanceId", "networkInterfaceId"),
}
_NETWORK_INTERFACE: Final = "aws:ec2/networkInterface:NetworkInterface"
_ATTACHMENT: Final = "aws:ec2/networkInterfaceAttachment:NetworkInterfaceAttachment"
_OF_AN_INSTANCE: Final = ("networkInterfaces", "primaryNetworkInterface")

_ELASTIC_IPS: Final = ", ".join((*_ADDRESSES, _NETWORK_INTERFACE, _ATTACHMENT))


def _elastic_ips(resources: Resources, machines: Mapping[str, aws.AwsMachines]) -> Iterator[Finding]:
    """Elastic IPs of GPU machines: of an instance, or of its network interface. machines: URN -> those with GPUs.

    Sources: pulumi-aws 7.51.1, EipArgs, EipAssociationArgs, NetworkInterfaceArgs, NetworkInterfaceAttachmentArgs.
    """
    for address in resources.of_type(*_ADDRESSES):
        for name in _ADDRESSES[address.type]:
            if at(address.inputs, name) is not None:
                yield from _elastic_ip(address, name, resources, machines)


def _elastic_ip(
    address: Resource, name: str, resources: Resources, machines: Mapping[str, aws.AwsMachines]
) -> Iterator[Finding]:
    made = resources.present(address.dependencies.get(name, ()))
    instances = [urn for each in made for urn in _instances(each, resources)]
    for urn in dict.fromkeys(instances):
        if urn in machines:
            gpu = machines[urn]
            yield Violation(address, f"a public address for `{gpu.resource.name}`: {gpu.label}")
    if not made:
        yield CannotTell(address, f"`{name}` is not part of this stack: whether it has GPUs is unknown")


def _instances(of: Resource, resources: Resources) -> Iterator[str]:
    """The instance itself, or the instances that have a network interface."""
    if of.type == aws.INSTANCE:
        yield of.urn
    elif of.type == _NETWORK_INTERFACE:
        yield from of.dependencies.get("attachments", ())
        for instance in resources.of_type(aws.INSTANCE):
            if any(of.urn in instance.dependencies.get(name, ()) for name in _OF_AN_INSTANCE):
                yield instance.urn
        for attachment in resources.of_type(_ATTACHMENT):
            if of.urn in attachment.dependencies.get("networkInterfaceId", ()):
                yield from attachment.dependencies.get("instanceId", ())


def _aws(stack: Stack) -> Iterator[Finding]:
    """Public addresses of EC2 machines with GPUs: the subnet's, the instance's own, or an Elastic IP.

    `fabric-interfaces-valid` checks those of a launch template's interfaces that EC2 refuses.
    """
    with_gpus = [machines for machines in aws.machines_of(stack.resources) if machines.with_gpus]
    for machines in with_gpus:
        yield from _addresses(machines, stack)
    yield from _elastic_ips(stack.resources, {machines.resource.urn: machines for machines in with_gpus})


def _addresses(machines: aws.AwsMachines, stack: Stack) -> Iterator[Finding]:
    interfaces = [] if machines.interfaces is UNKNOWN else machines.interfaces
    holders = [machines.resource, *([machines.template] if isinstance(machines.template, Resource) else ())]
    of_machines = [flag(of.inputs, "associatePublicIpAddress") for of in holders]
    own = [*of_machines, *(each.public_ip for each in interfaces)]
    # The subnet decides about the first interface alone.
    first = [*of_machines, *(each.public_ip for each in interfaces if (each.card, each.device) == (0, 0))]
    of_subnets = {
        subnet.name: flag(subnet.inputs, "mapPublicIpOnLaunch")
        for subnet in subnets_of(machines.resource, stack.resources)[0]
    }
    public = [f"`{name}`" for name, of in of_subnets.items() if of is True]
    if True in own:
        yield Violation(machines.resource, f"{machines.label} with associatePublicIpAddress")
    elif public and not {False, UNKNOWN} & {*first}:
        yield Violation(machines.resource, f"{machines.label} in {', '.join(public)}, which assigns public addresses")
    elif UNKNOWN in own or UNKNOWN in of_subnets.values():
        yield CannotTell(machines.resource, "whether it has a public address is not known yet")


def _gcp(stack: Stack) -> Iterator[Finding]:
    """Public addresses of GKE nodes with GPUs.

    Source: GKE page "Customize your network isolation": nodes have external addresses unless the node pool, or else its
    cluster, has private nodes.
    """
    for pool in gcp.machines_of(stack.resources):
        if not pool.declared.with_gpus:
            continue
        private = _private(pool)
        if private is UNKNOWN:
            yield CannotTell(pool.resource, "whether its nodes have public addresses is not known yet")
        elif private is None:
            yield CannotTell(
                pool.resource, "its cluster is not part of this stack: whether its nodes are private is unknown"
            )
        elif not private:
            yield Violation(pool.resource, f"{pool.label} without private nodes: each has a public address")


def _private(pool: gcp.NodePool) -> bool | Unknown | None:
    """None if it depends on a cluster outside this stack."""
    own = flag(pool.declared.inputs, "networkConfig", "enablePrivateNodes")
    if own is not None:
        return own
    if pool.cluster is None:
        return None
    ways = (("privateClusterConfig", "enablePrivateNodes"), ("networkConfig", "defaultEnablePrivateNodes"))
    return any_of(flag(pool.cluster.inputs, *way) for way in ways)


def _azure(stack: Stack) -> Iterator[Finding]:
    """Public addresses of AKS nodes with GPUs: none by default (AKS page "Use instance-level public IPs")."""
    for pool in azure.machines_of(stack.resources):
        if pool.size is None or not pool.size.computes:
            continue
        public = flag(pool.declared.inputs, "enableNodePublicIP")
        if public is True:
            yield Violation(pool.resource, f"{pool.label} with enableNodePublicIP")
        elif public is UNKNOWN:
            yield CannotTell(pool.resource, "whether its nodes have public addresses is not known yet")


RULE: Final = StackRule(
    name="gpu-nodes-not-public",
    title="Machines with GPUs have no public address",
    why="A GPU machine is the most valuable target of an attack, and jobs open ports on it. Each public IPv4 "
    "address is billed by the hour as well.",
    severity=Severity.HIGH,
    order=120,
    **pool_checks(
        aws=CloudCheck(
            check=_aws,
            reads=f"{aws.READS}, aws:ec2/subnet:Subnet, {_ELASTIC_IPS}",
            fix="Put them into a subnet with mapPublicIpOnLaunch false, behind a NAT gateway, without "
            "associatePublicIpAddress or an Elastic IP.",
        ),
        gcp=CloudCheck(
            check=_gcp,
            reads=gcp.READS,
            fix="Set enable_private_nodes in network_config of the node pool, and add a Cloud NAT for downloads.",
        ),
        azure=CloudCheck(
            check=_azure,
            reads=azure.READS,
            fix="Set enable_node_public_ip to false on the node pool.",
        ),
        single=True,
        template=True,
    ),
)
