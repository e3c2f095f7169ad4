"""Data and reserved capacity that do not stay get a line of their own, whatever they cost."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from gpucluster.cost.changes import Side, diff
from gpucluster.cost.changes.losses import CAPACITY, STORAGE
from gpucluster.policies.clouds.holdings import RESERVED_CAPACITY, SHARED_STORAGE, holdings
from gpucluster.program.readers.ended import Ended
from gpucluster.program.resources import Resource

Make = Callable[..., Resource]
MakeSide = Callable[..., Side]


def _lustre(make: Make) -> Resource:
    return make(
        "aws:fsx/lustreFileSystem:LustreFileSystem", "shared", deploymentType="PERSISTENT_2", storageCapacity=1200,
        perUnitStorageThroughput=125,
    )  # fmt: skip


def test_a_file_system_that_is_replaced_for_the_same_money_is_a_loss(make: Make, side: MakeSide) -> None:
    shared = _lustre(make)
    found = diff(side(shared), side(shared, steps=True, ended=[Ended(shared.urn, "replaced", ("subnetIds",))]))
    assert found.changed == ()
    assert [(item.name, item.outcome, item.because, item.monthly) for item in found.losses] == [
        ("shared", "storage: replaced", ("subnetIds",), Decimal("174.00"))
    ]


def test_what_leaves_the_stack_and_is_kept_is_said_to_be_billed_on(make: Make, side: MakeSide) -> None:
    bucket = make("aws:s3/bucket:Bucket", "data")
    (loss,) = diff(side(bucket), side(steps=True, ended=[Ended(bucket.urn, "deleted", retained=True)])).losses
    assert loss.outcome == "storage: deleted in the stack, and kept and billed in the cloud (retainOnDelete)"


def test_reserved_capacity_and_machines_in_it_are_losses(make: Make, side: MakeSide) -> None:
    reservation = make("aws:ec2/capacityReservation:CapacityReservation", "held", instanceType="p5.48xlarge",
                       instanceCount=1, availabilityZone="us-east-1a", instancePlatform="Linux/UNIX")  # fmt: skip
    target = {"capacityReservationTarget": {"capacityReservationId": "cr-1"}}
    inside = make("aws:ec2/instance:Instance", "inside", instanceType="p5.48xlarge", rootBlockDevice={"volumeSize": 1},
                  capacityReservationSpecification=target)  # fmt: skip
    outside = make("aws:ec2/instance:Instance", "outside", instanceType="p5.48xlarge")
    ended = [Ended(item.urn, "deleted") for item in (reservation, inside, outside)]
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


def test_every_type_that_holds_data_or_machines_is_one_of_an_installed_sdk() -> None:
    """A token that no SDK has would never match."""
    import importlib.util
    from pathlib import Path

    packages = {"aws": "pulumi_aws", "gcp": "pulumi_gcp", "azure-native": "pulumi_azure_native"}
    missing: list[str] = []
    for token in sorted(STORAGE | CAPACITY):
        package, module, _ = token.split(":")
        spec = importlib.util.find_spec(packages[package])
        assert spec is not None and spec.origin is not None
        folder = Path(spec.origin).parent / module.split("/")[0]
        if not any(f"'{token}'" in path.read_text() for path in folder.glob("*.py") if path.name != "__init__.py"):
            missing.append(token)
    assert missing == []


def test_what_the_rules_of_the_policy_pack_protect_is_a_loss_here_too() -> None:
    """The two tables say different things, and so are two: a rule spares what the cloud itself keeps, such as a bucket
    with objects; a reader of a bill wants to know of single disks and of every bucket."""
    for what, here in ((SHARED_STORAGE, STORAGE), (RESERVED_CAPACITY, CAPACITY)):
        protected = {type_ for type_, row in holdings().items() if row.holds == what}
        assert protected
        assert protected - here == set()
