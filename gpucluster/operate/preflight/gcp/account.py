"""The project of a plan, and the caller."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from googleapiclient.errors import HttpError

from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.planning.plan import GcpClusterPlan
from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.cannot_ask import CannotAsk, explaining
from gpucluster.operate.clients.gcp.client import Client
from gpucluster.operate.clients.gcp.errors import explained
from gpucluster.operate.clients.gcp.login import client_at
from gpucluster.operate.preflight.answers import Account, Answer, Asker
from gpucluster.operate.preflight.gcp.clusters import ask_lustre_zone, ask_versions
from gpucluster.operate.preflight.gcp.machines import ask_capacity, ask_machines
from gpucluster.operate.preflight.gcp.networks import ask_nat, ask_networks, ask_peering, ask_subnets
from gpucluster.operate.preflight.gcp.own_use import Own
from gpucluster.operate.preflight.gcp.policies import ask_policies
from gpucluster.operate.preflight.gcp.project import (
    ask_apis,
    ask_billing,
    ask_logins,
    ask_project,
    ask_rights,
    states_of_apis,
)
from gpucluster.operate.preflight.gcp.quotas import ask_quotas
from gpucluster.operate.preflight.gcp.reservations import ask_reservations

_ASKERS: Final[Mapping[str, Callable[[Client, Sequence[Question]], Sequence[Answer]]]] = {
    "api": ask_apis,
    "billing": ask_billing,
    "capacity": ask_capacity,
    "gke-version": ask_versions,
    "lustre-zone": ask_lustre_zone,
    "machine": ask_machines,
    "nat": ask_nat,
    "network": ask_networks,
    "peering": ask_peering,
    "policy": ask_policies,
    "project": ask_project,
    "right": ask_rights,
    "subnet": ask_subnets,
}


def open_account(plan: GcpClusterPlan, location: Location, _: object = None) -> Account:
    """The project at the location, with the application default credentials. Raises CannotAsk without usable ones, and
    for a project that they cannot see.
    """
    client, who = client_at(location.project)
    with explaining(explained):
        _check_apis(client)
    return account_of(client, who, Own(client, plan))


def account_of(client: Client, who: str, own: Own) -> Account:
    """The project of a client. who: the caller, empty if the login does not tell. own: use by the stack."""
    found: dict[str, Asker] = {about: partial(asker, client) for about, asker in _ASKERS.items()}
    found |= {"quota": partial(ask_quotas, client, own), "reservation": partial(ask_reservations, client, own)}
    return Account(
        identity=f"{who or 'the application default credentials'} in project {client.project}",
        askers={**found, "login": partial(ask_logins, who)},
        explained=explained,
    )


_ASKING: Final = ("cloudbilling", "cloudresourcemanager", "compute", "container", "monitoring", "orgpolicy")
"""APIs that answer. Service Usage is on in every project."""


def _check_apis(client: Client) -> None:
    """Without Compute Engine's API, a project answers next to nothing."""
    try:
        states = states_of_apis(client, [f"{name}.googleapis.com" for name in _ASKING])
    except HttpError:
        return
    off = sorted(name for name, state in states.items() if state == "DISABLED")
    if "compute.googleapis.com" in off:
        raise CannotAsk(
            f"the project {client.project} is new: the APIs that would answer are not enabled",
            "enable them, and ask again in a minute",
            f"gcloud services enable {' '.join(off)} --project={client.project}",
        )
