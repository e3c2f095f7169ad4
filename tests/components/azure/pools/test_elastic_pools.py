"""The elastic pools by node auto provisioning, typed out: machines and pools, and no Karpenter of ours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gpucluster.components.azure.pools.elastic_pools import KarpenterPools, KarpenterPoolsArgs
from gpucluster.components.planning.planning import PlanError
from gpucluster.components.resources.label_transformation import labelled_objects
from gpucluster.components.shared.elastic import PoolPlan

Registered = list[tuple[str, str, dict[str, Any]]]
Run = Callable[[Callable[[], object]], Registered]

SUBNET = "/subscriptions/s/resourceGroups/trial/providers/Microsoft.Network/virtualNetworks/trial/subnets/nodes"
DEV = PoolPlan(
    name="dev", max_gpus=8, expected_gpus="2", purchase=("spot", "on-demand"), keep_empty=5, expire_after=None
)
TUNING = PoolPlan(
    name="fine-tuning", max_gpus=16, expected_gpus=None, purchase=("spot",), keep_empty=30, expire_after=336
)
ARGS = KarpenterPoolsArgs(
    zone="eastus-1",
    subnet_id=SUBNET,
    machine_types=["Standard_NC40ads_H100_v5"],
    pools=[DEV, TUNING],
    driver_owner="operators",
    image_family="Ubuntu2204",
    lustre=True,
)


def declared(registered: Run, args: KarpenterPoolsArgs = ARGS) -> dict[str, tuple[str, dict[str, Any]]]:
    found = registered(lambda: KarpenterPools("elastic", args, after=[], opts=labelled_objects({"team": "ml"}, None)))
    return {name: (type_, inputs) for type_, name, inputs in found}


@pytest.mark.parametrize(
    "wrong", [{"machine_types": ["Standard_ND96isr_H100_v5"]}, {"pools": [replace(DEV, purchase=("flex-start",))]}]
)
def test_what_it_cannot_carry_is_refused_before_anything_of_it_is_registered(
    registered: Run, wrong: dict[str, Any]
) -> None:
    with pytest.raises(PlanError, match=r"elastic\.engine (is ')?karpenter"):
        declared(registered, replace(ARGS, **wrong))
