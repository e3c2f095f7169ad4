"""Local Zones: prices of their own, never those of the region around them."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gpucluster.cost import Estimate, PriceBook, estimate
from gpucluster.cost.comparison.figures import Ask, figures_of
from gpucluster.program.resources import Resource, Resources

Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]

LUSTRE = "aws:fsx/lustreFileSystem:LustreFileSystem"
FAST = {"deploymentType": "PERSISTENT_2", "storageCapacity": 26400, "perUnitStorageThroughput": 125}


def _lacks(found: Estimate) -> list[str]:
    return [item.reason.partition(" per ")[0] for item in found.not_priced]


def _subnet(make: Make, zone: str) -> Resource:
    return make("aws:ec2/subnet:Subnet", f"subnet-{zone}", availabilityZone=zone, mapPublicIpOnLaunch=False)


def test_a_file_system_has_the_price_of_its_local_zone(make: Make, cost_of: CostOf) -> None:
    subnet = _subnet(make, "us-east-1-atl-1a")
    (line,) = cost_of(subnet, make(LUSTRE, "shared", dependencies={"subnetIds": subnet}, **FAST)).lines
    assert (f"{line.unit_price}", line.region) == ("0.205", "us-east-1/us-east-1-atl-1")


@pytest.mark.parametrize("zone", ["us-east-1-atl-2a", "us-west-2-lax-1b"])
def test_without_a_price_of_its_own_it_is_bounded_and_in_no_total(zone: str, make: Make, cost_of: CostOf) -> None:
    region, subnet = zone[:9], _subnet(make, zone)
    found = cost_of(subnet, make(LUSTRE, "shared", dependencies={"subnetIds": subnet}, **FAST), region=region)
    assert _lacks(found) == [f"no price for fsx-lustre-persistent2-ssd-125 on_demand in aws {region}/{zone}"]
    assert found.not_priced[0].between is not None
    assert found.lines == ()


@pytest.mark.parametrize(
    ("type_", "subnets", "inputs"),
    [
        ("aws:eks/nodeGroup:NodeGroup", "subnetIds",
         {"instanceTypes": ["p5.48xlarge"], "diskSize": 500, "scalingConfig": {"desiredSize": 2}, "subnetIds": ["s"]}),
        ("aws:ec2/instance:Instance", "subnetId", {"instanceType": "p5.48xlarge", "subnetId": "s"}),
    ],
)  # fmt: skip
def test_machines_and_their_disks_stand_where_their_subnet_does(
    type_: str, subnets: str, inputs: dict[str, Any], make: Make, cost_of: CostOf
) -> None:
    subnet = _subnet(make, "us-east-1-atl-2a")
    found = cost_of(subnet, make(type_, "nodes", dependencies={subnets: subnet}, **inputs))
    assert found.lines == ()
    assert _lacks(found) == [
        f"no price for {sku} on_demand in aws us-east-1/us-east-1-atl-2a" for sku in ("p5.48xlarge", "ebs-gp3")
    ]


def test_a_volume_and_a_reservation_say_their_zone_by_name_or_id(make: Make, cost_of: CostOf) -> None:
    found = cost_of(
        make("aws:ebs/volume:Volume", "data", size=40, type="gp3", availabilityZone="us-west-2-lax-1a"),
        make("aws:ec2/capacityReservation:CapacityReservation", "held", instanceType="p5.48xlarge", instanceCount=1,
             availabilityZoneId="usw2-lax1-az1"),
        region="us-west-2",
    )  # fmt: skip
    assert _lacks(found) == [
        "no price for ebs-gp3 on_demand in aws us-west-2/us-west-2-lax-1a",
        "no price for p5.48xlarge on_demand in aws us-west-2/us-west-2-lax-1a",
    ]


def test_spot_of_a_local_zone_is_found_by_its_id(make: Make, cost_of: CostOf) -> None:
    subnet = _subnet(make, "us-east-1-atl-2a")
    group = make("aws:eks/nodeGroup:NodeGroup", "nodes", instanceTypes=["p5.48xlarge"], capacityType="SPOT",
                 scalingConfig={"desiredSize": 1}, dependencies={"subnetIds": subnet}, diskSize=20)  # fmt: skip
    (line,) = cost_of(subnet, group).lines
    assert (line.sku, f"{line.unit_price}", line.region) == ("p5.48xlarge", "10.2397", "us-east-1/use1-atl2-az1")


def test_a_price_of_the_users_own_counts_for_the_zone_it_names(make: Make, tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    own.write_text(
        "provider,region,sku,unit,usd_per_unit\naws,us-east-1/us-east-1-atl-2a,ebs-gp3,GiB-month,0.1\n"
        "aws,us-east-1/us-east-1-atl-2a,fsx-lustre-persistent2-ssd-125,GiB-month,0.2\n"
    )
    volume = make("aws:ebs/volume:Volume", "data", size=40, type="gp3", availabilityZone="us-east-1-atl-2a")
    made = Resources([volume], default_regions={"aws": "us-east-1"})
    assert estimate(made, PriceBook(own=own)).monthly.expected == Decimal("4.00")


def test_an_availability_zone_has_the_prices_of_its_region(make: Make, cost_of: CostOf) -> None:
    for zone in ("us-east-1a", "use1-az4"):
        (line,) = cost_of(make("aws:ebs/volume:Volume", "data", size=40, type="gp3", availabilityZone=zone)).lines
        assert (line.region, f"{line.monthly}") == ("us-east-1", "3.20")


@pytest.mark.parametrize(
    ("key", "zone", "place"),
    [
        ("topology.kubernetes.io/zone", "us-east-1-atl-2a", "us-east-1/us-east-1-atl-2a"),
        ("topology.k8s.aws/zone-id", "use1-atl2-az1", "us-east-1/us-east-1-atl-2a"),
        ("topology.k8s.aws/zone-id", "usw2-az1", "us-west-2"),
    ],
)
def test_a_pool_of_karpenter_stands_in_the_zone_that_it_requires(
    key: str, zone: str, place: str, make: Make, cost_of: CostOf
) -> None:
    wanted = {"node.kubernetes.io/instance-type": ["p5.48xlarge"], key: [zone],
              "topology.kubernetes.io/region": [place.partition("/")[0]]}  # fmt: skip
    requirements = [{"key": name, "operator": "In", "values": values} for name, values in wanted.items()]
    spec = {"template": {"spec": {"requirements": requirements}}, "limits": {"nvidia.com/gpu": "8"}}
    found = cost_of(make("kubernetes:karpenter.sh/v1:NodePool", "pool", spec=spec))
    said = [line.region for line in found.lines] + [reason.rpartition(" ")[2] for reason in _lacks(found)]
    assert place in said


def test_what_holds_for_a_region_holds_in_its_local_zones(make: Make, cost_of: CostOf, book: PriceBook) -> None:
    subnet = _subnet(make, "us-east-1-atl-2a")
    group = make("aws:eks/nodeGroup:NodeGroup", "nodes", instanceTypes=["p5.48xlarge"], capacityType="SPOT",
                 scalingConfig={"desiredSize": 1}, dependencies={"subnetIds": subnet}, diskSize=20)  # fmt: skip
    figures = figures_of(cost_of(subnet, group), book, Ask())
    assert figures is not None
    assert (figures.region, figures.grid is None) == ("us-east-1", False)
