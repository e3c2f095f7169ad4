"""Codes of Azure's refusals, which scripts and people search for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.store.ledger import Entry
from tests.sandbox.clouds.azure.conftest import Stage

POOL: dict[str, Any] = {"resourceName": "c", "agentPoolName": "gpus", "count": 1, "vmSize": "Standard_D4s_v5"}


@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        ({"availabilityZones": ["4"]}, "AvailabilityZoneNotSupported"),
        ({"gpuInstanceProfile": "MIG1g"}, "InvalidParameter"),
    ],
)
def test_a_pool_is_refused_with_a_code(create: Callable[..., Entry], inputs: dict[str, Any], code: str) -> None:
    stage = Stage(create)
    with pytest.raises(CloudError, match=f'Code="{code}"'):
        stage.make("containerservice:AgentPool", **POOL, **inputs)
