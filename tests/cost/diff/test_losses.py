"""Data and reserved capacity that do not stay get a line of their own, whatever they cost."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from gpucluster.core.catalog.resource_types import RESERVED_CAPACITY, SHARED_STORAGE
from gpucluster.core.program.readers.deletions import Deletion
from gpucluster.core.program.resources import Resource
from gpucluster.cost.diff import Revision, diff
from gpucluster.policies.clouds.holdings import types
from tests.says import Says

Make = Callable[..., Resource]
MakeSide = Callable[..., Revision]


def _lustre(make: Make) -> Resource:
    return make(
        "aws:fsx/lustreFileSystem:LustreFileSystem", "shared", deploymentType="PERSISTENT_2", storageCapacity=1200,
        perUnitStorageThroughput=125,
    )  # fmt: skip


def test_a_file_system_that_is_replaced_for_the_same_money_is_a_loss(make: Make, side: MakeSide) -> None:
    shared = _lustre(make)
    found = diff(side(shared), side(shared, steps=True, ended=[Deletion(shared.urn, "replaced", ("subnetIds",))]))
    assert found.changed == ()
    assert [(item.name, item.outcome, item.because, item.monthly) for item in found.losses] == [
        ("shared", "storage: replaced", ("subnetIds",), Decimal("174.00"))
    ]


def test_what_leaves_the_stack_and_is_kept_is_said_to_be_billed_on(make: Make, side: MakeSide) -> None:
    bucket = make("aws:s3/bucket:Bucket", "data")
    (loss,) = diff(side(bucket), side(steps=True, ended=[Deletion(bucket.urn, "deleted", retained=True)])).losses
    assert loss.outcome == Says("storage", "deleted", "billed", "retainOnDelete")


def test_reserved_capacity_and_machines_in_it_are_losses(make: Make, side: MakeSide) -> None:
    reservation = make("aws:ec2/capacityReservation:CapacityReservation", "held", instanceType="p5.48xlarge",
                       instanceCount=1, availabilityZone="us-east-1a", instancePlatform="Linux/UNIX")  # fmt: skip
    target = {"capacityReservationTarget": {"capacityReservationId": "cr-1"}}
    inside = make("aws:ec2/instance:Instance", "inside", instanceType="p5.48xlarge", rootBlockDevice={"volumeSize": 1},
                  capacityReservationSpecification=target)  # fmt: skip
    outside = make("aws:ec2/instance:Instance", "outside", instanceType="p5.48xlarge")
    ended = [Deletion(item.urn, "deleted") for item in (reservation, inside, outside)]
    found = diff(side(reservation, inside, outside), side(steps=True, ended=ended))
    assert [(item.name, item.what) for item in found.losses] == [
        ("held", "reserved capacity"),
        ("inside", "machines in a reservation"),
    ]


def test_a_plan_says_by_its_steps_alone_what_it_deletes(make: Make, side: MakeSide) -> None:
    bucket = make("aws:s3/bucket:Bucket", "data")
    # planned in the old file and not in the new one: it never was there
    assert diff(side(bucket, steps=True), side(steps=True)).losses == ()
    assert [item.how for item in diff(side(bucket), side()).losses] == ["not in the new file"]


def test_a_single_disk_and_a_group_of_reservations_are_losses_that_no_rule_protects(make: Make, side: MakeSide) -> None:
    disk = make("aws:ebs/volume:Volume", "scratch", availabilityZone="us-east-1a", type="gp3", size=100)
    group = make("azure-native:compute:CapacityReservationGroup", "held")
    ended = [Deletion(item.urn, "deleted") for item in (disk, group)]
    found = diff(side(disk, group), side(steps=True, ended=ended))
    assert [(item.name, item.what) for item in found.losses] == [("scratch", "storage"), ("held", "reserved capacity")]
    assert not {disk.type, group.type} & {*types(SHARED_STORAGE).split(", "), *types(RESERVED_CAPACITY).split(", ")}
