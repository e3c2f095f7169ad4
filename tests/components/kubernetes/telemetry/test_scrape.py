"""What AWS's collector is told to read, judged by Prometheus' own promtool."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from gpucluster.components.aws.monitoring import scrape_configuration


@pytest.mark.parametrize("opencost", [True, False])
def test_prometheus_takes_the_configuration(tool: Path, tmp_path: Path, opencost: bool) -> None:
    (tmp_path / "scrape.yaml").write_text(scrape_configuration(exporter_namespace="gpu-exporter", opencost=opencost))

    said = subprocess.run(
        [tool, "check", "config", "--syntax-only", "--lint=all", "--lint-fatal", "scrape.yaml"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert said.returncode == 0, said.stdout + said.stderr


def test_opencost_is_read_where_it_runs_and_gives_what_the_dashboard_reads() -> None:
    bare, full = (
        json.loads(scrape_configuration(exporter_namespace="gpu-exporter", opencost=opencost))["scrape_configs"]
        for opencost in (False, True)
    )
    assert [job["job_name"] for job in bare] == ["gpu-exporter", "node-health"]
    assert [job["job_name"] for job in full] == ["gpu-exporter", "node-health", "opencost"]
    assert full[2]["metric_relabel_configs"] == [
        {
            "source_labels": ["__name__"],
            "action": "keep",
            "regex": "container_gpu_allocation|kube_namespace_labels|node_gpu_hourly_cost",
        }
    ]
