"""What has no price in a group of machines, by whether it is machines; its bills are in `bills/`."""

from __future__ import annotations

from collections.abc import Callable

from gpucluster.core.program.resources import Resource
from gpucluster.cost import Estimate


def test_machines_without_a_price_are_missing_machines_and_disks_are_not(
    make: Callable[..., Resource], cost_of: Callable[..., Estimate]
) -> None:
    template = make(
        "gcp:compute/instanceTemplate:InstanceTemplate",
        "t",
        machineType="no-such-machine",
        guestAccelerators=[{"type": "t"}],
        disks=[{"diskSizeGb": 20, "diskType": "no-such-disk"}],
    )
    group = make(
        "gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager",
        "g",
        region="us-central1",
        targetSize=2,
        dependencies={"versions": template},
    )
    assert [item.compute for item in cost_of(template, group).not_priced] == [True, True, False]
