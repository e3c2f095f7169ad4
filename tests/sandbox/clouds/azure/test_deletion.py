"""What ARM refuses to delete, and what goes along."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gpucluster.sandbox.clouds.azure.cloud import AzureAccount
from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.store.ledger import Entry

Stage = Any


def _object(account: AzureAccount, stage: Stage) -> None:
    """Something in the cluster."""
    scope = f"https://{stage.cluster.outputs['fqdn']}:443"
    kind = "kubernetes:core/v1:Namespace"
    urn = f"urn:pulumi:dev::small::{kind}::n"
    account.ledger.put(
        Entry(provider="kubernetes", scope=scope, type=kind, id="n", name="n", urn=urn, inputs={}, outputs={})
    )


def _left(account: AzureAccount) -> set[str]:
    return {entry.name for entry in account.ledger.all()}


def test_with_a_group_goes_all_that_is_in_it(account: AzureAccount, stage: Stage) -> None:
    stage.pool()
    stage.file_system()
    _object(account, stage)
    assert account.delete(stage.group)
    assert _left(account) == {"g"}


def test_with_a_cluster_go_its_pools_and_its_objects(account: AzureAccount, stage: Stage) -> None:
    stage.pool()
    _object(account, stage)
    assert account.delete(stage.cluster)
    assert _left(account) == {"g", "v", "nodes", "lustre", "identity", "c"}


def test_a_system_pool_may_go_while_another_pool_of_its_cluster_is_one(account: AzureAccount, stage: Stage) -> None:
    first, second = (stage.pool(name, mode="System", vmSize="Standard_D4s_v5", count=1) for name in ("one", "two"))
    account.ledger.put(replace(stage.cluster, inputs={**stage.cluster.inputs, "agentPoolProfiles": []}))
    assert account.delete(first)
    account.ledger.remove(first.provider, first.scope, first.type, first.id)
    with pytest.raises(CloudError, match="The last system agent pool 'two' cannot be deleted"):
        account.delete(second)


def test_the_last_system_pool_stays(account: AzureAccount, stage: Stage) -> None:
    second = stage.pool("second", mode="System", vmSize="Standard_D4s_v5", count=1)
    assert account.delete(second)
    account.ledger.put(replace(stage.cluster, inputs={**stage.cluster.inputs, "agentPoolProfiles": []}))
    with pytest.raises(CloudError, match="The last system agent pool 'second' cannot be deleted"):
        account.delete(second)
