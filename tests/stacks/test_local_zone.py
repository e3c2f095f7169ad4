"""The trial in a Local Zone: GPU nodes, their disks and storage have no price of the region around them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
import yaml

from gpucluster.components.stack.stack_config import stack_config
from gpucluster.components.stack.stack_plan import plan_stack
from gpucluster.cost import Estimate, PriceBook, estimate
from gpucluster.cost.pricing import plan_prices
from gpucluster.operate.quote.plan_declaration import declared

pytestmark = pytest.mark.slow

ROOT: Final = Path(__file__).parents[2]
PLACE: Final = "us-east-1/us-east-1-atl-2a"


def _trial(zone: str) -> Estimate:
    folder = ROOT / "stacks"
    config = yaml.safe_load((folder / "Pulumi.aws-trial.yaml").read_text())["config"] | {"gpucluster:zone": zone}
    running = stack_config(config, project="gpucluster", stack="aws-trial", program=folder, root=ROOT)
    return estimate(declared(plan_stack(running, plan_prices)), PriceBook())


def test_what_stands_in_a_local_zone_is_bounded_and_the_rest_is_priced_as_before() -> None:
    home, found = _trial("us-east-1a"), _trial("us-east-1-atl-2a")
    lacks = {(item.urn.split("::")[-1], item.own_row.split(",")[2]) for item in found.not_priced}
    assert lacks == {
        ("trial-training-nodes", "p5.48xlarge"),
        ("trial-training-nodes", "ebs-gp3"),
        ("trial-elastic-dev-pool", "p5.4xlarge"),
        ("trial-elastic-dev-pool", "ebs-gp3"),
        ("trial-storage-shared", "fsx-lustre-persistent2-ssd-125"),
    }
    assert {item.own_row.split(",")[1] for item in found.not_priced} == {PLACE}
    assert all(item.between is not None for item in found.not_priced)
    elsewhere = [line for line in home.lines if (line.urn.split("::")[-1], line.sku) not in lacks]
    assert sorted(found.lines, key=repr) == sorted(elsewhere, key=repr)
    assert found.gaps.expected.known == "bounded"
