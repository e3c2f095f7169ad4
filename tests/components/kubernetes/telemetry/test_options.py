"""What is scraped by options of a spec, and what OpenCost runs."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace
from typing import Any, cast

import pytest

from gpucluster.components.kubernetes.telemetry.cluster_telemetry import _values
from gpucluster.components.kubernetes.telemetry.plan import optional_targets


@pytest.mark.parametrize(("health", "prices", "collector"), [*product((True, False), repeat=3)])
def test_each_option_adds_its_own_target(health: bool, prices: bool, collector: bool) -> None:
    plan = SimpleNamespace(node_health=health, price_sheet="sheet" if prices else None, collector=collector)
    wanted = {"node-health": health, "opencost": prices, "collector": collector}
    found = optional_targets(cast(Any, plan))
    assert [target.name for target in found] == [name for name, asked in wanted.items() if asked]


def test_opencost_reads_its_own_metrics_and_runs_nothing_beside_them() -> None:
    values = _values("trial-dev", [{"operator": "Exists"}])["opencost"]
    assert [part for part in ("mcp", "ui") if values[part]["enabled"]] == []
    assert values["prometheus"]["internal"]["enabled"] is False
    assert values["exporter"]["collectorDataSource"]["enabled"] is True
    assert values["exporter"]["extraEnv"]["USE_CSV_PROVIDER"] == "true"
    assert (values["exporter"]["defaultClusterId"], values["tolerations"]) == ("trial-dev", [{"operator": "Exists"}])
