"""Columns side by side: what is ranked, what is not, and what differs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost import estimate
from gpucluster.cost.comparison import Column, Ranked, cluster_of, compare
from gpucluster.cost.prices import Bound
from gpucluster.cost.pricing.bounds import CLOSED
from gpucluster.cost.pricing.model import cents
from gpucluster.cost.pricing.money import money
from tests.cost.conftest import NOWHERE
from tests.says import Says

Make = Callable[..., Resource]
MakeColumn = Callable[..., Column]


def test_complete_columns_are_ranked_by_every_part(column: MakeColumn) -> None:
    found = compare([column("gcp"), column("aws")])
    assert [(part.name, part.monthly, part.why) for part in found.parts] == [
        ("training", (Decimal("340960.00"), Decimal("201096.00")), ""),
        ("storage", (Decimal("7560.00"), Decimal("3828.00")), ""),
        ("control-plane", (Decimal("73.00"), Decimal("73.00")), ""),
    ]
    assert found.ranking == (
        Ranked("aws-trial", Decimal("204997.00"), CLOSED, 1, Decimal("1.00")),
        Ranked("gcp-trial", Decimal("348593.00"), CLOSED, 2, Decimal("1.70")),
    )
    assert found.cheapest == ("aws-trial", "gcp-trial")
    assert (found.undecided, found.differences) == ((), ())


def test_the_sum_of_ranked_parts_is_the_total_of_a_complete_column(column: MakeColumn) -> None:
    found = compare([column("gcp"), column("aws")])
    totals = {item.title: item.estimate.monthly.expected for item in found.columns}
    assert {item.title: item.monthly for item in found.ranking} == totals


def test_a_total_without_a_bound_leaves_the_order_open_however_little_it_is(make: Make, column: MakeColumn) -> None:
    unknown = make("aws:rds/instance:Instance", "database")
    found = compare([column("aws", more=[unknown]), column("gcp")])
    assert found.columns[0].estimate.monthly.expected < found.columns[1].estimate.monthly.expected
    assert (found.cheapest, found.undecided) == ((), ("aws-trial", "gcp-trial"))
    assert [row.cells for row in found.totals if row.key == "monthly"] == [("at least $204,997.00", "$348,593.00")]
    # The parts it has in common with the other are priced, so they are ranked all the same.
    assert [item.title for item in found.ranking] == ["aws-trial", "gcp-trial"]


def test_a_part_is_ranked_only_where_every_column_prices_it(make: Make, column: MakeColumn) -> None:
    cluster = make("gpucluster:azure-native:TrainingCluster", "trial", custom=False)
    storage = make("gpucluster:azure-native:Storage", "trial-storage", custom=False, parent=cluster)
    unknown = make("azure-native:storagecache:AmlFilesystem", "more", parent=storage, location="eastus",
                   sku={"name": "AMLFS-Durable-Premium-0"}, storageCapacityTiB=32)  # fmt: skip
    found = compare([column("aws"), column("gcp"), column("azure-native", more=[unknown])])
    assert {part.name: part.why for part in found.parts} == {
        "training": "",
        "storage": "not fully priced in azure-native-trial",
        "control-plane": "",
    }
    assert [(item.title, item.monthly) for item in found.ranking] == [
        ("aws-trial", Decimal("201169.00")),
        ("gcp-trial", Decimal("341033.00")),
        ("azure-native-trial", Decimal("358941.00")),
    ]
    assert [part.monthly for part in found.parts if part.name == "storage"] == [
        (Decimal("3828.00"), Decimal("7560.00"), None)
    ]


def test_capacity_bought_elsewhere_does_not_look_free(make: Make, column: MakeColumn) -> None:
    affinity = {"consumeReservationType": "SPECIFIC_RESERVATION", "values": ["projects/p/reservations/r"]}
    config = {"machineType": "a3-megagpu-8g", "diskSizeGb": 100, "diskType": "pd-balanced"}
    reserved = make(
        "gcp:container/nodePool:NodePool", "more", location="us-central1-a", nodeCount=1,
        nodeConfig={**config, "reservationAffinity": affinity},
    )  # fmt: skip
    plain = make("aws:ec2/instance:Instance", "more", instanceType="m7i.large", rootBlockDevice={"volumeSize": 125},
                 associatePublicIpAddress=False)  # fmt: skip
    found = compare([column("gcp", more=[reserved]), column("aws", more=[plain])])
    assert [part.monthly for part in found.parts if part.name == "stack"] == [(Decimal("68192.00"), Decimal("83.58"))]
    assert [row.cells for row in found.totals if row.key == "committed_elsewhere"] == [("$68,182.00", "$0.00")]
    assert found.ranking[-1] == Ranked("gcp-trial", Decimal("416785.00"), CLOSED, 2, Decimal("2.03"))


def test_prices_that_are_second_opinions_only_are_not_ranked(make: Make, column: MakeColumn) -> None:
    approximate = make("gcp:compute/instance:Instance", "more", zone="us-central1-a", machineType="a3-highgpu-8g",
                       bootDisk={"source": "disk"}, scheduling={"provisioningModel": "SPOT"})  # fmt: skip
    old = make("gcp:filestore/instance:Instance", "old", location="us-west1-a", tier="BASIC_HDD",
               fileShares={"capacityGb": 2048})  # fmt: skip
    found = compare([column("gcp", more=[approximate]), column("gcp", title="other", more=[old])])
    assert [part.why for part in found.parts if part.name == "stack"] == [
        Says("machines", "gcp-trial", "only", "approximate")
    ]


def test_equal_sums_share_a_rank(column: MakeColumn) -> None:
    found = compare([column("gcp", title="one"), column("gcp", title="two")])
    assert [(item.title, item.rank) for item in found.ranking] == [("one", 1), ("two", 1)]


def test_what_the_specs_asked_for_differently_is_named(column: MakeColumn) -> None:
    labels = {"team": "vision", "owner": "me"}
    found = compare([column("aws"), column("gcp", nodes=3, trainingGpus=16, durationDays=7, requiredLabels=labels)])
    assert [(row.label, row.cells) for row in found.differences] == [
        ("training GPUs", ("32", "16")),
        ("duration in days", ("14", "7")),
        ("label team", ("research", "vision")),
        ("label owner", ("not stated", "me")),
    ]


def test_parts_are_matched_though_the_clusters_are_called_differently(stack: Callable[..., list[Resource]]) -> None:
    def renamed(name: str) -> Column:
        urns = {item.urn: item.urn.replace("::trial", f"::{name}") for item in stack("gcp")}
        resources = Resources(
            replace(item, urn=urns[item.urn], name=item.name.replace("trial", name), parent=urns.get(item.parent or ""))
            for item in stack("gcp")
        )
        return Column(title=name, estimate=estimate(resources), cluster=cluster_of(resources))

    found = compare([renamed("first"), renamed("second")])
    assert [part.name for part in found.parts] == ["training", "storage", "control-plane"]
    assert [(row.label, row.cells) for row in found.differences] == [("name", ("first", "second"))]


def test_a_total_is_placed_where_its_bounds_leave_it_one_place(make: Make, column: MakeColumn, disk_gib: Bound) -> None:
    far = make("aws:ebs/volume:Volume", "far", type="gp3", size=100, region=NOWHERE)
    least, most = (money(204997 + cents(100 * usd)) for usd in (disk_gib.least, disk_gib.most))
    found = compare([column("gcp"), column("aws", more=[far])])
    assert (found.cheapest, found.undecided) == (("aws-trial", "gcp-trial"), ())
    assert [row.cells for row in found.totals if row.key == "monthly"] == [("$348,593.00", f"{least} to {most}")]
    alike = compare([column("aws", title="one", more=[far]), column("aws", title="other")])
    assert (alike.cheapest, alike.undecided) == (("other", "one"), ())
    both = compare([column("aws", title="one", more=[far]), column("aws", title="other", more=[far])])
    assert (both.cheapest, both.undecided) == ((), ("one", "other"))


def test_a_part_is_ranked_between_its_bounds_and_shares_a_rank_where_they_overlap(
    make: Make, column: MakeColumn
) -> None:
    def having(title: str, gib: int) -> Column:
        disk = make("aws:ebs/volume:Volume", "far", type="gp3", size=gib, region=NOWHERE)
        return column("aws", title=title, more=[disk])

    found = compare([having("one", 100), having("other", 300), having("large", 3000)])
    assert [(item.title, item.rank, item.times) for item in found.ranking] == [
        ("one", 1, None),
        ("other", 1, None),
        ("large", 3, None),
    ]


def test_a_part_with_machines_is_not_ranked_with_one_that_has_none(make: Make, column: MakeColumn) -> None:
    system = make("aws:ec2/instance:Instance", "more", instanceType="m7i.large", rootBlockDevice={"volumeSize": 20})
    disk = make("aws:ebs/volume:Volume", "more", type="gp3", size=100)
    found = compare([column("aws", title="one", more=[system]), column("aws", title="other", more=[disk])])
    assert [part.why for part in found.parts if part.name == "stack"] == ["machines in one only"]
    assert {item.monthly for item in found.ranking} == {Decimal("204997.00")}
