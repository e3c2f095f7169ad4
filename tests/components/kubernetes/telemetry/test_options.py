"""What is scraped by options of a spec, and what OpenCost runs."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace
from typing import Any, cast

import pytest

from gpucluster.components.kubernetes.telemetry.cluster_telemetry import _values
from gpucluster.components.kubernetes.telemetry.plan import targets


@pytest.mark.parametrize(("karpenter", "health", "prices", "collector"), [*product((True, False), repeat=4)])
def test_each_option_adds_its_own_target(karpenter: bool, health: bool, prices: bool, collector: bool) -> None:
    plan = SimpleNamespace(node_health=health, price_sheet="sheet" if prices else None, collector=collector)
    options = {"karpenter": karpenter, "node-health": health, "opencost": prices, "collector": collector}
    found = targets(cast(Any, plan), karpenter=karpenter)
    added = [name for name, wanted in options.items() if wanted]
    assert [target.name for target in found] == ["kueue", "jobset", "trainer", "jobs", *added]


def test_opencost_reads_its_own_metrics_and_runs_nothing_beside_them() -> None:
    values = _values("trial-dev", [{"operator": "Exists"}])["opencost"]
    assert [part for part in ("mcp", "ui") if values[part]["enabled"]] == []
    assert values["prometheus"]["internal"]["enabled"] is False
    assert values["exporter"]["collectorDataSource"]["enabled"] is True
    assert values["exporter"]["extraEnv"]["USE_CSV_PROVIDER"] == "true"
    assert (values["exporter"]["defaultClusterId"], values["tolerations"]) == ("trial-dev", [{"operator": "Exists"}])
