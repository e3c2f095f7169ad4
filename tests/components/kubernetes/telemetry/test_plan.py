"""What a plan says of watching: prices, samples, sheets."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar

import pytest
import yaml

from gpucluster.components.aws.monitoring import scrape_configuration
from gpucluster.components.kubernetes.telemetry.plan import (
    GPU_EXPORTER,
    JOBS,
    KARPENTER,
    KUEUE,
    NODE_HEALTH,
    OPENCOST,
    QUEUEING,
    ScrapeTarget,
    TelemetryPlan,
    node_prices,
    plan_telemetry,
)
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

    def own_machine_usd(self, cloud: str, region: str, machine_type: str, purchase: str) -> Decimal | None:
        raise AssertionError((cloud, region, machine_type, purchase))

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
    ("changes", "gpus", "queues"),
    [
        ({}, 42, 2),
        ({"elastic": None}, 40, 1),
        ({"training": {"nodes": 4}, "elastic": None}, 32, 1),
        ({"elastic": {"pools": {"dev": {"max_gpus": 8}}}}, 44, 2),
        ({"mig": {"nodes": 2, "layout": "all-1g.10gb"}}, 58, 3),
        ({"teams": {name: {"groups": [f"arn:aws:iam::123456789012:role/{name}"]} for name in ("a1", "b1")}}, 42, 6),
    ],
)
def test_samples_are_those_of_the_gpus_and_queues_that_the_month_has(
    changes: dict[str, Any], gpus: int, queues: int
) -> None:
    """14 counters twice a minute and 4 recordings of a GPU, 30 series of a queue and 10 of the software, in 43,800
    minutes; rounded up to a million.
    """
    a_minute = gpus * (14 * 2 + 4) + queues * 30 + 10
    assert planned(**changes).million_samples == -(-a_minute * 43_800 // 1_000_000)


def test_a_price_sheet_is_written_for_opencost_only() -> None:
    assert planned().price_sheet is None
    assert planned(telemetry={"opencost": True}).price_sheet == (
        "EndTimestamp,InstanceID,Region,AssetClass,InstanceIDField,InstanceType,MarketPriceHourly,Version\n"
        ",p5.48xlarge,us-east-1,node,metadata.labels.node.kubernetes.io/instance-type,p5.48xlarge,55.04,v1\n"
    )


ALL = (GPU_EXPORTER, *QUEUEING, KARPENTER, NODE_HEALTH, OPENCOST)


def test_prometheus_takes_the_configuration(tool: Path, tmp_path: Path) -> None:
    (tmp_path / "scrape.yaml").write_text(scrape_configuration(ALL))

    said = subprocess.run(
        [tool, "check", "config", "--syntax-only", "--lint=all", "--lint-fatal", "scrape.yaml"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert said.returncode == 0, said.stdout + said.stderr


def jobs() -> dict[str, dict[str, Any]]:
    found = json.loads(scrape_configuration(ALL))["scrape_configs"]
    return {job["job_name"]: job for job in found}


def test_opencost_gives_what_the_dashboard_reads() -> None:
    assert jobs()["opencost"]["metric_relabel_configs"] == [
        {
            "source_labels": ["__name__"],
            "action": "keep",
            "regex": "container_gpu_allocation|kube_namespace_labels|node_gpu_hourly_cost",
        }
    ]


def test_only_who_answers_to_a_token_gets_one_and_over_tls() -> None:
    found = {name: (job.get("scheme", "http"), "authorization" in job) for name, job in jobs().items()}

    assert found == {
        "gpu-exporter": ("http", False),
        "kueue": ("https", True),
        "jobset": ("https", True),
        "trainer": ("https", False),
        "karpenter": ("http", False),
        "node-health": ("http", False),
        "opencost": ("http", False),
    }


def test_a_pod_is_found_by_its_label_and_the_name_of_its_port() -> None:
    assert jobs()["karpenter"]["relabel_configs"] == [
        {
            "source_labels": ["__meta_kubernetes_pod_label_app_kubernetes_io_name"],
            "action": "keep",
            "regex": "karpenter",
        },
        {
            "source_labels": ["__meta_kubernetes_pod_container_port_name"],
            "action": "keep",
            "regex": "http-metrics",
        },
    ]


# As written by Kueue v0.19.2: all states of a queue, all covered resources.
WRITTEN = [
    *(("kueue_admission_wait_time_seconds_bucket", {"le": bound}) for bound in ("10240", "+Inf")),
    ("kueue_admission_wait_time_seconds_count", {}),
    *(("kueue_cluster_queue_status", {"status": state}) for state in ("pending", "active", "terminated")),
    *(("kueue_cluster_queue_nominal_quota", {"resource": each}) for each in ("cpu", "memory", "nvidia.com/gpu")),
    ("kueue_cluster_queue_resource_usage", {"resource": "nvidia.com/mig-1g.10gb"}),
    ("kueue_local_queue_pending_workloads", {"status": "active"}),
    ("kueue_pending_workloads", {"status": "inadmissible"}),
    ("controller_runtime_reconcile_errors_total", {"controller": "clusterqueue"}),
]


def kept(target: ScrapeTarget, name: str, labels: Mapping[str, str]) -> bool:
    found = {**labels, "__name__": name}
    return all(re.fullmatch(text, found.get(label, "")) for label, text in target.keep.items())


# As kube-state-metrics writes a condition of a Workload that waits.
WAITS = {"condition": "QuotaReserved", "status": "False", "active": "true", "priority_class": "high"}


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        ({}, True),
        ({"priority_class": "medium"}, True),
        ({"priority_class": "low"}, False),
        ({"priority_class": ""}, False),
        ({"condition": "Evicted"}, False),
        ({"status": "True"}, False),
        ({"active": "false"}, False),
        ({"finished": "True"}, False),
        ({"origin": "multikueue"}, False),
        ({"condition": "fleet", "status": "Pending"}, True),
        ({"condition": "fleet", "status": "Ready"}, False),
    ],
    ids=[
        "high",
        "medium",
        "low",
        "none",
        "other",
        "has-its-place",
        "stopped",
        "finished",
        "copy",
        "without-worker",
        "has-its-worker",
    ],
)
def test_only_jobs_that_wait_with_a_limit_are_collected(change: dict[str, str], wanted: bool) -> None:
    assert kept(JOBS, "gpucluster_job_waiting_since_seconds", {**WAITS, **change}) is wanted


def test_of_kueue_no_more_is_kept_than_is_read() -> None:
    assert [(name, *labels.values()) for name, labels in WRITTEN if kept(KUEUE, name, labels)] == [
        ("kueue_admission_wait_time_seconds_count",),
        ("kueue_cluster_queue_status", "active"),
        ("kueue_cluster_queue_nominal_quota", "nvidia.com/gpu"),
        ("kueue_cluster_queue_resource_usage", "nvidia.com/mig-1g.10gb"),
        ("kueue_pending_workloads", "inadmissible"),
    ]


def test_machines_of_pools_have_the_price_of_the_way_they_are_bought() -> None:
    """Spot of the elastic pool, the dearest of two ways, another way where that of the pool is not sold."""

    class Market(Prices):
        sold: ClassVar = {"on-demand": Decimal(7), "spot": Decimal(2)}

        def machine_usd(self, cloud: str, region: str, machine_type: str, purchase: str) -> Decimal | None:
            assert (cloud, region) == ("aws", "us-east-1")
            return self.sold.get(purchase) if machine_type == "p5.4xlarge" else Decimal(50)

        def machines_usd(self, cloud: str, region: str) -> Mapping[str, Decimal]:
            assert (cloud, region) == ("aws", "us-east-1")
            return {"m5.large": Decimal("0.096"), "p5.4xlarge": Decimal(7), "p5.48xlarge": Decimal("55.04")}

    def price(*purchases: list[str]) -> Decimal:
        pools = {f"pool{number}": {"max_gpus": 8, "purchase": each} for number, each in enumerate(purchases)}
        found = node_prices(planned(elastic={"pools": pools}).bought, "aws", "us-east-1", Market())
        assert {**found, "p5.4xlarge": None} == {
            "m5.large": Decimal("0.096"), "p5.4xlarge": None, "p5.48xlarge": Decimal(50),
        }  # fmt: skip
        return found["p5.4xlarge"]

    assert [price(["spot"]), price(["spot", "on-demand"]), price(["spot"], ["on-demand"])] == [2, 2, 7]
    Market.sold = {"spot": Decimal(2)}
    assert price(["on-demand"]) == 2
