"""The user's network: its MTU, its subnet, its way out, and its range for Google's services."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from typing import Final

from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.gcp.client import Client, Page, Reading, last
from gpucluster.operate.preflight.answers import Answer, fine, refused

_COMPUTE: Final = "compute:v1"
_SERVICE: Final = "servicenetworking-googleapis-com"
"""The peering of private services access. Source: VPC documentation, "Configure private services access"."""
_DEFAULT_MTU: Final = 1460
"""Of a network without one. Source: Compute Engine API v1, `Network.mtu`, and VPC documentation, "Maximum transmission
unit"."""


class _Peering(Reading):
    name: str = ""
    state: str = ""


class _Network(Reading):
    mtu: int = _DEFAULT_MTU
    peerings: Sequence[_Peering] = ()


def ask_networks(client: Client, questions: Sequence[Question]) -> list[Answer]:
    """Whether the network has the MTU of the GPU networks."""
    return [_network(client, one) for one in questions]


def _network(client: Client, question: Question) -> Answer:
    found = _get(client, question)
    if found is None:
        return _absent(client, question, "networks")
    if found.mtu == question.needed:
        return fine(question, f"{found.mtu:,}")
    fix = f"set its MTU to {question.needed:,} while none of its machines runs, or choose another network"
    command = (
        f"gcloud compute networks update {last(question.subject)} --mtu={question.needed} --project={client.project}"
    )
    return refused(question, f"{found.mtu:,}", fix, command)


def _get(client: Client, question: Question) -> _Network | None:
    return client.found(_COMPUTE, "networks.get", _Network, project=client.project, network=last(question.subject))


class _Range(Reading):
    range_name: str = ""


class _Subnet(Reading):
    network: str = ""
    ip_cidr_range: str = ""
    private_ip_google_access: bool = False
    secondary_ip_ranges: Sequence[_Range] = ()


def ask_subnets(client: Client, questions: Sequence[Question]) -> list[Answer]:
    """Whether the subnet is what the plan assumes."""
    return [_subnet(client, one) for one in questions]


def _subnet(client: Client, question: Question) -> Answer:
    name, wanted = last(question.subject), question.details
    found = client.found(
        _COMPUTE, "subnetworks.get", _Subnet, project=client.project, region=question.place, subnetwork=name
    )
    if found is None:
        return _absent(client, question, "networks subnets")
    ranges = {one.range_name for one in found.secondary_ip_ranges}
    problems = [
        *([f"it is in {last(found.network)}"] if last(found.network) != last(wanted["network"]) else []),
        *([f"its addresses are {found.ip_cidr_range}"] if found.ip_cidr_range != wanted["cidr"] else []),
        *(["Private Google Access is off"] if not found.private_ip_google_access else []),
        *(f"no secondary range {wanted[use]}" for use in ("pods", "services") if wanted[use] not in ranges),
    ]
    if not problems:
        return fine(question, f"{found.ip_cidr_range}, ranges {wanted['pods']} and {wanted['services']}")
    command = f"gcloud compute networks subnets describe {name} --region={question.place} --project={client.project}"
    return refused(question, "; ".join(problems), "change the subnet, or network.existing in the spec", command)


class _Router(Reading):
    network: str = ""
    nats: Sequence[Reading] = ()


class _Routers(Page):
    items: Sequence[_Router] = ()


def ask_nat(client: Client, questions: Sequence[Question]) -> list[Answer]:
    """Whether a router of the network has Cloud NAT."""
    where = {"project": client.project, "region": questions[0].place}
    routers = [one for page in client.pages(_COMPUTE, "routers.list", _Routers, **where) for one in page.items]
    with_nat = {last(one.network) for one in routers if one.nats}
    fix = "create Cloud NAT, unless nodes reach the internet through a proxy of yours"
    return [
        fine(one, "Cloud NAT") if last(one.subject) in with_nat else refused(one, "no Cloud NAT in the region", fix)
        for one in questions
    ]


class _Address(Reading):
    name: str = ""
    address: str = ""
    prefix_length: int = 0
    purpose: str = ""
    network: str = ""

    @property
    def cidr(self) -> ipaddress.IPv4Network:
        return ipaddress.IPv4Network(f"{self.address}/{self.prefix_length}", strict=False)


class _Addresses(Page):
    items: Sequence[_Address] = ()


def ask_peering(client: Client, questions: Sequence[Question]) -> list[Answer]:
    """Whether the network has private services access with the range of the spec."""
    pages = client.pages(_COMPUTE, "globalAddresses.list", _Addresses, project=client.project)
    reserved = [one for page in pages for one in page.items if one.purpose == "VPC_PEERING" and one.prefix_length]
    return [_peering(client, one, reserved) for one in questions]


def _peering(client: Client, question: Question, reserved: Sequence[_Address]) -> Answer:
    found, name = _get(client, question), last(question.subject)
    if found is None:
        return _absent(client, question, "networks")
    here = [one for one in reserved if last(one.network) == name]
    connected = any(one.name == _SERVICE and one.state == "ACTIVE" for one in found.peerings)
    wanted = ipaddress.IPv4Network(str(question.needed))
    fitting = [one for one in here if wanted.subnet_of(one.cidr)]
    if connected and fitting:
        return fine(question, f"{fitting[0].cidr}")
    if not connected:
        ranges = ",".join(one.name for one in here) or "RANGE"
        command = (
            f"gcloud services vpc-peerings connect --service=servicenetworking.googleapis.com --network={name} "
            f"--ranges={ranges} --project={client.project}"
        )
        return refused(question, "no private services access", "connect the network", command)
    seen = ", ".join(str(one.cidr) for one in here) or "no range"
    return refused(question, seen, "write a range that is reserved as network.existing.storage, or reserve this one")


def _absent(client: Client, question: Question, kind: str) -> Answer:
    command = f"gcloud compute {kind} list --project={client.project}"
    return refused(question, "does not exist", "write the id of one that exists in network.existing", command)
