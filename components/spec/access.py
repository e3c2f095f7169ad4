"""From where the cluster's API is reached, and by whom."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from gpucluster.components.problem import Problem
from gpucluster.components.spec.addresses import Cidr, PublicCidr
from gpucluster.components.spec.model import Model


def _named_once(value: tuple[str, ...]) -> tuple[str, ...]:
    twice = sorted({name for name in value if value.count(name) > 1})
    if twice:
        raise ValueError(f"names {', '.join(twice)} twice; keep one")
    return value


People = Annotated[tuple[str, ...], AfterValidator(_named_once)]


def _rights(submitters: Sequence[str], admins: Sequence[str]) -> Iterator[Problem]:
    both = [name for name in submitters if name in admins]
    if both:
        keep = "keep one: an admin has all rights"
        yield Problem("", f"has {', '.join(both)} under admins and under submitters", keep)


def _way(via: str | None, cidrs: Sequence[str], peer: str | None, peer_gateway: bool) -> Iterator[Problem]:
    if via is None:
        yield Problem(
            "",
            "kind is 'private', but `pulumi up` must reach the API to install software in the cluster",
            "add via: vpn with the cidrs at its other end, via: bastion, via: inside to run up on a machine "
            "in the network, or on Google Cloud via: dns, or choose kind: public with your ranges under cidrs",
        )
    if via == "vpn" and not cidrs:
        yield Problem("", "via is 'vpn', which needs cidrs: the IPv4 ranges at its other end", "add them")
    if via != "vpn" and cidrs:
        seen = f"cidrs need via: vpn, but via is {via or 'missing'}"
        yield Problem("", seen, "remove them or change via")
    if via != "vpn" and peer is not None:
        yield Problem("", f"peer needs via: vpn, but via is {via or 'missing'}", "remove it or change via")
    if peer_gateway and peer is None:
        yield Problem("", "peer_gateway needs peer, the network of the gateway", "add it or remove this")


def _images(egress: str, registry: str | None) -> Iterator[Problem]:
    if egress == "none" and registry is None:
        yield Problem(
            "",
            "egress is 'none', so nodes can't reach the public registries",
            "add registry: a mirror of the images inside the network (docs/access.md lists them), or choose egress: "
            "nat",
        )


class _Access(Model):
    checks = (_rights,)

    admins: People = Field(
        default=(),
        description="Other identities with all rights in the cluster, as the cloud writes them (AWS: ARN of an IAM "
        "role or user); the identity that runs the first `pulumi up` has them already and must not be listed",
    )
    submitters: People = Field(
        default=(),
        description="Identities that may submit and read jobs in the namespace training, and nothing else (AWS: ARN "
        "of an IAM role or user; Google Cloud: group:, user: or serviceAccount: and an address; Azure: object id of a "
        "Microsoft Entra group)",
    )


class PublicAccess(_Access):
    """The cluster's API is public, for these ranges only."""

    kind: Literal["public"]
    cidrs: tuple[PublicCidr, ...] = Field(
        min_length=1, description="IPv4 ranges that may reach the API", examples=[["203.0.113.0/24"]]
    )


class PrivateAccess(_Access):
    """The cluster's API is reachable inside the network only."""

    checks = (_rights, _way, _images)

    kind: Literal["private"]
    via: Literal["vpn", "bastion", "inside", "dns"] | None = Field(
        default=None,
        description="How `pulumi up` reaches the API: through your VPN or peering, a bastion host, a machine in the "
        "network, or (Google Cloud) the cluster's DNS name, from anywhere with IAM permissions",
    )
    cidrs: tuple[Cidr, ...] = Field(default=(), description="IPv4 ranges at the other end of the VPN or peering")
    peer: str | None = Field(
        default=None,
        min_length=1,
        description="On Azure, with via: vpn: id of a virtual network to peer with, whose clients reach the API",
    )
    peer_gateway: bool = Field(
        default=False,
        description="On Azure, with peer: whether networks behind that network's VPN or ExpressRoute gateway reach the "
        "API, too",
    )
    egress: Literal["nat", "none"] = Field(
        default="nat", description="Internet access of the nodes: through NAT, or none"
    )
    registry: str | None = Field(
        default=None,
        pattern=r"^[a-z0-9][a-z0-9.-]*(:\d+)?(/[a-z0-9._-]+)*$",
        description="Registry that mirrors the images in use, without https:// and without a trailing slash",
    )


Access = Annotated[
    PublicAccess | PrivateAccess, Field(description="Networks that reach the cluster's API", discriminator="kind")
]
