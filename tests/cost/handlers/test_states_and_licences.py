"""Machines that do not run, and images with a licence: what of them is billed, and what has no price in the book."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.cost import Estimate
from gpucluster.program.resources import UNKNOWN, Resource

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


def test_the_memory_of_a_suspended_machine_has_no_price(make: Make, cost_of: CostOf) -> None:
    [line], [reason] = _google(make, cost_of, desiredStatus="SUSPENDED")
    assert ("boot disk" in line, "SUSPENDED" in reason) == (True, True)


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
