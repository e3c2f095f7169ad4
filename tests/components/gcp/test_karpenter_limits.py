"""What Karpenter can't carry on Google Cloud is refused in words that say what to do."""

from __future__ import annotations

from typing import Any

import pytest

from gpucluster.components.gcp.karpenter_limits import KARPENTER_NOTE, karpenter_problems
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
    ("asked", "expected"),
    [
        (
            {"purchase": ["on-demand"]},
            "elastic.pools.dev.purchase has on-demand, and a3-highgpu-1g is sold as spot or flex-start only; with "
            "karpenter write [spot]",
        ),
        (
            {"purchase": ["flex-start"]},
            "elastic.pools.dev.purchase has flex-start, which elastic.engine karpenter can't buy on Google Cloud; "
            "allowed: on-demand, spot; write elastic.engine: native",
        ),
        (
            {"nodes_per_job": 2},
            f"{ENGINE} can't carry jobs over 2 nodes: its machines have no GPU fabric; allowed: 1; use the training "
            "pool",
        ),
        ({"partition": "1g.10gb"}, f"{ENGINE} can't slice GPUs (1g.10gb); allowed: whole GPUs; use mig"),
        ({"reservation": "r-1"}, f"{ENGINE} can't use reservation 'r-1'; allowed: none; use the training pool"),
        (
            {"placement": True},
            f"{ENGINE} can't keep machines close to each other; allowed: no placement; use the training pool",
        ),
    ],
)
def test_a_feature_that_karpenter_lacks_is_refused(asked: dict[str, Any], expected: str) -> None:
    every: dict[str, Any] = {"pool": "dev", "purchase": ["spot"], **asked}
    assert told(karpenter_problems("a3-highgpu-1g", **every)) == [expected]


def test_the_note_says_whose_it_is_and_what_google_supports() -> None:
    assert KARPENTER_NOTE == (
        "elastic pools: Karpenter on Google Cloud is experimental, a community provider (karpenter-provider-gcp) "
        "without "
        "GPU networks, placement, reservations, flex-start, MIG or local SSDs, so that emptyDir is on the boot disk; "
        "elastic.engine: native is GKE's own"
    )
