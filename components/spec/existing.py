"""A company's address ranges and existing resources that a spec may name. Imports no Pulumi.

Ids are the cloud's; `components.<cloud>.existing` lists the accepted ones.
"""

import ipaddress
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from gpucluster.components.planning.address_ranges import is_private, is_range
from gpucluster.components.planning.problem import Problem
from gpucluster.components.spec.model import Model


def _private(value: str) -> str:
    if not is_range(value):
        raise ValueError("is not an IPv4 range; write one such as 10.20.0.0/16, with no host bits set")
    network = ipaddress.IPv4Network(value)
    if not is_private(network):
        raise ValueError("is not private; write a part of 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16")
    return str(network)


PrivateRange = Annotated[str, AfterValidator(_private)]


def _wide(widest: int, narrowest: int) -> AfterValidator:
    """A width that every cloud accepts, or that is enough for its parts: in a network, subnets of a sixteenth, of which
    a file system's must not be narrower than /24. Sources: Amazon VPC user guide, "VPC CIDR blocks"; Amazon EKS API,
    KubernetesNetworkConfigRequest (serviceIpv4Cidr); `azure/addresses.py` (Lustre).
    """

    def check(value: str | None) -> str | None:
        if value is not None and not widest <= ipaddress.IPv4Network(value).prefixlen <= narrowest:
            raise ValueError(f"is not between /{widest} and /{narrowest}; write a range of that size")
        return value

    return AfterValidator(check)


class Ranges(Model):
    """Address ranges of the cluster, in place of the defaults. Choose them before the first `up`."""

    network: Annotated[PrivateRange | None, _wide(16, 20)] = Field(
        default=None,
        description="Range of the network, /16 to /20, for its subnets; default: 10.0.0.0/16",
        examples=["10.20.0.0/16"],
    )
    pods: Annotated[PrivateRange | None, _wide(9, 20)] = Field(
        default=None,
        description="Range of pods, /9 to /20; on AWS pods use addresses of the network; default: 10.4.0.0/14",
        examples=["10.64.0.0/14"],
    )
    services: Annotated[PrivateRange | None, _wide(16, 24)] = Field(
        default=None,
        description="Range of Kubernetes services, /16 to /24; default: a part of the network on Google Cloud, "
        "10.1.0.0/20 on Azure, chosen by EKS on AWS",
        examples=["10.21.0.0/20"],
    )
    fabric: Annotated[PrivateRange | None, _wide(16, 20)] = Field(
        default=None,
        description="Range of the GPU networks on Google Cloud, /16 to /20; default: 10.8.0.0/16",
        examples=["10.22.0.0/16"],
    )


class ExistingNetwork(Model):
    """Your network in which the cluster is built: it is never created, changed or destroyed."""

    id: str = Field(
        min_length=1,
        description="Id of the network (AWS: vpc-...; Google Cloud: projects/P/global/networks/N; Azure: id of the "
        "virtual network)",
        examples=["vpc-0123456789abcdef0"],
    )
    cidr: PrivateRange = Field(
        description="Address range of its nodes and of machines that reach the API inside the network",
        examples=["10.20.0.0/16"],
    )
    nodes: str = Field(
        min_length=1,
        description="Id of the private subnet of the GPU nodes (on AWS, in their zone) or, on Google Cloud and Azure, "
        "of all nodes",
        examples=["subnet-0123456789abcdef0"],
    )
    others: tuple[str, ...] = Field(
        default=(),
        description="On AWS: ids of two private subnets for control plane and system nodes; the plan shows the zone "
        "of each",
        examples=[["subnet-0123456789abcdef1", "subnet-0123456789abcdef2"]],
    )
    storage: str | None = Field(
        default=None,
        description="Location of shared storage: on Google Cloud the range of private services access, such as "
        "10.30.0.0/20, on Azure the id of a subnet; on AWS it is in the subnet of the nodes",
    )
    egress: Literal["nat", "routes"] = Field(
        default="nat",
        description="On Azure: way of the nodes to the internet, the NAT gateway of their subnet or its route table, "
        "whose default route ends at a firewall or gateway; another value replaces the cluster",
    )
    pods: str | None = Field(
        default=None, description="On Google Cloud: name of the subnet's secondary range for pods", examples=["pods"]
    )
    services: str | None = Field(
        default=None,
        description="On Google Cloud: name of the subnet's secondary range for services",
        examples=["services"],
    )


def _origin(existing: ExistingNetwork | None, ranges: Ranges) -> Iterator[Problem]:
    if existing is not None and ranges.network is not None:
        yield Problem("", "has both existing and ranges.network, which is for a new network", "remove one of them")


class ClusterNetwork(Model):
    """The network of the cluster: its own, with your address ranges, or your existing one."""

    checks = (_origin,)

    ranges: Ranges = Field(default_factory=Ranges, description="Address ranges, if the defaults do not fit")
    existing: ExistingNetwork | None = Field(
        default=None, description="Your existing network; default: the cluster creates its own"
    )


class ExistingFiles(Model):
    """Your Lustre file system, which the cluster mounts: it is never created, changed, destroyed or priced."""

    id: str = Field(
        min_length=1,
        description="Id of the file system (AWS: fs-...; Google Cloud: projects/P/locations/ZONE/instances/I; Azure: "
        "id of the AMLFS)",
        examples=["fs-0123456789abcdef0"],
    )
    mount: str = Field(
        pattern=r"^[a-zA-Z0-9.-]+@tcp:/[a-zA-Z0-9_-]+$",
        description="Mount target for clients, as the cloud shows it",
        examples=["fs-0123456789abcdef0.fsx.us-east-1.amazonaws.com@tcp:/abcdefgh", "10.30.0.4@tcp:/shared"],
    )

    @property
    def host(self) -> str:
        """Name or address of its management server."""
        return self.mount.partition("@")[0]

    @property
    def share(self) -> str:
        """Its name in the mount point."""
        return self.mount.partition(":/")[2]
