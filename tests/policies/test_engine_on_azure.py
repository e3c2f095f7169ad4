"""Seeded mistakes on Azure, on the real engine against the simulated cloud: each stops the preview."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("azure_project") / "__main__.py"
POOL = "azure-native:containerservice:AgentPool: train"
CLUSTER = "azure-native:containerservice:ManagedCluster: cluster"
FIVE = "5 nodes of Standard_ND96isr_H100_v5"

# What has no price leaves the budget open, and says so.
OPEN = {"not-known-yet", "budget-undecidable"}

MISTAKES = [
    (
        "pcie",
        "training-pool-in-one-domain",
        POOL,
        "5 nodes of Standard_NC80adis_H100_v5, which has no InfiniBand (no r in its name)",
    ),
    (
        "no-infiniband",
        "training-pool-in-one-domain",
        POOL,
        "5 nodes of Standard_ND96is_H100_v5, which has no InfiniBand (no r in its name)",
    ),
    (
        "two-pools",
        "training-pool-in-one-domain",
        POOL.replace("train", "spares"),
        f"{FIVE} (`two-pools-spares`, `two-pools-train`) in 2 node pools: each is a scale set with its own InfiniBand "
        "domain",
    ),
    (
        "karpenter",
        "training-pool-in-one-domain",
        "kubernetes:karpenter.sh/v1:NodePool: elastic",
        "it allows Standard_ND96isr_H100_v5: Karpenter starts single machines outside of scale sets",
    ),
    ("two-zones", "training-pool-in-one-zone", POOL, f"{FIVE} in 2 zones: 1, 2"),
    ("no-zone", "training-pool-in-one-zone", POOL, f"{FIVE} without a zone: Azure chooses their zones"),
    (
        "reservation",
        "no-group-on-foreign-reservation",
        POOL,
        "proximity placement group `near` together with capacity reservation group `h100`, which Azure refuses",
    ),
    ("spot-reserved", "purchase-fits-machine", POOL, "Spot together with a capacity reservation group"),
    ("sliced", "sliced-gpus-in-own-pool", POOL, "GPUs of `sliced-train` are sliced, and its nodes are labelled for"),
    ("surge", "upgrade-keeps-jobs", POOL, f"{FIVE} with maxSurge 1: every upgrade needs one more machine"),
    ("reimaged", "upgrade-keeps-jobs", CLUSTER, "nodeOSUpgradeChannel is not set (default: NodeImage)"),
    (
        "infiniband-range",
        "addresses-clear-of-reserved-ranges",
        "azure-native:network:VirtualNetwork: vnet",
        "virtual network `infiniband-range-vnet` at 172.16.0.0/16, which overlaps InfiniBand's 172.16.0.0/16",
    ),
    ("no-label", "required-labels", CLUSTER, "tags: `team` missing"),
    ("bad-label", "label-values", CLUSTER, "tags: key `cost/center` has '/' at character 5; Azure allows none of"),
]
"""Mistake, policy, resource without the mistake's name, what is said."""

pytestmark = [pytest.mark.engine, pytest.mark.slow]


@pytest.fixture(scope="module")
def project(project_of):
    subscription = "00000000-0000-0000-0000-000000000000"
    return project_of(PROGRAM, {"azure-native:location": "eastus", "azure-native:subscriptionId": subscription})


@pytest.fixture
def preview(project, previewed):
    """Preview with the pack and one mistake."""
    return lambda mistake: _but_prices(previewed(project, "test", "-c", f"pool:mistake={mistake}"), set())


def _but_prices(result, left_open):
    """The same without findings about prices; of other rules only those of `left_open` leave anything open."""
    code, findings, output = result
    asking = re.findall(r"(\S+(?:(?:, | and )\S+)*) cannot tell: ", output)
    asked = {rule for rules in asking for rule in re.split(", | and ", rules)} - {"budget", "budget-ceiling"}
    assert asked == left_open, output
    return code, [finding for finding in findings if finding[1] not in OPEN], output


def test_the_good_example_has_no_finding(preview):
    code, findings, output = preview("none")
    assert (code, findings) == (0, []), output


@pytest.mark.core
def test_the_seeded_mistakes_stop_one_preview_each_by_its_own_rule_alone_told_with_why_and_fix(
    project, previewed, of_mistake, is_told
):
    """Each in a cluster of its own."""
    mistakes = " ".join(mistake for mistake, *_ in MISTAKES)
    code, findings, output = _but_prices(previewed(project, "test", "-c", f"pool:mistake={mistakes}"), set())
    assert code != 0
    stops = [finding for finding in findings if finding[0] == "mandatory"]
    assert sorted(stops) == sorted(of_mistake(*found) for *found, _ in MISTAKES), output
    for *found, what in MISTAKES:
        is_told(output, of_mistake(*found), what)


@pytest.mark.core
def test_spot_is_told_and_stops_nothing(preview):
    code, findings, output = preview("spot")
    assert (code, findings) == (0, [("advisory", "training-pool-not-on-spot", POOL)]), output


def test_the_trial_of_this_repository_has_no_finding_but_its_own_daemons(own_project, previewed):
    # The cluster's own way out is among the ranges that reach its API, and has no address before it is made.
    left_open = {"control-plane-not-open"}
    code, findings, output = _but_prices(previewed(own_project, "azure-trial"), left_open)
    assert code == 0, output
    assert {(level, name) for level, name, _ in findings} <= {("advisory", "exemptions-in-use")}, output
    assert "control-plane-not-open cannot tell: ranges that reach its endpoint: 1 of 2 not known yet" in output
