"""Elastic IPs of GPU machines: of an instance, or of its network interface.

Sources: pulumi-aws 7.51.1, EipArgs, EipAssociationArgs, NetworkInterfaceArgs, NetworkInterfaceAttachmentArgs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from gpucluster.policies.clouds.aws.machines import INSTANCE, AwsMachines
from gpucluster.policies.rule import CannotTell, Finding, Violation
from gpucluster.program.resources import Resource, Resources
from gpucluster.program.values import at

_ADDRESSES: Final[Mapping[str, tuple[str, ...]]] = {
    "aws:ec2/eip:Eip": ("instance", "networkInterface"),
    "aws:ec2/eipAssociation:EipAssociation": ("instanceId", "networkInterfaceId"),
}
_INTERFACE: Final = "aws:ec2/networkInterface:NetworkInterface"
_ATTACHMENT: Final = "aws:ec2/networkInterfaceAttachment:NetworkInterfaceAttachment"
_OF_AN_INSTANCE: Final = ("networkInterfaces", "primaryNetworkInterface")

READS: Final = ", ".join((*_ADDRESSES, _INTERFACE, _ATTACHMENT))


def elastic_ips(resources: Resources, machines: Mapping[str, AwsMachines]) -> Iterator[Finding]:
    """machines: URN -> those with GPUs."""
    for type_, inputs in _ADDRESSES.items():
        for address in resources.of_type(type_):
            for name in inputs:
                if at(address.inputs, name) is not None:
                    yield from _of(address, name, resources, machines)


def _of(address: Resource, name: str, resources: Resources, machines: Mapping[str, AwsMachines]) -> Iterator[Finding]:
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
    if of.type == INSTANCE:
        yield of.urn
    elif of.type == _INTERFACE:
        yield from of.dependencies.get("attachments", ())
        for instance in resources.of_type(INSTANCE):
            if any(of.urn in instance.dependencies.get(name, ()) for name in _OF_AN_INSTANCE):
                yield instance.urn
        for attachment in resources.of_type(_ATTACHMENT):
            if of.urn in attachment.dependencies.get("networkInterfaceId", ()):
                yield from attachment.dependencies.get("instanceId", ())
