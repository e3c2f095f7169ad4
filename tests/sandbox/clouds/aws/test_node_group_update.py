"""An update of a node group is two requests: first its version, then all else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from gpucluster.sandbox.clouds.aws.cloud import Aws, AwsAccount
from gpucluster.sandbox.clouds.cloud import CloudError, Resource
from gpucluster.sandbox.clouds.events.long_running import UnfinishedError, Waiting
from gpucluster.sandbox.clouds.events.scenario import Capacity, Scenario
from gpucluster.sandbox.clouds.events.weather import Weather
from gpucluster.sandbox.clouds.requests import Maker, Requests
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger, Operation
from gpucluster.sandbox.clouds.types.values import UNKNOWN

NODES = "eks/nodeGroup:NodeGroup"


@pytest.fixture
def group(create: Callable[..., Entry]) -> Entry:
    """Five p5.48xlarge that run, at version 1 of their template."""
    vpc = create("ec2/vpc:Vpc", "vpc", cidrBlock="10.0.0.0/16")
    subnets = [
        create(
            "ec2/subnet:Subnet", zone, vpcId=vpc.id, cidrBlock=f"10.0.{at}.0/24", availabilityZone=f"us-east-1{zone}"
        ).id
        for at, zone in enumerate("ab")
    ]
    create("eks/cluster:Cluster", "c", name="c", roleArn="arn", vpcConfig={"subnetIds": subnets})
    template = create("ec2/launchTemplate:LaunchTemplate", "t", instanceType="p5.48xlarge")
    return create(
        NODES,
        "n",
        clusterName="c",
        nodeRoleArn="arn",
        nodeGroupName="n",
        subnetIds=subnets[:1],
        launchTemplate={"id": template.id, "version": "1"},
        scalingConfig=_size(5),
    )


@pytest.fixture
def update(account: AwsAccount, aws: Callable[..., Resource], group: Entry) -> Callable[..., Entry]:
    """Changes the group, with this many machines in its zone."""

    def ask(available: int, changes: Mapping[str, Any]) -> Entry:
        room = Capacity(cloud="aws", zone="us-east-1a", machine="p5.48xlarge", available=available)
        weather = Weather(Scenario(capacity=(room,)))
        requests = Requests(Aws(), account, weather, Waiting(account.ledger), Maker("", {}), lambda: None)
        return requests.update(_changed(aws, group, changes))

    return ask


def _changed(aws: Callable[..., Resource], group: Entry, changes: Mapping[str, Any]) -> Resource:
    asked = aws(NODES, "n", **{**group.inputs, **changes})
    return Resource(
        urn=group.urn, type=asked.type, inputs=asked.inputs, old_inputs=group.inputs, outputs=group.outputs, id=group.id
    )


def _size(nodes: int) -> dict[str, int]:
    return {"minSize": nodes, "desiredSize": nodes, "maxSize": 5}


def _template(group: Entry, version: str) -> dict[str, Any]:
    return {"launchTemplate": {**group.inputs["launchTemplate"], "version": version}}


def test_nodes_are_replaced_before_they_are_removed_and_without_machines_none_is_removed(
    update: Callable[..., Entry], group: Entry, ledger: Ledger
) -> None:
    with pytest.raises(UnfinishedError, match=r"InsufficientInstanceCapacity .* p5\.48xlarge"):
        update(4, {**_template(group, "2"), "scalingConfig": _size(0)})
    there = ledger.get("aws", group.scope, group.type, group.id)
    assert there is not None
    assert (there.inputs["launchTemplate"]["version"], there.inputs["scalingConfig"]["desiredSize"]) == ("2", 5)


@pytest.mark.parametrize(("available", "version"), [(0, "1"), (5, "2")])
def test_nodes_are_removed_at_once_where_the_version_stays_or_after_all_were_replaced(
    update: Callable[..., Entry], group: Entry, available: int, version: str
) -> None:
    there = update(available, {**_template(group, version), "scalingConfig": _size(0)})
    assert (there.outputs["launchTemplate"]["version"], there.outputs["scalingConfig"]["desiredSize"]) == (version, 0)


def test_a_group_that_eks_failed_to_create_stays_so_without_a_difference_and_is_refused_one(
    update: Callable[..., Entry], group: Entry, ledger: Ledger
) -> None:
    failed = {"status": "CREATE_FAILED"}
    failure = Operation(state="CREATING", ends=0, then=failed, error="no", failed="CREATE_FAILED", machines=3)
    ledger.put(replace(group, failure=failure))
    assert (update(5, {}).outputs["status"], ledger.all()[-1].state) == ("CREATE_FAILED", "CREATE_FAILED")
    with pytest.raises(CloudError, match="Nodegroup cannot be updated as it is currently not in Active State"):
        update(5, {"scalingConfig": _size(4)})


@pytest.mark.parametrize(
    ("version", "nodes", "first", "told"),
    [
        ("1", 0, None, ""),
        ("2", 5, None, ""),
        ("2", 6, 5, ""),
        ("2", 0, 5, "replaces all 5 nodes before UpdateNodegroupConfig removes 5"),
    ],
)
def test_only_what_is_lost_by_the_order_is_told(
    account: AwsAccount,
    aws: Callable[..., Resource],
    group: Entry,
    version: str,
    nodes: int,
    first: int | None,
    told: str,
) -> None:
    found = account.before_update(_changed(aws, group, {**_template(group, version), "scalingConfig": _size(nodes)}))
    if first is None:
        assert found is None
    else:
        assert found is not None
        inputs, notice = found
        assert (inputs["launchTemplate"]["version"], inputs["scalingConfig"]["desiredSize"]) == (version, first)
        assert told in notice if told else not notice


@pytest.mark.parametrize("scaling", [UNKNOWN, {**_size(0), "desiredSize": UNKNOWN}], ids=["all", "number"])
def test_of_a_size_that_is_not_known_yet_nothing_is_told(
    account: AwsAccount, aws: Callable[..., Resource], group: Entry, scaling: object
) -> None:
    found = account.before_update(_changed(aws, group, {**_template(group, "2"), "scalingConfig": scaling}))
    assert found is not None
    assert (found[0]["scalingConfig"]["desiredSize"], found[1]) == (5, "")
