"""A subscription as the login sees it."""

from __future__ import annotations

import os

from azure.mgmt.resource.subscriptions.models import Subscription

from gpucluster.operate.clients.azure import clients as sdk
from gpucluster.operate.clients.azure.clients import Clients
from gpucluster.operate.clients.azure.errors import explained
from gpucluster.operate.clients.azure.login import Caller, caller_of, login
from gpucluster.operate.clients.cannot_ask import CannotAsk, explaining


def clients_at(subscription: str) -> tuple[Clients, Caller, Subscription]:
    """The clients, the caller and the subscription. Raises CannotAsk if there is no login, or if it does not see the
    subscription.
    """
    clients = Clients(credential=login(subscription, os.environ), subscription=subscription, endpoint=sdk.ENDPOINT)
    with explaining(explained):
        caller = caller_of(clients.credential.get_token(clients.scope).token)
        found = clients.subscriptions.subscriptions.get(subscription)
    if found.subscription_id is None:
        raise CannotAsk("Azure has answered without a subscription", "try again")
    return clients, caller, found
