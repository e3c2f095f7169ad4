"""A project of the simulated Google Cloud, and things to try rules on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from sandbox.clouds.gcp.cloud import GcpAccount, Settings
from sandbox.clouds.ledger import Entry, Ledger


@pytest.fixture
def account(ledger: Ledger) -> GcpAccount:
    """The provider of the project `p` in us-central1."""
    return GcpAccount(ledger, Settings(project="p", region="us-central1"))


@pytest.fixture
def create(account: GcpAccount, create_in_gcp: Callable[..., Entry]) -> Callable[..., Entry]:
    """Creates a resource in the project as the engine would, and returns what the ledger then has."""
    return partial(create_in_gcp, account)
