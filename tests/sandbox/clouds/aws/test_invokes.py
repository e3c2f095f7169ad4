"""Data sources with an answer of the simulated account."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gpucluster.sandbox.clouds.aws.cloud import AwsAccount
from gpucluster.sandbox.clouds.cloud import Act, CloudError, UnansweredError
from gpucluster.sandbox.clouds.events.long_running import begin_operation
from gpucluster.sandbox.clouds.events.scenario import Disturbance
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger

NAT = "aws:ec2/getNatGateway:getNatGateway"


def _failed(entry: Entry) -> Entry:
    going = begin_operation(entry, Act.CREATE, Disturbance(type=entry.type, fails="partial", error="no"), 0)
    assert going.operation is not None
    return replace(going, operation=None, failure=going.operation)


def test_a_nat_gateway_is_available_or_failed_as_the_cloud_has_it(
    account: AwsAccount, create: Callable[..., Entry], ledger: Ledger
) -> None:
    vpc = create("ec2/vpc:Vpc", cidrBlock="10.0.0.0/16")
    subnet = create("ec2/subnet:Subnet", vpcId=vpc.id, cidrBlock="10.0.0.0/24")
    gateway = create("ec2/natGateway:NatGateway", subnetId=subnet.id, connectivityType="private")
    states: list[Any] = [account.invoke(NAT, {"id": gateway.id})["state"]]
    ledger.put(_failed(gateway))
    states.append(account.invoke(NAT, {"id": gateway.id})["state"])
    assert states == ["available", "failed"]
    with pytest.raises(CloudError, match="no matching EC2 NAT Gateway found"):
        account.invoke(NAT, {"id": "nat-0"})
    with pytest.raises(UnansweredError):
        account.invoke(NAT, {"subnetId": subnet.id})


@pytest.mark.parametrize(("error", "then"), [("no", {"arn": None}), ("", {})])
def test_the_state_of_an_add_on_lacks_its_arn_only_after_a_creation_that_failed(
    create: Callable[..., Entry], error: str, then: dict[str, Any]
) -> None:
    group = create("ec2/vpc:Vpc", cidrBlock="10.0.0.0/16")
    addon = replace(group, type="aws:eks/addon:Addon", outputs={"arn": "a"})
    wish = Disturbance(type=addon.type, seconds=60, fails="partial" if error else "", error=error)
    for act, expected in ((Act.CREATE, then), (Act.UPDATE, {})):
        operation = begin_operation(addon, act, wish, 0).operation
        assert operation is not None
        assert operation.then == expected
