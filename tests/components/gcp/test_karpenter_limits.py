"""Limits of Karpenter on Google Cloud: each refusal says what to do."""

from __future__ import annotations

import pytest

from gpucluster.components.gcp.planning.pools import KARPENTER_NOTE, karpenter_problems
from tests.components.told import told

ENGINE = "elastic.engine is 'karpenter', which on Google Cloud"


@pytest.mark.parametrize(
    ("machine_type", "purchase"),
    [("a3-highgpu-1g", ["spot"]), ("a3-highgpu-4g", ["spot"]), ("a3-highgpu-8g", ["on-demand", "spot"])],
)
def test_machines_whose_networks_karpenter_can_make_are_taken(machine_type: str, purchase: list[str]) -> None:
    assert told(karpenter_problems(machine_type, pool="dev", purchase=purchase)) == []


@pytest.mark.parametrize("machine_type", ["a3-megagpu-8g", "a3-ultragpu-8g"])
def test_machines_with_more_networks_than_it_knows_are_refused(machine_type: str) -> None:
    assert told(karpenter_problems(machine_type, pool="dev", purchase=["spot"])) == [
        f"{ENGINE} can't start {machine_type} with its GPU networks; allowed: a3-highgpu-1g, a3-highgpu-2g, "
        "a3-highgpu-4g, "
        "a3-highgpu-8g; write elastic.engine: native"
    ]


@pytest.mark.parametrize(
    ("purchase", "expected"),
    [
        (
            "on-demand",
            "elastic.pools.dev.purchase has on-demand, and a3-highgpu-1g is sold as spot or flex-start only; with "
            "karpenter write [spot]",
        ),
        (
            "flex-start",
            "elastic.pools.dev.purchase has flex-start, which elastic.engine karpenter does not support on Google "
            "Cloud; allowed: on-demand, spot; write elastic.engine: native",
        ),
    ],
)
def test_a_purchase_that_karpenter_cannot_make_is_refused(purchase: str, expected: str) -> None:
    assert told(karpenter_problems("a3-highgpu-1g", pool="dev", purchase=[purchase])) == [expected]


def test_the_note_says_whose_it_is_and_what_google_supports() -> None:
    assert KARPENTER_NOTE == (
        "elastic pools: Karpenter on Google Cloud is experimental, a community provider (karpenter-provider-gcp) "
        "without GPU networks, placement, reservations, flex-start, MIG or local SSDs, so emptyDir is on the boot "
        "disk; elastic.engine: native uses GKE's autoscaler"
    )
