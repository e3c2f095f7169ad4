"""The definitions by which the sandbox's API server judges are those of the charts in use."""

from __future__ import annotations

from gpucluster.components.kubernetes.objects.charts import CHARTS
from gpucluster.sandbox.api_server.definitions import source_of
from gpucluster.sandbox.clouds.kubernetes.definitions import is_in_tables, kinds_of_release, known_chart


def test_a_chart_that_brings_definitions_is_pinned_where_its_definitions_are() -> None:
    lacking: set[str] = set()
    for chart in CHARTS.values():
        # As Karpenter is installed: its definitions come by a chart of their own.
        skips = {"skipCrds": True} if chart.chart.endswith("/karpenter") or chart.chart == "karpenter" else {}
        release = {"chart": chart.chart, "repositoryOpts": {"repo": chart.repository}, **skips}
        name = known_chart(release)
        brings = kinds_of_release(release) or not is_in_tables(name)
        if brings and source_of(name, chart.version) is None:
            lacking.add(f"{name} {chart.version}")
    assert lacking == set()
