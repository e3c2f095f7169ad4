"""Local Zones: prices of their own, never those of the region around them."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost import Estimate, PriceBook, estimate
from gpucluster.cost.comparison.figures import Ask, figures_of

Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]


def _subnet(make: Make, zone: str) -> Resource:
    return make("aws:ec2/subnet:Subnet", f"subnet-{zone}", availabilityZone=zone, mapPublicIpOnLaunch=False)


def test_a_price_of_the_users_own_counts_for_the_zone_it_names(make: Make, tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    own.write_text(
        "provider,region,sku,unit,usd_per_unit\naws,us-east-1/us-east-1-atl-2a,ebs-gp3,GiB-month,0.1\n"
        "aws,us-east-1/us-east-1-atl-2a,fsx-lustre-persistent2-ssd-125,GiB-month,0.2\n"
    )
    volume = make("aws:ebs/volume:Volume", "data", size=40, type="gp3", availabilityZone="us-east-1-atl-2a")
    made = Resources([volume], default_regions={"aws": "us-east-1"})
    assert estimate(made, PriceBook(own=own)).monthly.expected == Decimal("4.00")


def test_what_holds_for_a_region_holds_in_its_local_zones(make: Make, cost_of: CostOf, book: PriceBook) -> None:
    subnet = _subnet(make, "us-east-1-atl-2a")
    group = make("aws:eks/nodeGroup:NodeGroup", "nodes", instanceTypes=["p5.48xlarge"], capacityType="SPOT",
                 scalingConfig={"desiredSize": 1}, dependencies={"subnetIds": subnet}, diskSize=20)  # fmt: skip
    figures = figures_of(cost_of(subnet, group), book, Ask())
    assert figures is not None
    assert (figures.region, figures.grid is None) == ("us-east-1", False)
