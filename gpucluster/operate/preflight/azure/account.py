"""The subscription of a plan, and who answers each kind of question about it."""

from __future__ import annotations

from gpucluster.components.azure.location import Location
from gpucluster.components.azure.planning.plan import AzureClusterPlan
from gpucluster.operate.clients.azure.errors import explained
from gpucluster.operate.clients.azure.subscription import clients_at
from gpucluster.operate.preflight.answers import Account
from gpucluster.operate.preflight.azure.lustre import lustre_askers
from gpucluster.operate.preflight.azure.machines import machine_askers
from gpucluster.operate.preflight.azure.network import network_askers
from gpucluster.operate.preflight.azure.quotas import quota_askers
from gpucluster.operate.preflight.azure.reservations import reservation_askers
from gpucluster.operate.preflight.azure.rights import rights_askers
from gpucluster.operate.preflight.azure.storage import storage_askers
from gpucluster.operate.preflight.azure.subscription import subscription_askers


def open_account(plan: AzureClusterPlan, location: Location, _: object = None) -> Account:
    """The login, and its subscription. Raises CannotAsk if there is none, or if it does not see the subscription.
    plan: of a cluster on Azure.
    """
    clients, caller, found = clients_at(location.subscription)
    return Account(
        identity=f"{caller.name} in subscription {found.display_name or location.subscription}",
        askers={
            **subscription_askers(clients, found),
            **quota_askers(clients, plan),
            **machine_askers(clients),
            **rights_askers(clients, caller),
            **lustre_askers(clients),
            **reservation_askers(clients, plan),
            **network_askers(clients),
            **storage_askers(clients),
        },
        explained=explained,
    )
