"""What goes on after ARM has answered, what has to wait for it, and what is refused meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gpucluster.sandbox.clouds.azure.cloud import AzureAccount
from gpucluster.sandbox.clouds.cloud import Act, BusyError, CloudError, Resource
from gpucluster.sandbox.clouds.events.long_running import begin_operation
from gpucluster.sandbox.clouds.events.scenario import Disturbance
from gpucluster.sandbox.clouds.store.ledger import Entry

Stage = Any

LONG = 60.0


def _lasting(entry: Entry) -> Disturbance:
    return Disturbance(type=entry.type, seconds=LONG)


def _go_on(stage: Stage, entry: Entry, act: Act = Act.CREATE) -> Entry:
    """Lets an operation on the thing go on for a minute."""
    going = begin_operation(entry, act, _lasting(entry), 0)
    stage.create.args[0].ledger.put(going)
    return going


@pytest.mark.parametrize(
    ("make", "act", "state"),
    [
        (lambda stage: stage.cluster, Act.CREATE, "Creating"),
        (lambda stage: stage.pool(), Act.UPDATE, "Updating"),
        (lambda stage: stage.file_system(), Act.DELETE, "Deleting"),
        (lambda stage: stage.vnet, Act.CREATE, "Updating"),
        (lambda stage: stage.group, Act.DELETE, "Deleting"),
        (lambda stage: stage.group, Act.CREATE, None),
        (lambda stage: stage.identity, Act.CREATE, None),
    ],
    ids=["cluster", "pool", "lustre", "network", "group-goes", "group-comes", "identity"],
)
def test_what_lasts_has_the_name_that_its_service_gives_it(
    stage: Stage, make: Callable[[Stage], Entry], act: Act, state: str | None
) -> None:
    operation = begin_operation(make(stage), act, None, 0.05).operation
    assert (operation.state if operation is not None else None) == state


def test_a_thing_is_ready_or_failed_or_gone_once_its_time_has_come(stage: Stage, account: AzureAccount) -> None:
    def later(entry: Entry, act: Act, error: str = "") -> Entry | None:
        wish = Disturbance(type=entry.type, seconds=LONG, fails="partial" if error else "", error=error)
        going = begin_operation(entry, act, wish, 0)
        assert going.operation is not None
        account.ledger.put(going)
        during = account.ledger.get(entry.provider, entry.scope, entry.type, entry.id)
        assert during is not None
        assert during.state == during.outputs["provisioningState"] == going.operation.state
        account.ledger.put(replace(going, operation=replace(going.operation, ends=time.time() - 1)))
        return account.ledger.get(entry.provider, entry.scope, entry.type, entry.id)

    made, failed = later(stage.cluster, Act.CREATE), later(stage.nodes, Act.UPDATE, error="no")
    assert made is not None
    assert failed is not None
    assert (made.state, made.operation, failed.state) == ("Succeeded", None, "Failed")
    assert later(stage.lustre, Act.DELETE, error="deletions do not fail") is None


PENDING = r'Status=409 Code="OperationNotAllowed" Message="Operation is not allowed: Another {} is in progress'


@pytest.mark.parametrize(
    ("busy", "ask", "kind", "message"),
    [
        (
            lambda stage: stage.cluster,
            lambda stage: stage.pool(),
            CloudError,
            PENDING.format(r"operation \(Creating\)"),
        ),
        (
            lambda stage: stage.vnet,
            lambda stage: stage.subnet("more", "10.16.32.0/24"),
            BusyError,
            'Status=409 Code="AnotherOperationInProgress"',
        ),
        (
            lambda stage: stage.nodes,
            lambda stage: stage.subnet("more", "10.16.32.0/24"),
            BusyError,
            'Status=409 Code="AnotherOperationInProgress"',
        ),
        (
            lambda stage: stage.make("network:NatGateway", "nat", natGatewayName="nat", sku={"name": "Standard"}),
            lambda stage: stage.subnet("more", "10.16.32.0/24", natGateway={"id": f"{stage.group.id}{NAT}"}),
            BusyError,
            'Status=429 Code="ReferencedResourceNotProvisioned" .*natGateways/nat used by resource .*/subnets/more is '
            "not in Succeeded state. Resource is in Updating state",
        ),
    ],
    ids=["pool-of-a-cluster", "subnet-of-a-network", "subnet-beside-another", "subnet-with-a-gateway"],
)
def test_what_needs_it_ready_is_refused_or_asked_again(
    stage: Stage, busy: Any, ask: Any, kind: type[CloudError], message: str
) -> None:
    _go_on(stage, busy(stage))
    with pytest.raises(CloudError, match=message) as refusal:
        ask(stage)
    assert type(refusal.value) is kind


NAT = "/providers/Microsoft.Network/natGateways/nat"


def test_pools_of_one_network_are_made_one_after_the_other(stage: Stage) -> None:
    _go_on(stage, stage.pool("first"))
    with pytest.raises(CloudError, match=r'Code="SetVNetOwnershipFailed" .*VirtualNetworkNotInSucceededState'):
        stage.pool("second")
    space = {"addressSpace": {"addressPrefixes": ["10.32.0.0/16"]}}
    stage.make("network:VirtualNetwork", "other", virtualNetworkName="other", **space)
    beside = {"virtualNetworkName": "other", "subnetName": "nodes", "addressPrefix": "10.32.0.0/20"}
    stage.pool("third", vnetSubnetID=stage.make("network:Subnet", "beside", **beside).id)


def test_pools_are_made_side_by_side_and_the_cluster_waits_for_them(
    stage: Stage, account: AzureAccount, azure: Callable[..., Resource]
) -> None:
    _go_on(stage, stage.pool("first", vnetSubnetID=None))
    stage.pool("second", vnetSubnetID=None)
    asked = azure("containerservice:ManagedCluster", "c", **stage.cluster.inputs)
    changed = replace(asked, old_inputs=asked.inputs, outputs=stage.cluster.outputs, id=stage.cluster.id)
    with pytest.raises(CloudError, match=PENDING.format(r"agentpool operation \(first - Creating\)")):
        account.update(changed)


def test_what_is_on_its_way_is_deleted_only_afterwards_and_what_is_going_may_be_deleted_again(
    stage: Stage, account: AzureAccount
) -> None:
    pool = _go_on(stage, stage.pool())
    with pytest.raises(CloudError, match=PENDING.format(r"agentpool operation \(training - Creating\)")):
        account.delete(pool)
    assert account.delete(_go_on(stage, stage.file_system(), Act.DELETE))


def test_nothing_is_made_in_a_group_that_goes(stage: Stage) -> None:
    _go_on(stage, stage.group, Act.DELETE)
    with pytest.raises(CloudError, match='Status=409 Code="ResourceGroupBeingDeleted" Message="The resource group'):
        stage.make("network:PublicIPAddress", "address", publicIpAddressName="address")


def test_an_id_stays_taken_while_its_thing_goes(stage: Stage) -> None:
    _go_on(stage, stage.lustre, Act.DELETE)
    with pytest.raises(CloudError, match=r"cannot create already existing resource '.*/subnets/lustre'"):
        stage.subnet("lustre", "10.16.16.0/24")
