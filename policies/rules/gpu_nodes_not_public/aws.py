"""Public addresses of EC2 machines with GPUs: the subnet's, the instance's own, or an Elastic IP.

`fabric-interfaces-valid` checks those of a launch template's interfaces that EC2 refuses.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.aws.elastic_ips import READS as ELASTIC_IPS
from gpucluster.policies.clouds.aws.elastic_ips import elastic_ips
from gpucluster.policies.clouds.aws.machines import READS as MACHINES
from gpucluster.policies.clouds.aws.machines import AwsMachines, machines_of
from gpucluster.policies.clouds.aws.zones import subnets_of
from gpucluster.policies.rule import CannotTell, Finding, Stack, Violation
from gpucluster.program.resources import UNKNOWN, Resource
from gpucluster.program.values import flag

FIX: Final = (
    "Put them into a subnet with mapPublicIpOnLaunch false, behind a NAT gateway, without associatePublicIpAddress or "
    "an Elastic IP."
)
READS: Final = f"{MACHINES}, aws:ec2/subnet:Subnet, {ELASTIC_IPS}"


def check(stack: Stack) -> Iterator[Finding]:
    with_gpus = [machines for machines in machines_of(stack.resources) if machines.with_gpus]
    for machines in with_gpus:
        yield from _of(machines, stack)
    yield from elastic_ips(stack.resources, {machines.resource.urn: machines for machines in with_gpus})


def _of(machines: AwsMachines, stack: Stack) -> Iterator[Finding]:
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
