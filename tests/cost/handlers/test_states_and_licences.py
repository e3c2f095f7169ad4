"""Machines that do not run, and images with a licence: what of them is billed, and what has no price in the book."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gpucluster.core.program.resources import UNKNOWN, Resource
from gpucluster.cost import Estimate
from tests.says import Says

Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]
GOOGLE: dict[str, Any] = {
    "machineType": "a3-highgpu-8g",
    "zone": "us-central1-a",
    "bootDisk": {"initializeParams": {"size": 100, "type": "pd-balanced", "image": "debian-cloud/debian-12"}},
    "networkInterfaces": [{"accessConfigs": [{}]}],
}
AZURE: dict[str, Any] = {
    "location": "eastus",
    "hardwareProfile": {"vmSize": "Standard_D4s_v5"},
    "storageProfile": {"osDisk": {"diffDiskSettings": {"option": "Local"}}},
}


def _google(make: Make, cost_of: CostOf, **changes: Any) -> tuple[list[str], list[str]]:
    return _told(cost_of(make("gcp:compute/instance:Instance", **{**GOOGLE, **changes})))


def _told(found: Estimate) -> tuple[list[str], list[str]]:
    """(names of lines, what has no price)."""
    return [line.name for line in found.lines], [item.reason for item in found.not_priced]


@pytest.mark.parametrize("status", ["RUNNING", None])
def test_a_machine_that_runs_is_billed_with_its_disk_and_address(make: Make, cost_of: CostOf, status: str) -> None:
    lines, lacks = _google(make, cost_of, desiredStatus=status)
    assert any("a3-highgpu-8g" in line for line in lines)
    assert (any("boot disk" in line for line in lines), "External IPv4 address" in lines, lacks) == (True, True, [])


def test_of_a_stopped_machine_its_disk_alone_is_billed(make: Make, cost_of: CostOf) -> None:
    [line], lacks = _google(make, cost_of, desiredStatus="TERMINATED")
    assert ("boot disk" in line, lacks) == (True, [])


def test_a_stopped_machine_is_still_billed_for_a_reservation_elsewhere(make: Make, cost_of: CostOf) -> None:
    affinity = {"type": "SPECIFIC_RESERVATION", "specificReservation": {"key": "k", "values": ["held"]}}
    found = cost_of(
        make("gcp:compute/instance:Instance", "box", **GOOGLE, desiredStatus="TERMINATED", reservationAffinity=affinity)
    )
    assert ["held" in line.name for line in found.lines] == [True, False]
    assert any(text == Says("box", "stopped", "hours, by their reservation") for text in found.assumptions)


@pytest.mark.parametrize(
    ("status", "declared", "lines", "lacks"),
    [("RUNNING", None, 3, 0), ("TERMINATED", None, 1, 0), ("STOPPING", None, 1, 0), ("SUSPENDED", None, 1, 1),
     ("TERMINATED", "RUNNING", 3, 0)],
)  # fmt: skip
def test_a_machine_that_a_refresh_found_stopped_is_billed_as_declared_or_found(
    make: Make, cost_of: CostOf, status: str, declared: str | None, lines: int, lacks: int
) -> None:
    machine = make("gcp:compute/instance:Instance", "box", **GOOGLE, desiredStatus=declared)
    found = cost_of(replace(machine, outputs={"currentStatus": status}))
    assert (len(found.lines), len(found.not_priced)) == (lines, lacks)
    assert any(text == Says("box", "stopped", "its hours are not") for text in found.assumptions) == (
        (lines, lacks) == (1, 0)
    )


def test_the_memory_of_a_suspended_machine_has_no_price(make: Make, cost_of: CostOf) -> None:
    [line], [reason] = _google(make, cost_of, desiredStatus="SUSPENDED")
    assert ("boot disk" in line, "SUSPENDED" in reason) == (True, True)


AMAZON: dict[str, Any] = {"instanceType": "p5.48xlarge", "rootBlockDevice": {"volumeType": "gp3", "volumeSize": 100},
                          "associatePublicIpAddress": True}  # fmt: skip


def _amazon(make: Make, cost_of: CostOf, state: object = None, **changes: Any) -> tuple[list[str], list[str]]:
    machine = make("aws:ec2/instance:Instance", "box", **{**AMAZON, **changes})
    type_ = "aws:ec2transitgateway/instanceState:InstanceState"
    declared = make(type_, "state", instanceId="i-1", state=state, dependencies={"instanceId": machine})
    return _told(cost_of(machine, *([] if state is None else [declared])))


@pytest.mark.parametrize("state", [None, "running"])
def test_an_instance_that_runs_is_billed_with_its_disk_and_address(make: Make, cost_of: CostOf, state: str) -> None:
    lines, lacks = _amazon(make, cost_of, state)
    assert (len(lines), lacks, "p5.48xlarge" in lines[0]) == (3, [], True)


@pytest.mark.parametrize("market", [None, {"marketType": "spot"}])
def test_of_an_instance_declared_as_stopped_its_disk_alone_is_billed(
    make: Make, cost_of: CostOf, market: dict[str, str] | None
) -> None:
    [line], lacks = _amazon(make, cost_of, "stopped", instanceMarketOptions=market)
    assert ("root disk" in line, lacks) == (True, [])


def test_an_instance_whose_state_is_unknown_has_no_price(make: Make, cost_of: CostOf) -> None:
    lines, [reason] = _amazon(make, cost_of, UNKNOWN)
    assert (lines, "state" in reason) == ([], True)


@pytest.mark.parametrize(("state", "declared", "lines"), [("stopped", None, 1), ("running", None, 3),
                                                         ("stopped", "running", 3)])  # fmt: skip
def test_an_instance_that_a_refresh_found_stopped_is_billed_as_declared_or_found(
    make: Make, cost_of: CostOf, state: str, declared: str | None, lines: int
) -> None:
    machine = replace(make("aws:ec2/instance:Instance", "box", **AMAZON), outputs={"instanceState": state})
    type_ = "aws:ec2transitgateway/instanceState:InstanceState"
    beside = [make(type_, "state", instanceId="i-1", state=declared, dependencies={"instanceId": machine})]
    found = cost_of(machine, *(beside if declared else []))
    assert len(found.lines) == lines
    assert any("box" in text for text in found.assumptions) == (lines == 1)


def test_a_stopped_instance_takes_no_place_in_an_open_reservation(make: Make, cost_of: CostOf) -> None:
    zone = {"availabilityZone": "us-east-1a"}
    held = make("aws:ec2/capacityReservation:CapacityReservation", "held", instanceType="p5.48xlarge",
                instancePlatform="Linux/UNIX", instanceCount=1, **zone)  # fmt: skip
    stopped = replace(make("aws:ec2/instance:Instance", "a", **AMAZON, **zone), outputs={"instanceState": "stopped"})
    found = cost_of(held, stopped, make("aws:ec2/instance:Instance", "b", **AMAZON, **zone))
    assert [(line.urn.rsplit("::", 1)[-1], line.paid_by) for line in found.lines if line.unit == "instance-hour"] == [
        ("held", ""), ("b", "held")]  # fmt: skip


def test_a_stopped_instance_is_still_billed_for_a_reservation_elsewhere(make: Make, cost_of: CostOf) -> None:
    target = {"capacityReservationTarget": {"capacityReservationId": "cr-1"}}
    lines, lacks = _amazon(make, cost_of, "stopped", capacityReservationSpecification=target)
    assert (len(lines), "cr-1" in lines[0], lacks) == (2, True, [])


def test_stopped_machines_of_azure_are_still_billed_for_their_reservation(make: Make, cost_of: CostOf) -> None:
    group = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/capacityReservationGroups/held"
    power = {"powerState": {"code": "Stopped"}}
    pool = make("azure-native:containerservice:AgentPool", "pool", **POOL, **power, capacityReservationGroupID=group)
    box = make("azure-native:compute:VirtualMachine", "box", **AZURE,
               capacityReservation={"capacityReservationGroup": {"id": group}})  # fmt: skip
    found = cost_of(pool, replace(box, outputs={"instanceView": {"statuses": [{"code": "PowerState/deallocated"}]}}))
    assert sum("held" in line.name for line in found.lines) == 2
    for name in ("pool", "box"):
        assert any(text == Says(name, "stopped", "hours, by their reservation") for text in found.assumptions)


POOL: dict[str, Any] = {"location": "eastus", "resourceName": "c", "vmSize": "Standard_D4s_v5", "count": 2,
                        "osDiskType": "Managed", "osDiskSizeGB": 128}  # fmt: skip


@pytest.mark.parametrize(("state", "number"), [("Running", 2), ("Stopped", 1)])
def test_of_a_stopped_node_pool_its_disks_alone_are_billed(
    make: Make, cost_of: CostOf, state: str, number: int
) -> None:
    power = {"powerState": {"code": state}}
    lines, lacks = _told(cost_of(make("azure-native:containerservice:AgentPool", "pool", **POOL, **power)))
    assert (len(lines), "system disks" in lines[-1], lacks) == (number, True, [])


def test_a_node_pool_whose_state_is_unknown_has_no_price(make: Make, cost_of: CostOf) -> None:
    power = {"powerState": {"code": UNKNOWN}}
    lines, [reason] = _told(cost_of(make("azure-native:containerservice:AgentPool", "pool", **POOL, **power)))
    assert (lines, "powerState" in reason) == ([], True)


@pytest.mark.parametrize(("code", "number"), [("running", 2), ("stopped", 2), ("deallocated", 1)])
def test_of_a_deallocated_machine_its_disk_alone_is_billed(make: Make, cost_of: CostOf, code: str, number: int) -> None:
    disk = {"osDisk": {"diskSizeGB": 128, "managedDisk": {"storageAccountType": "Premium_LRS"}}}
    machine = make("azure-native:compute:VirtualMachine", "box", **{**AZURE, "storageProfile": disk})
    statuses = [{"code": "ProvisioningState/succeeded"}, {"code": f"PowerState/{code}"}]
    lines, lacks = _told(cost_of(replace(machine, outputs={"instanceView": {"statuses": statuses}})))
    assert (len(lines), "system disks" in lines[-1], lacks) == (number, True, [])


@pytest.mark.parametrize("image", ["windows-cloud/windows-2022", "projects/rhel-cloud/global/images/family/rhel-9"])
def test_an_image_with_a_licence_is_not_priced_as_linux_without_one(make: Make, cost_of: CostOf, image: str) -> None:
    disk = {"initializeParams": {**GOOGLE["bootDisk"]["initializeParams"], "image": image}}
    lines, [reason] = _google(make, cost_of, bootDisk=disk)
    assert reason.startswith("an image of ")
    assert lines == ["boot disk, pd-balanced", "External IPv4 address"]


def test_an_image_that_is_not_known_yet_counts_as_free(make: Make, cost_of: CostOf) -> None:
    disk = {"initializeParams": {**GOOGLE["bootDisk"]["initializeParams"], "image": UNKNOWN}}
    assert _google(make, cost_of, bootDisk=disk) == _google(make, cost_of)


@pytest.mark.parametrize(
    "windows",
    [
        {"osProfile": {"windowsConfiguration": {}}},
        {"storageProfile": {"osDisk": {"osType": "Windows", "diffDiskSettings": {"option": "Local"}}}},
        {"storageProfile": {**AZURE["storageProfile"], "imageReference": {"publisher": "MicrosoftWindowsServer"}}},
        {"storageProfile": {**AZURE["storageProfile"], "imageReference": {"offer": "WindowsServer"}}},
    ],
    ids=["profile", "system disk", "publisher", "offer"],
)
def test_windows_on_azure_is_not_priced_as_linux(make: Make, cost_of: CostOf, windows: dict[str, Any]) -> None:
    lines, [reason] = _told(cost_of(make("azure-native:compute:VirtualMachine", **{**AZURE, **windows})))
    assert (lines, "Windows" in reason) == ([], True)


def test_the_licence_of_a_marketplace_image_is_named_beside_the_machine(make: Make, cost_of: CostOf) -> None:
    plan = {"name": "a", "product": "b", "publisher": "c"}
    lines, [reason] = _told(cost_of(make("azure-native:compute:VirtualMachine", **AZURE, plan=plan)))
    assert (len(lines), "Marketplace" in reason) == (1, True)
