"""Chargeback by a label: every line is in one group, and the total stays."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpucluster.core.documents.formats import written
from gpucluster.core.program.readers.files import read_text
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources
from gpucluster.cost import Estimate, PriceBook, estimate
from gpucluster.cost.documents.report.groups import groups_document
from gpucluster.cost.documents.report.report_json import label_sums
from gpucluster.cost.estimate.labels import NO_LABEL, NOT_KNOWN, group_by, group_of, labels_of

Make = Callable[..., Resource]
VOLUME = "aws:ebs/volume:Volume"


@pytest.mark.parametrize(
    ("type_", "inputs", "group"),
    [
        (VOLUME, {"tags": {"team": "vision"}}, "vision"),
        (VOLUME, {}, NO_LABEL),
        (VOLUME, {"tags": {"team": ""}}, NO_LABEL),
        (VOLUME, {"tags": {"Team": "vision"}}, NO_LABEL),
        (VOLUME, {"tags": {"team": UNKNOWN}}, NOT_KNOWN),
        (VOLUME, {"tags": UNKNOWN}, NOT_KNOWN),
        ("gcp:lustre/instance:Instance", {"labels": {"team": "vision"}}, "vision"),
        ("gcp:container/cluster:Cluster", {"resourceLabels": {"team": "vision"}}, "vision"),
        ("gcp:container/nodePool:NodePool", {"nodeConfig": {"resourceLabels": {"team": "vision"}}}, "vision"),
        ("azure-native:compute:Disk", {"tags": {"team": "vision"}}, "vision"),
        ("kubernetes:karpenter.sh/v1:NodePool", {"metadata": {"labels": {"team": "vision"}}}, "vision"),
    ],
)
def test_the_label_is_read_where_each_cloud_has_it(
    make: Make, type_: str, inputs: Mapping[str, Any], group: str
) -> None:
    resource = make(type_, **inputs)
    assert group_of(resource, Resources([resource]), "team") == group


@pytest.mark.parametrize("as_text", [True, False])
def test_a_default_of_the_provider_counts_where_a_resource_says_nothing(make: Make, as_text: bool) -> None:
    default: Any = {"tags": {"team": "platform"}}
    provider = make("pulumi:providers:aws", "aws", defaultTags=json.dumps(default) if as_text else default)
    plain = make(VOLUME, "plain", provider=provider)
    own = make(VOLUME, "own", provider=provider, tags={"team": "vision"})
    resources = Resources([provider, plain, own])
    assert [group_of(item, resources, "team") for item in (plain, own)] == ["platform", "vision"]


def test_labels_to_choose_from_are_shared_ones_those_with_several_values_first(make: Make, book: PriceBook) -> None:
    common = {"owner": "ml", "pulumi-stack": "dev", "app.kubernetes.io/name": "x", "late": UNKNOWN,
              "managed-by": "gpucluster", "AMPAgentlessScraper": "", "gpucluster-expected-million-samples": "59",
              "goog-pulumi-provisioned": "true"}  # fmt: skip
    small = make(VOLUME, "small", type="gp3", size=1, tags={**common, "Name": "small", "id": "1", "team": "vision"})
    large = make(VOLUME, "large", type="gp3", size=9, tags={**common, "Name": "large", "id": "2", "team": "speech"})
    third = make(VOLUME, "third", type="gp3", size=1, tags={"Name": "third", "id": "3", "team": "vision"})
    resources = Resources([small, large, third], default_regions={"aws": "us-east-1"})
    assert labels_of(estimate(resources, book), resources) == ("team", "owner")


def test_what_has_no_label_comes_last_and_what_has_no_price_makes_its_group_at_least(
    make: Make, book: PriceBook
) -> None:
    resources = Resources(
        [
            make(VOLUME, "large", type="gp3", size=1000),
            make(VOLUME, "a", type="gp3", size=100, tags={"team": "a"}),
            make(VOLUME, "b", type="gp3", size=200, tags={"team": "b"}),
            make("aws:rds/instance:Instance", "odd", tags={"team": "c"}),
        ],
        default_regions={"aws": "us-east-1"},
    )
    found = estimate(resources, book)
    grouping = group_by(found, resources, "team")
    assert [(group.value, group.monthly.expected, group.complete) for group in grouping.groups] == [
        ("b", Decimal("16.00"), True),
        ("a", Decimal("8.00"), True),
        ("c", Decimal(0), False),
        (NO_LABEL, Decimal("80.00"), True),
    ]
    assert written(groups_document(grouping, found, "Cost"), "table", 60).splitlines()[4:] == [
        "b, 15.4% of the total                                 $16.00",
        "  stack                                               $16.00",
        "",
        "a, 7.7% of the total                                   $8.00",
        "  stack                                                $8.00",
        "",
        "c                                                    unknown",
        "",
        "(no label), 76.9% of the total                        $80.00",
        "  stack                                               $80.00",
        "",
        "Total per month                             at least $104.00",
        "  of which priced                                    $104.00",
        "",
        "unknown: 1 without a price of its own; see gpucluster cost",
        "report",
    ]


def test_a_stack_with_a_duration_has_the_cost_of_its_trial_beside_that_of_a_month(make: Make, book: PriceBook) -> None:
    part = make("x:y:Part", "part", custom=False, durationDays=73)
    disks = [
        make(VOLUME, "a", type="gp3", size=100, tags={"team": "a"}, parent=part),
        make(VOLUME, "b", type="gp3", size=200, tags={"team": "b"}, parent=part),
        make("aws:rds/instance:Instance", "odd", tags={"team": "c"}, parent=part),
    ]
    resources = Resources([part, *disks], default_regions={"aws": "us-east-1"})
    found = estimate(resources, book)
    document = groups_document(group_by(found, resources, "team"), found, "Cost")
    assert found.trial_total == Decimal("57.60")
    assert written(document, "table", 70).splitlines()[2:] == [
        "",
        "                                                        this trial, 73",
        "                                              $/month             days",
        "b, 66.7% of the total                          $16.00           $38.40",
        "  part                                         $16.00",
        "",
        "a, 33.3% of the total                           $8.00           $19.20",
        "  part                                          $8.00",
        "",
        "c                                             unknown          unknown",
        "",
        "Total per month                       at least $24.00  at least $57.60",
        "  of which priced                              $24.00",
        "",
        "unknown: 1 without a price of its own; see gpucluster cost report",
    ]


def test_the_groups_of_a_recorded_stack_have_its_total(recordings: Path, book: PriceBook) -> None:
    resources = read_text((recordings / "plan.json").read_text(), "plan.json")
    found: Estimate = estimate(resources, book)
    groups = label_sums(group_by(found, resources, "team")).model_dump()["groups"]
    for key in ("floor", "expected", "ceiling"):
        total = sum((Decimal(group["monthly"][key]) for group in groups), Decimal(0))
        assert f"{total}" == f"{getattr(found.monthly, key)}"
    assert sum(group["lines"] for group in groups) == len(found.lines)


LABELS = st.none() | st.dictionaries(st.sampled_from(["team", "project"]), st.sampled_from(["a", "b", ""]), max_size=2)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(1, 16_000), LABELS), max_size=10))
def test_grouping_keeps_the_total_and_every_line(
    make: Make, book: PriceBook, disks: list[tuple[int, dict[str, str] | None]]
) -> None:
    resources = Resources(
        [make(VOLUME, f"disk{n}", type="gp3", size=size, tags=tags) for n, (size, tags) in enumerate(disks)],
        default_regions={"aws": "us-east-1"},
    )
    found = estimate(resources, book)
    groups = group_by(found, resources, "team").groups
    assert sum((group.monthly.expected for group in groups), Decimal(0)) == found.monthly.expected
    assert sorted(line.urn for group in groups for line in group.lines) == sorted(line.urn for line in found.lines)


def test_capacity_bought_elsewhere_is_part_of_its_group(make: Make, book: PriceBook) -> None:
    target = {"capacityReservationTarget": {"capacityReservationId": "cr-1"}}
    held = make("aws:ec2/instance:Instance", "held", instanceType="p5.48xlarge", rootBlockDevice={"volumeSize": 100},
                associatePublicIpAddress=False,
                tags={"team": "a"}, capacityReservationSpecification=target)  # fmt: skip
    resources = Resources([held], default_regions={"aws": "us-east-1"})
    found = estimate(resources, book)
    document = groups_document(group_by(found, resources, "team"), found, "Cost")
    assert written(document, "table", 60).splitlines()[4:] == [
        "a, 100.0% of the total                            $40,187.20",
        "    of which committed elsewhere $40,179.20",
        "  stack                                           $40,187.20",
        "",
        "Total per month                                   $40,187.20",
    ]
