"""Who reaches the cluster's API and from where, and teams with a share of the cluster."""

import ipaddress
import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from gpucluster.components.planning.names import TRAINING_POOL
from gpucluster.components.planning.problem import Problem
from gpucluster.components.spec.model import NAME, Dollars, Model, Whole
from gpucluster.core.text.values import shown_value

# The widest range that belongs to one owner: registries get the internet's addresses by /8 (IANA IPv4 address space
# registry), and the widest private range is 10.0.0.0/8 (RFC 1918).
_WIDEST = 8
# No machine has these on the internet. Sources: RFC 1918, RFC 6598 (carriers), RFC 1122 (loopback), RFC 3927 (link).
_PRIVATE = tuple(
    map(
        ipaddress.IPv4Network,
        ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"),
    )
)


def _cidr(value: str) -> str:
    try:
        network = ipaddress.IPv4Network(value)
    except ValueError:
        raise ValueError("is not an IPv4 range; write one such as 203.0.113.0/24, with no host bits set") from None
    if network.prefixlen < _WIDEST:
        clients = f"{network.num_addresses:,} addresses" if network.prefixlen else "everyone"
        raise ValueError(
            f"opens the cluster's API to {clients}; write the ranges of your office or VPN, none wider than /{_WIDEST}"
        )
    return str(network)


def _public_cidr(value: str) -> str:
    private = next((range_ for range_ in _PRIVATE if range_.overlaps(ipaddress.IPv4Network(value))), None)
    if private is not None:
        raise ValueError(
            f"overlaps {private}, which is not public; write the public range of your office or VPN, or choose kind: "
            "private with via: vpn"
        )
    return value


Cidr = Annotated[str, AfterValidator(_cidr)]
PublicCidr = Annotated[Cidr, AfterValidator(_public_cidr)]


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
            "add registry: a mirror of the images inside the network (docs/run/access.md lists them), or choose "
            "egress: nat",
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
        description="Identities that may submit and read jobs in the namespace training and on the login node of "
        "Slurm, and nothing else (AWS: ARN of an IAM role or user; Google Cloud: group:, user: or serviceAccount: and "
        "an address; Azure: object id of a Microsoft Entra group)",
    )
    exec: bool = Field(
        default=False,
        description="Whether submitters and teams may use `kubectl exec` and `kubectl cp` in their namespace; off by "
        "default, because no rule sees what a shell in somebody's running job does, and no log keeps it",
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


def _team_name(value: object) -> object:
    # With `team-` before it and the longest name of a pool behind it, within the 63 characters of a label.
    if not isinstance(value, str) or not re.fullmatch(NAME, value):
        raise ValueError(
            f"must not contain the name {shown_value(value)}; write 1 to 20 lower-case letters, digits and hyphens, "
            "starting with a letter and not ending with a hyphen"
        )
    return value


TeamName = Annotated[str, BeforeValidator(_team_name)]


class Team(Model):
    """A team with its own namespace, queues and share of the GPUs."""

    groups: People = Field(
        min_length=1,
        description="Identities that submit and read its jobs, written as in access.submitters",
        examples=[["arn:aws:iam::123456789012:role/vision"]],
    )
    gpus: dict[str, Whole] = Field(
        default_factory=dict,
        description="Pool -> the team's own GPUs of that pool: others borrow them while idle, and give them back; of "
        "other pools the team can only borrow",
        examples=[{TRAINING_POOL: 16, "dev": 4}],
    )
    priority: Literal["low", "medium", "high"] = Field(
        default="medium",
        description="Priority for borrowing idle GPUs: each level gets twice the share of the level below",
    )
    monthly_usd: Dollars | None = Field(
        default=None,
        description="Limit in USD for its share of the cost of the cluster in a month of 730 hours; a higher cost is "
        "a warning",
        examples=[200000],
    )
