"""What a plan says of watching: prices, samples, sheets."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpucluster.components.aws.monitoring import scrape_configuration
from gpucluster.components.kubernetes.telemetry.plan import TelemetryPlan, plan_telemetry
from gpucluster.components.planning.planning import Planning
from gpucluster.components.shared.machine_choice import shape
from gpucluster.components.spec.cluster import ClusterSpec
from tests.components.told import reports

TRIAL = yaml.safe_load((Path(__file__).parents[4] / "stacks/specs/trial.yaml").read_text())
P5 = shape("aws", "p5.48xlarge")


class Prices:
    """Of p5.48xlarge in one region."""

    def storage_price(self, cloud: str, region: str, tier: int) -> Decimal | None:
        raise AssertionError((cloud, region, tier))

    def storage_price_in_other_regions(self, cloud: str, tier: int) -> Decimal | None:
        raise AssertionError((cloud, tier))

    def machine_usd(self, cloud: str, region: str, machine_type: str, purchase: str) -> Decimal | None:
        hour = self.machines_usd(cloud, region).get(machine_type)
        return Decimal("34.608") if hour and purchase == "capacity-block" else hour

    def machines_usd(self, cloud: str, region: str) -> Mapping[str, Decimal]:
        return {"p5.48xlarge": Decimal("55.04")} if (cloud, region) == ("aws", "us-east-1") else {}


def planned(region: str = "us-east-1", planning: Planning[Any] | None = None, **changes: Any) -> TelemetryPlan:
    spec = ClusterSpec.model_validate({**TRIAL, **changes})
    return plan_telemetry(spec, P5, planning or reports(region, prices=Prices()), metrics="there")


def test_alerts_get_the_price_of_one_gpu_and_the_labels_of_the_stack() -> None:
    watched = planned().watched
    assert (watched.gpu_hour_usd, watched.gpus) == (Decimal("6.88"), 8)
    assert watched.labels == {**TRIAL["labels"], "stack": "dev"}


def test_alerts_tell_the_price_of_the_way_that_the_nodes_are_bought() -> None:
    block = planned(
        purchase={"kind": "capacity-block"}, placement={"kind": "reservation", "id": "cr-0123456789abcdef0"}
    )
    assert block.watched.gpu_hour_usd == Decimal("4.326")


def test_without_a_price_the_plan_says_that_alerts_count_gpus() -> None:
    unpriced, priced = (reports(region, prices=Prices()) for region in ("eu-west-2", "us-east-1"))
    assert planned(planning=unpriced).watched.gpu_hour_usd is None
    assert unpriced.notes == [
        "there stores GPU metrics and evaluates alerts; alerts go to nobody until you configure a receiver",
        "alerts report GPUs instead of dollars: no price of p5.48xlarge in eu-west-2 is known",
    ]
    planned(planning=priced)
    assert len(priced.notes) == 1


@pytest.mark.parametrize(
    ("changes", "gpus"),
    [
        ({}, 42),
        ({"elastic": None}, 40),
        ({"training": {"nodes": 4}, "elastic": None}, 32),
        ({"elastic": {"pools": {"dev": {"max_gpus": 8}}}}, 44),
        ({"mig": {"nodes": 2, "layout": "all-1g.10gb"}}, 58),
    ],
)
def test_samples_are_those_of_the_gpus_that_the_month_has(changes: dict[str, Any], gpus: int) -> None:
    """14 counters twice a minute and 4 recordings, in 43,800 minutes; rounded up to a million."""
    assert planned(**changes).million_samples == -(-gpus * (14 * 2 + 4) * 43_800 // 1_000_000)


def test_a_price_sheet_is_written_for_opencost_only() -> None:
    assert planned().price_sheet is None
    assert planned(telemetry={"opencost": True}).price_sheet == (
        "EndTimestamp,InstanceID,Region,AssetClass,InstanceIDField,InstanceType,MarketPriceHourly,Version\n"
        ",p5.48xlarge,us-east-1,node,metadata.labels.node.kubernetes.io/instance-type,p5.48xlarge,55.04,v1\n"
    )


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
