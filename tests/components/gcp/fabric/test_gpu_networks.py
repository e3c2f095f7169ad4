"""The objects for the GPU interfaces of each machine type, typed out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.components.gcp.fabric.gpu_networks import GpuNetworks
from gpucluster.components.planning.planning import PlanError
from tests.components.gcp.fabrics import FABRICS

Registered = list[tuple[str, str, dict[str, Any]]]
Run = Callable[[Callable[[], object]], Registered]


@pytest.mark.parametrize(("machine", "count"), [("a3-highgpu-8g", 3), ("a3-megagpu-8g", 9), ("a3-ultragpu-8g", 8)])
def test_another_number_of_networks_is_refused(registered: Run, machine: str, count: int) -> None:
    subnets = [("n", f"s-{index}") for index in range(count)]
    with pytest.raises(PlanError, match=f"{machine} has {count} additional networks; .* requires exactly"):
        registered(lambda: GpuNetworks("nets", FABRICS[machine], subnets=subnets))
