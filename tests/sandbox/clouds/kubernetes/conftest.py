"""A simulated cluster, and objects to try on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gpucluster.sandbox.clouds.cloud import Resource
from gpucluster.sandbox.clouds.kubernetes.cloud import Kubernetes
from gpucluster.sandbox.clouds.kubernetes.cluster import Cluster
from gpucluster.sandbox.clouds.outputs import after
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.types.schema import Schema

SERVER = "https://ABC.gr7.us-east-1.eks.sandbox.invalid"
Asked = Callable[..., Resource]


@pytest.fixture
def asked(schemas: dict[str, Schema]) -> Asked:
    """Makes a resource: `asked("core/v1:Namespace", "name", metadata={..})`."""

    def make(token: str, name: str = "it", /, **inputs: Any) -> Resource:
        found = Kubernetes().resource_type(schemas["kubernetes"], f"kubernetes:{token}")
        assert found is not None
        return Resource(urn=f"urn:pulumi:dev::small::kubernetes:{token}::{name}", type=found, inputs=inputs)

    return make


@pytest.fixture
def cluster(ledger: Ledger) -> Cluster:
    """A cluster that exists in the simulated AWS."""
    ledger.put(
        Entry(
            provider="aws",
            scope="us-east-1",
            type="aws:eks/cluster:Cluster",
            id="c",
            name="c",
            urn="u",
            inputs={},
            outputs={"endpoint": SERVER},
        )
    )
    return Cluster(ledger, SERVER, {})


@pytest.fixture
def create(cluster: Cluster, ledger: Ledger) -> Callable[[Resource], Entry]:
    """Creates an object as the engine would."""

    def make(resource: Resource) -> Entry:
        checked = replace(resource, inputs=cluster.defaults(resource, b"seed"))
        made = cluster.create(checked)
        entry = Entry(
            provider="kubernetes",
            scope=SERVER,
            type=checked.token,
            id=made.id,
            name=made.name,
            urn=checked.urn,
            inputs=dict(checked.inputs),
            outputs=after(checked, made.outputs),
        )
        ledger.put(entry)
        return entry

    return make
