"""Auto Scaling groups, managed instance groups and Fargate services: exact lines, or why there are none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.cost import Estimate
from gpucluster.program.resources import Resource

GROUP = "aws:autoscaling/group:Group"
SPREAD = {"onDemandBaseCapacity": 2, "onDemandPercentageAboveBaseCapacity": 50}
MIX = {
    "instancesDistribution": SPREAD,
    "launchTemplate": {"overrides": [{"instanceType": "m5.xlarge"}, {"instanceType": "m6i.xlarge"}]},
}
DISK = [{"ebs": {"volumeSize": 50, "volumeType": "gp3"}}]


def _lines(found: Estimate) -> list[tuple[str, str, str, str, str]]:
    return [
        (line.name, f"{line.monthly_floor}", f"{line.monthly}", f"{line.monthly_ceiling}", line.assumption)
        for line in found.lines
    ]


def test_an_auto_scaling_group_costs_what_is_desired_within_its_bounds(
    make: Callable[..., Resource], cost_of: Callable[..., Estimate]
) -> None:
    template = make("aws:ec2/launchTemplate:LaunchTemplate", "t", instanceType="m5.large", blockDeviceMappings=DISK)
    group = make(GROUP, "g", minSize=1, maxSize=4, desiredCapacity=2, dependencies={"launchTemplate": template})
    said = "vpcZoneIdentifiers is not set: subnets of the default VPC, where machines get a public IPv4 address"
    assert _lines(cost_of(template, group)) == [
        ("2 x m5.large on demand", "70.08", "140.16", "280.32", "Linux"),
        ("root disks, gp3", "4.00", "8.00", "16.00", ""),
        ("Public IPv4 addresses", "3.65", "7.30", "14.60", said),
    ]


def test_a_mix_is_divided_as_its_policy_says(make: Callable[..., Resource], cost_of: Callable[..., Estimate]) -> None:
    template = make("aws:ec2/launchTemplate:LaunchTemplate", "t", blockDeviceMappings=DISK)
    group = make(GROUP, "g", minSize=2, maxSize=10, desiredCapacity=6, mixedInstancesPolicy=MIX,
                 dependencies={"mixedInstancesPolicy": template})  # fmt: skip
    found = cost_of(template, group)
    said = "Linux; priced as m5.xlarge, the first of 2 machine types"
    assert [(line.name, line.quantity, line.floor, line.ceiling, line.assumption) for line in found.lines][:2] == [
        ("4 x m5.xlarge on demand", 4 * 730, 2 * 730, 6 * 730, said),
        ("2 x m5.xlarge spot", 2 * 730, 0, 4 * 730, said),
    ]


def test_a_launch_configuration_stands_for_a_template(
    make: Callable[..., Resource], cost_of: Callable[..., Estimate]
) -> None:
    configuration = make("aws:ec2/launchConfiguration:LaunchConfiguration", "c", instanceType="t3.small",
                         associatePublicIpAddress=False,
                         rootBlockDevice={"volumeSize": 10, "volumeType": "gp2"})  # fmt: skip
    group = make(GROUP, "g", minSize=3, maxSize=3, dependencies={"launchConfiguration": configuration})
    assert _lines(cost_of(configuration, group)) == [
        ("3 x t3.small on demand", "45.55", "45.55", "45.55", "Linux"),
        ("root disks, gp2", "3.00", "3.00", "3.00", ""),
    ]


def test_a_fargate_service_costs_its_tasks(make: Callable[..., Resource], cost_of: Callable[..., Estimate]) -> None:
    task = make("aws:ecs/taskDefinition:TaskDefinition", "t", cpu="512", memory="1024")
    service = make("aws:ecs/service:Service", "s", launchType="FARGATE", desiredCount=3,
                   dependencies={"taskDefinition": task})  # fmt: skip
    said = "Linux; tasks run all month, autoscaling not counted"
    assert _lines(cost_of(task, service)) == [
        ("Fargate vCPUs", "44.33", "44.33", "44.33", said),
        ("Fargate memory", "9.73", "9.73", "9.73", said),
    ]


def test_a_service_on_machines_of_its_own_is_free(
    make: Callable[..., Resource], cost_of: Callable[..., Estimate]
) -> None:
    found = cost_of(make("aws:ecs/service:Service", "s", launchType="EC2"))
    assert (found.lines, found.not_priced, len(found.free)) == ((), (), 1)


def _managed(make: Callable[..., Resource], **template: Any) -> list[Resource]:
    inputs = {"machineType": "e2-medium", "disks": [{"boot": True, "diskSizeGb": 20, "diskType": "pd-balanced"}],
              **template}  # fmt: skip
    found = make("gcp:compute/instanceTemplate:InstanceTemplate", "t", **inputs)
    group = make("gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager", "g", region="us-central1",
                 targetSize=2, dependencies={"versions": found})  # fmt: skip
    return [found, group]


def test_a_managed_instance_group_costs_its_size(
    make: Callable[..., Resource], cost_of: Callable[..., Estimate]
) -> None:
    found = cost_of(*_managed(make))
    assert [(line.name, line.quantity) for line in found.lines] == [
        ("2 x e2-medium on demand", 1460),
        ("disks, pd-balanced", 40),
    ]
    assert found.complete


def test_an_autoscaler_gives_a_managed_group_its_bounds(
    make: Callable[..., Resource], cost_of: Callable[..., Estimate]
) -> None:
    template, group = _managed(make)
    scaler = make("gcp:compute/regionAutoscaler:RegionAutoscaler", "a", dependencies={"target": group},
                  autoscalingPolicy={"minReplicas": 1, "maxReplicas": 10})  # fmt: skip
    line = cost_of(template, group, scaler).lines[0]
    assert (line.floor, line.quantity, line.ceiling) == (730, 5 * 730, 7300)
    assert line.assumption == "Linux; expected_share: 0.5 of the limit of a runs"


@pytest.mark.parametrize(
    ("type_", "inputs", "reason"),
    [
        (GROUP, {"minSize": 1, "maxSize": 1}, "its launch template or configuration is not part of this stack"),
        ("aws:ecs/service:Service", {"launchType": "FARGATE"},
         "its task definition, which sets the size of a task, is not part of this stack"),
        ("aws:ecs/service:Service", {"capacityProviderStrategies": [{"capacityProvider": "FARGATE_SPOT"}]},
         "capacityProviderStrategies decide how its tasks are billed: only launchType FARGATE is priced"),
        ("gcp:compute/instanceGroupManager:InstanceGroupManager", {"zone": "us-central1-a"},
         "its instance template is not part of this stack"),
        ("gcp:redis/instance:Instance", {"memorySizeGb": 400},
         "memorySizeGb is 400: the largest capacity tier holds 300 GiB"),
        ("gcp:sql/databaseInstance:DatabaseInstance", {"databaseVersion": "MYSQL_8_0", "settings": {"tier": "db-x"}},
         "settings.tier is 'db-x'; priced are db-custom-VCPUS-MIB, db-f1-micro, db-g1-small"),
        ("gcp:sql/databaseInstance:DatabaseInstance", {"databaseVersion": "SQLSERVER_2022_STANDARD"},
         "databaseVersion is SQL Server, which has a licence: the price book has MySQL and PostgreSQL"),
    ],
)  # fmt: skip
def test_what_cannot_be_priced_is_named(
    make: Callable[..., Resource], cost_of: Callable[..., Estimate], type_: str, inputs: dict[str, Any], reason: str
) -> None:
    region = "us-central1" if type_.startswith("gcp") else "us-east-1"
    found = cost_of(make(type_, **inputs), region=region)
    assert reason in [item.reason for item in found.not_priced]
