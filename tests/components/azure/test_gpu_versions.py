"""Versions that were never released together are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.components.azure.gpu_versions import VERSIONS, GpuVersions
from gpucluster.components.kubernetes.charts import GPU_OPERATOR, NETWORK_OPERATOR
from gpucluster.components.kubernetes.objects import Part

Refused = Callable[[type[Part], dict[str, Any]], list[str]]

NEWER = {
    "network_operator": "26.4.0",
    "doca_driver": "doca3.4.0-26.04-0.8.6.0-0",
    "device_plugin": "network-operator-v26.4.0",
    "gpu_operator": "v26.3.3",
}
OLDER = {
    "network_operator": "26.1.0",
    "doca_driver": "doca3.3.0-26.01-1.0.0.0-0",
    "device_plugin": "network-operator-v26.1.0",
    "gpu_operator": "v26.3.0",
}
ALLOWED = (
    "network-operator 26.4.0 with driver doca3.4.0-26.04-0.8.6.0-0, plugin network-operator-v26.4.0, gpu-operator "
    "v26.3.3; network-operator 26.1.0 with driver doca3.3.0-26.01-1.0.0.0-0, plugin network-operator-v26.1.0, "
    "gpu-operator v26.3.0"
)


def test_the_set_in_use_is_that_of_the_pinned_charts() -> None:
    assert VERSIONS.model_dump() == NEWER
    assert (NETWORK_OPERATOR.version, GPU_OPERATOR.version) == ("26.4.0", "v26.3.3")


@pytest.mark.parametrize("versions", [NEWER, OLDER])
def test_what_was_released_together_is_taken(refused: Refused, versions: dict[str, str]) -> None:
    assert refused(GpuVersions, versions) == []


@pytest.mark.parametrize("field", ["doca_driver", "device_plugin", "gpu_operator"])
def test_a_part_of_another_release_is_refused(refused: Refused, field: str) -> None:
    mixed = {**NEWER, field: OLDER[field]}
    assert refused(GpuVersions, mixed) == [
        f"spec has network-operator 26.4.0 with driver {mixed['doca_driver']}, plugin {mixed['device_plugin']}, "
        f"gpu-operator {mixed['gpu_operator']}; allowed: {ALLOWED}; write one of these"
    ]


def test_an_operator_that_is_in_no_set_is_refused(refused: Refused) -> None:
    [problem] = refused(GpuVersions, {**NEWER, "network_operator": "25.10.0"})
    assert problem.startswith("spec has network-operator 25.10.0 with driver doca3.4.0")
